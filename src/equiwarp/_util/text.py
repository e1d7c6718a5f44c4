"""Words for messages: values shortened and named, things counted."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from typing import Any

#: Longest value that a message quotes in full.
LONGEST_QUOTE = 60


def short(value: Any) -> str:
    """A value as Python writes it, cut where it would drown the message."""
    if isinstance(value, int) and abs(value) >= 10**LONGEST_QUOTE:  # Python refuses to write the longest
        return f"a whole number of about {round(value.bit_length() * 0.30103)} digits"
    text = repr(value)
    return text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 3]}..."


def assigned(values: Mapping[str, float | str]) -> str:
    """``temperature = 20.5, solvent = water``, numbers to six digits."""
    return ", ".join(f"{name} = {short_number(value)}" for name, value in values.items())


def short_number(value: float | str) -> str:
    """A setting as a message shows it: a number to six digits, the name of a category as it is."""
    return value if isinstance(value, str) else f"{value:.6g}"


def three_digits(value: float) -> str:
    """A number to three digits, written out where people write it out: 1230, not 1.23e+03."""
    text = f"{value:.3g}"
    return f"{float(text):.0f}" if "e+" in text and abs(value) < 1e6 else text


def with_deviation(value: float, deviation: float) -> str:
    """A value and its deviation, both to the two digits that the deviation is worth: ``62.3 ± 1.2``."""
    if not 1e-6 < deviation < 1e6:
        return f"{value:.6g} ± {deviation:.2g}"
    places = max(1 - math.floor(math.log10(deviation)), 0)
    return f"{value:.{places}f} ± {deviation:.{places}f}"


def unstorable(text: str) -> bool:
    """Whether a text holds what UTF-8 or a database cannot: half a character, or the character NUL."""
    return "\0" in text or any("\ud800" <= c <= "\udfff" for c in text)


def storable(text: str) -> str:
    """A text with what cannot be stored written out, as Python writes it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")


def several(count: int, thing: str) -> str:
    """``1 row``, ``2 rows``."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def listed(names: Iterable[str]) -> str:
    """``'a', 'b'``: names as a message lists them."""
    return ", ".join(map(repr, names))


def offered(name: str, known: Iterable[str]) -> str:
    """What a refused name may have meant, or else all names that are known, to end a message with."""
    names = {known_name.casefold(): known_name for known_name in known}
    near = difflib.get_close_matches(name.casefold(), names, 1)
    return (
        f"; did you mean {names[near[0]]!r}?"
        if near
        else f"; known are {', '.join(map(repr, names.values()))}"
    )
