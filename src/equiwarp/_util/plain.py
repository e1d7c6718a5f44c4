"""Data as JSON knows it, for whoever writes JSON: the command line, the page and its API."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def plain(data: Any) -> Any:
    """Data with numpy numbers, tuples and non-finite floats replaced by what JSON knows."""
    if isinstance(data, Mapping):
        return {str(key): plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [plain(value) for value in data]
    if hasattr(data, "item"):
        data = data.item()
    return None if isinstance(data, float) and not math.isfinite(data) else data
