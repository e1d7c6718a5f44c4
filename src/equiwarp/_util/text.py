"""Words for messages: values shortened, things counted."""

from __future__ import annotations

from typing import Any

#: Longest value that a message quotes in full.
LONGEST = 60


def short(value: Any) -> str:
    """A value as Python writes it, cut where it would drown the message."""
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def several(count: int, thing: str) -> str:
    """``1 row``, ``2 rows``."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
