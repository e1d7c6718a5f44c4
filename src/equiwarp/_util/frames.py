"""Dataframes of any library and dicts of columns, read in one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def columns_of(data: Any, series: bool = False, unnamed: str = "y") -> dict[str, Any] | None:
    """Columns by name of a mapping or a dataframe; None for plain arrays, lists and numbers.

    With ``series``, a single column of a dataframe counts too, called ``unnamed`` if it has no name.
    """
    if isinstance(data, Mapping):
        return {str(name): column for name, column in data.items()}
    if isinstance(data, np.ndarray | list | tuple) or np.isscalar(data) or data is None:
        return None
    import narwhals as nw  # takes a moment to load, and most callers pass arrays

    frame = nw.from_native(data, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return {name: frame[name].to_numpy() for name in frame.columns}
    if series and isinstance(frame, nw.Series):
        return {frame.name or unnamed: frame.to_numpy()}
    return None
