"""One cell: a number that people typed, and text that no spreadsheet runs.

Spreadsheets of half the world write 1,5 for one and a half, others separate thousands that way, so
such a cell is never guessed: it is refused with its place. The same goes for text, NaN, infinities and
formulas. What we write is safe to open in a spreadsheet: a text cell that would be run as a formula is
preceded by an apostrophe.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from equiwarp.exceptions import TableError

#: Beyond this, squares and sums of squares leave the range of double precision.
LARGEST = 1e100
#: Characters that make a spreadsheet run a cell.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\n")


def read_number(text: str, place: str = "") -> float:
    """A finite number, or a :class:`TableError` that says what to write instead."""
    try:
        value = float(text)
    except ValueError:
        raise _not_a_number(text, place) from None
    # float() accepts underscores and foreign digits, which no instrument writes on purpose.
    if "_" in text or not text.isascii():
        raise TableError(place, f"{text!r} is not a number", "not_a_number")
    if not math.isfinite(value):
        reason = "too large" if "e" in text.lower() and "inf" not in text.lower() else "not a finite number"
        remedy = "leave the cell empty or mark the experiment as failed"
        raise TableError(place, f"{text!r} is {reason}", "not_finite", remedy)
    return value


def _not_a_number(text: str, place: str) -> TableError:
    if not text:
        return TableError(place, "the cell is empty", "empty")
    if text[0] in "=@" or (text[0] in "+-" and len(text) > 1 and not text[1:2].isdigit()):
        remedy = "export values, not formulas"
        return TableError(place, f"{text!r} is a formula, not a number", "formula", remedy)
    if text.count(",") == 1 and text.replace(",", "").replace("-", "").isdigit():
        remedy = f"write {text.replace(',', '.')} with a decimal point"
        return TableError(place, f"{text!r} is ambiguous", "decimal_comma", remedy)
    return TableError(place, f"{text!r} is not a number", "not_a_number")


def read_measured(text: str, place: str) -> float:
    """A measured value: a finite number of a size that can be squared."""
    return usable(read_number(text, place), place)


def usable(value: float, place: str) -> float:
    """The value itself; refused if its square would leave the range of double precision."""
    if abs(value) > LARGEST:
        raise TableError(place, f"{value:g} is beyond ±{LARGEST:g}", "too_large", "use a larger unit")
    return value


def safe_cell(value: Any) -> str:
    """A cell as text: numbers in full precision, nested data as JSON, text so that no spreadsheet runs it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float | np.floating):
        return repr(float(value))
    if isinstance(value, Mapping | list):
        return json.dumps(value, ensure_ascii=False)
    # A lone carriage return ends a line for some readers and not for others.
    text = str(value).replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if isinstance(value, str) and text.startswith(FORMULA_STARTS) else text


def without_guard(name: str) -> str:
    """A header cell without the apostrophe of :func:`safe_cell`."""
    return name[1:] if name[:1] == "'" and name[1:].startswith(FORMULA_STARTS) else name
