"""Words for messages: values shortened and named, things counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Longest value that a message quotes in full.
LONGEST_QUOTE = 60


def short(value: Any) -> str:
    """A value as Python writes it, cut where it would drown the message."""
    text = repr(value)
    return text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 3]}..."


def assigned(values: Mapping[str, float | str]) -> str:
    """``temperature = 20.5, solvent = water``, numbers to six digits."""
    return ", ".join(
        f"{name} = {value if isinstance(value, str) else format(value, '.6g')}"
        for name, value in values.items()
    )


def several(count: int, thing: str) -> str:
    """``1 row``, ``2 rows``."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
