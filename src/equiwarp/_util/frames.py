"""Dataframes of any library, NumPy's records and dicts of columns, read in one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from equiwarp.exceptions import InvalidInput


def columns_of(data: Any, series: bool = False, unnamed: str = "y") -> dict[str, Any] | None:
    """Columns by name of a mapping, a dataframe or a list of dicts; None for plain arrays, lists and numbers.

    With ``series``, a single column of a dataframe counts too, called ``unnamed`` if it has no name.
    """
    if isinstance(data, Mapping):
        return {str(name): column for name, column in data.items()}
    if isinstance(data, np.ndarray) and data.dtype.names:  # as np.genfromtxt(names=True) reads a file
        return {name: data[name] for name in data.dtype.names}
    if isinstance(data, list | tuple) and data and all(isinstance(row, Mapping) for row in data):
        names = dict.fromkeys(str(name) for row in data for name in row)
        rows = [{str(name): value for name, value in row.items()} for row in data]
        return {name: [row.get(name) for row in rows] for name in names}
    if isinstance(data, np.ndarray | list | tuple) or np.isscalar(data) or data is None:
        return None
    import narwhals as nw  # takes a moment to load, and most callers pass arrays

    try:
        frame = nw.from_native(data, eager_only=True, allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        twice = " ".join(str(error).split()).rpartition(": - ")[2]
        raise InvalidInput(f"a frame has columns of the same name ({twice}); rename or drop one") from None
    if hasattr(frame, "collect") and hasattr(frame, "collect_schema"):
        raise InvalidInput(
            f"{type(data).__name__}: rows of a lazy frame are not there yet; collect() it first"
        )
    if isinstance(frame, nw.DataFrame):
        return {name: frame[name].to_numpy() for name in frame.columns}
    if series and isinstance(frame, nw.Series):
        return {frame.name or unnamed: frame.to_numpy()}
    return None


def labelled(series: Any) -> dict[str, Any] | None:
    """The values of a series by the texts in its index; None if it has no index of texts, or one twice."""
    import narwhals as nw

    found = nw.from_native(series, allow_series=True, pass_through=True)
    index = nw.maybe_get_index(found) if isinstance(found, nw.Series) else None
    labels = [] if index is None else list(index)
    if not labels or len(set(labels)) < len(labels) or not all(isinstance(label, str) for label in labels):
        return None
    return dict(zip(labels, found.to_numpy(), strict=True))
