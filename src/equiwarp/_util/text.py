"""Words for messages: values shortened and named, things counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Longest value that a message quotes in full.
LONGEST_QUOTE = 60


def short(value: Any) -> str:
    """A value as Python writes it, cut where it would drown the message."""
    if isinstance(value, int) and abs(value) >= 10**LONGEST_QUOTE:  # Python refuses to write the longest
        return f"a whole number of about {round(value.bit_length() * 0.30103)} digits"
    text = repr(value)
    return text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 3]}..."


def unstorable(text: str) -> bool:
    """Whether a text holds what UTF-8 or a database cannot: half a character, or the character NUL."""
    return "\0" in text or any("\ud800" <= c <= "\udfff" for c in text)


def assigned(values: Mapping[str, float]) -> str:
    """``temperature = 20.5, pH = 4``, to six digits."""
    return ", ".join(f"{name} = {value:.6g}" for name, value in values.items())


def several(count: int, thing: str) -> str:
    """``1 row``, ``2 rows``."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
