"""The gate for user input: arrays, lists, dicts of columns and dataframes in, checked float arrays out.

An :class:`~equiwarp.exceptions.InvalidInput` names the value, its place and the remedy. Behind this gate
nothing is checked again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from equiwarp._util.frames import columns_of
from equiwarp.domains import Array, Domain
from equiwarp.exceptions import InvalidInput


def read_points(domain: Domain, x: Any, what: str = "points", inside: bool = True) -> Array:
    """User input to an ``(n, columns)`` array of points; ``inside`` also requires the domain's bounds."""
    points = _columns(domain, x, what)
    _require_finite(points, what, domain.names)
    if inside:
        for row in np.flatnonzero(~domain.contains(points))[:1]:
            raise InvalidInput(
                f"{what}, row {row}: {domain.problem(points[row])}; correct the value or widen the domain"
            )
    return points


def read_values(y: Any, n: int) -> Array:
    """User input to an ``(n, k)`` array of finite values."""
    columns = _named_columns(y)
    if columns is not None:
        y = np.column_stack([_floats(v, f"y, column {k!r}") for k, v in columns.items()])
    values = _floats(y, "y")
    if values.ndim == 0:
        values = values[None]
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or len(values) != n:
        raise InvalidInput(
            f"y has shape {values.shape}, but x has {n} rows: give one value (or one row) per point"
        )
    if values.shape[1] == 0:
        raise InvalidInput("y has no column: give at least one response")
    _require_finite(values, "y", tuple(f"response {j}" for j in range(values.shape[1])))
    return values


def read_noise(noise: Any, y: Array) -> Array | None:
    """A scalar, one deviation per response, per point, or per value, as an ``(n, k)`` array."""
    if noise is None:
        return None
    given = _floats(noise, "noise")
    n, k = y.shape
    if given.ndim == 1 and given.shape == (n,) and n != k:
        given = given[:, None]
    try:
        full = np.broadcast_to(given, (n, k))
    except ValueError:
        raise InvalidInput(
            f"noise has shape {given.shape}; give one number, {k} (one per response), "
            f"{n} (one per point) or an array of shape {(n, k)}"
        ) from None
    if not np.isfinite(given).all() or (given < 0).any():
        raise InvalidInput(
            f"noise must be a standard deviation of at least 0, got {given.min():g}; None estimates it"
        )
    return np.array(full)


def _named_columns(data: Any) -> dict[str, Any] | None:
    """Columns by name of whatever has names; None for plain arrays and lists, the rule."""
    return None if isinstance(data, np.ndarray | list | tuple) else columns_of(data, series=True)


def _columns(domain: Domain, x: Any, what: str) -> Array:
    columns = _named_columns(x)
    if columns is not None:
        missing = [name for name in domain.names if name not in columns]
        if missing:
            raise InvalidInput(f"{what} has no column {missing[0]!r}; its columns are {list(columns)}")
        arrays = [_floats(columns[name], f"{what}, column {name!r}") for name in domain.names]
        if len({len(np.atleast_1d(a)) for a in arrays}) > 1:
            raise InvalidInput(
                f"{what}: the columns differ in length, {[len(np.atleast_1d(a)) for a in arrays]}"
            )
        return np.column_stack([np.atleast_1d(a) for a in arrays])
    points = _floats(x, what)
    if points.size == 0:
        return np.empty((0, domain.columns))
    if points.ndim == 1 and domain.columns == 1:
        points = points[:, None]
    if points.ndim != 2 or points.shape[1] != domain.columns:
        raise InvalidInput(
            f"{what} has shape {points.shape}, expected (n, {domain.columns}): "
            f"one row per point, columns {list(domain.names)}"
        )
    return points


def _floats(values: Any, what: str) -> Array:
    try:
        array = np.asarray(values)
        if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
            array = np.asarray(values, dtype=object)  # one text turns a whole list into texts
        if array.dtype.kind in "OUSmM":
            _name_the_text(array, what)
        return np.array(array, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"{what}: {error}" if what not in str(error) else str(error)) from None


def _name_the_text(array: Any, what: str) -> None:
    """Point at the first entry that is not a number; text is never guessed to be one."""
    for place, value in np.ndenumerate(array):
        if isinstance(value, str | bytes) or not np.isscalar(value):
            where = ", ".join(f"{n} {i}" for n, i in zip(("row", "column"), place, strict=False))
            shown = str(value) if isinstance(value, str) else value
            raise InvalidInput(f"{what}, {where}: {shown!r} is not a number")


def _require_finite(array: Array, what: str, names: tuple[str, ...]) -> None:
    for row, column in np.argwhere(~np.isfinite(array))[:1]:
        raise InvalidInput(
            f"{what}, row {row}, {names[column]}: {array[row, column]} is not a finite number; "
            "leave the row out or mark the experiment as failed"
        )
