"""What a caller passes, read by its kind: an error of ours that names the value where Python's would not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.text import short
from equiwarp.exceptions import InvalidInput

#: Beyond this, squares and sums of squares leave the range of double precision.
LARGEST = 1e100
#: Kinds of numbers that are shorter than a float of Python, in both orders of bytes.
SHORT = tuple(np.dtype(kind) for kind in ("<f4", ">f4", "<f2", ">f2"))


def number(value: Any, what: str) -> float:
    """A number, whatever kind of number it is; a text or a truth is none."""
    if isinstance(value, str | bytes | bool | np.bool_ | np.datetime64 | np.timedelta64):
        raise InvalidInput(f"{what} must be a number, got {value!r}")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InvalidInput(f"{what} must be a number, got {value!r}") from None
    except OverflowError:
        raise InvalidInput(f"{what} is too large for a number: {short(value)}; use a larger unit") from None


def in_double(array: NDArray[Any]) -> NDArray[np.float64]:
    """Numbers in double precision: those of single or half precision as they print.

    0.3 in single precision is 0.30000001192..., which lies beyond a bound of 0.3 and is on no list with 0.3.
    """
    return np.array(array.astype(str) if array.dtype in SHORT else array, dtype=float)


def whole(value: Any, what: str, least: int) -> int:
    """A whole number that is not below the least one."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InvalidInput(f"{what} must be a whole number of at least {least}, got {short(value)}")
    return int(value)


def items_of(value: Any, what: str) -> list[Any]:
    """The items of a list or of anything like it; a text is not a list of letters."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise InvalidInput(f"{what} must be a list, got {value!r}")
    return list(value)
