"""Dataframes of any library, NumPy's records and dicts of columns, read in one place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from equiwarp.exceptions import InvalidInput


def columns_of(data: Any, series: bool = False, unnamed: str = "y") -> dict[str, Any] | None:
    """Columns by name of a mapping, a dataframe or a list of dicts; None for plain arrays, lists and numbers.

    Names become texts. With ``series``, a single column of a dataframe counts too, called ``unnamed`` if it
    has no name, or one that is no text: it is then its place in a frame that nobody named the columns of.
    """
    if isinstance(data, Mapping):
        return _by_name(data.items(), "a dict")
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
        # Not frame[name]: that is a row where the name is a number.
        return _by_name(((name, _cells(frame.get_column(name))) for name in frame.columns), "a frame")
    if series and isinstance(frame, nw.Series):
        return {frame.name if isinstance(frame.name, str) and frame.name else unnamed: _cells(frame)}
    return None


def _by_name(columns: Iterable[tuple[Any, Any]], what: str) -> dict[str, Any]:
    """Columns by the text of their names; refused if two have the same."""
    found: dict[str, Any] = {}
    for name, column in columns:
        if str(name) in found:
            raise InvalidInput(f"{what} has columns of the same name ({str(name)!r}); rename or drop one")
        found[str(name)] = column
    return found


def _cells(series: Any) -> Any:
    """The cells of a column; None where the frame has nothing, in the library's own word for it."""
    cells = series.to_numpy()
    return np.where(series.is_null().to_numpy(), None, cells) if cells.dtype == object else cells


def labelled(series: Any) -> dict[str, Any] | None:
    """The values of a series by the texts in its index; None if it has no index of texts, or one twice."""
    import narwhals as nw

    found = nw.from_native(series, allow_series=True, pass_through=True)
    index = nw.maybe_get_index(found) if isinstance(found, nw.Series) else None
    labels = [] if index is None else list(index)
    if not labels or len(set(labels)) < len(labels) or not all(isinstance(label, str) for label in labels):
        return None
    return dict(zip(labels, found.to_numpy(), strict=True))
