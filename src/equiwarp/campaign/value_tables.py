"""Values of many experiments at the campaign's door: arrays, columns by name, and limits such as ``<0.5``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.frames import columns_of
from equiwarp._util.text import listed
from equiwarp.campaign.responses import read_limit, same_names
from equiwarp.domains import Array
from equiwarp.engine.naming import numbered, read_named_noise
from equiwarp.engine.reading import read_noise, read_values, require_unmasked
from equiwarp.exceptions import InvalidInput
from equiwarp.tables.cells import LIMIT_SIGNS, is_blank, read_number, with_plain_sign


@dataclass(frozen=True)
class ReadTable:
    """Values of n experiments.

    Attributes
    ----------
    names : tuple of str
        The k responses.
    values : (n, k) array
        NaN is a response that was not measured.
    signs : (n, k) array of str
        ``<`` or ``>`` where the value is a limit, else empty.
    """

    names: tuple[str, ...]
    values: Array
    signs: NDArray[np.str_]


def read_value_table(values: Any, n: int, names: Sequence[str]) -> ReadTable:
    """Values of many experiments, checked entry by entry; columns that have names are matched by them."""
    columns = columns_of(values, series=True, unnamed="")
    if columns is not None and "" not in columns:
        order = tuple(names) or tuple(columns)
        same_names(order, tuple(columns), "values")
        parts = [_without_limits(columns[name], f"values, {name}") for name in order]
        named = {name: part[0] for name, part in zip(order, parts, strict=True)}
        table = read_values(named, n, missing=True, what="values", names=order)
        signs = np.column_stack([_signs(part[1], n, 1) for part in parts])
    else:
        given = values if columns is None else columns[""]
        plain, limits = _without_limits(given, "values")
        table = read_values(plain, n, missing=True, what="values", names=tuple(names))
        order = tuple(names) or numbered(table.shape[1])
        signs = _signs(limits, *table.shape)
    if table.shape[1] != len(order):
        raise InvalidInput(
            f"values have {table.shape[1]} columns for {len(order)} responses {listed(order)}; "
            "give one column for each"
        )
    return ReadTable(order, table, signs)


def _without_limits(values: Any, what: str) -> tuple[Any, NDArray[np.str_] | None]:
    """The values with each limit as its number, and their signs; None if there is no limit.

    None among them is a response that was not measured.
    """
    require_unmasked(values, what)
    if isinstance(values, np.ndarray) and values.dtype.kind not in "OUST":
        return values, None
    try:
        cells = np.array(values, dtype=object)
    except ValueError:  # rows of different lengths, which the reader of numbers names
        return values, None
    typed = {place: cell.strip() for place, cell in np.ndenumerate(cells) if isinstance(cell, str)}
    texts = {place: with_plain_sign(text) for place, text in typed.items()}
    missing = [place for place, cell in np.ndenumerate(cells) if cell is None]
    for place in missing:
        cells[place] = np.nan
    if not any(text.startswith(LIMIT_SIGNS) for text in texts.values()):
        return (cells if missing else values), None
    signs = np.full(cells.shape, "", dtype="U1")
    for place, text in texts.items():
        signs[place] = text[0] if text.startswith(LIMIT_SIGNS) else ""
        cells[place] = _number(text, ", ".join([what, *_words(place)]))
    return cells, signs


def _number(text: str, place: str) -> float:
    """A text beside limits: they make texts of a whole column, in which the others are numbers or missing."""
    if text.startswith(LIMIT_SIGNS):
        return read_limit(text, place)
    return np.nan if is_blank(text) else read_number(text, place)


def _words(place: tuple[int, ...]) -> list[str]:
    """``row 3``, ``column 0``, counted from 0 as Python does."""
    return [f"{name} {i}" for name, i in zip(("row", "column"), place, strict=False)]


def _signs(signs: NDArray[np.str_] | None, n: int, k: int) -> NDArray[np.str_]:
    return np.full((n, k), "", dtype="U1") if signs is None else signs.reshape(n, k)


@dataclass(frozen=True)
class NoiseOfSome:
    """Deviations ``(n, k)`` from a file, of which some cells were empty: NaN where none is known.

    In an array of somebody's own, NaN is refused: it is more likely a mistake than an empty cell.
    """

    table: Array


def read_noise_table(noise: Any, y: Array, names: tuple[str, ...]) -> Array | None:
    """Deviations of many values, ``(n, k)``; columns that have names are matched by them."""
    if not isinstance(noise, NoiseOfSome):
        return read_named_noise(noise, y, names)
    known = ~np.isnan(noise.table)
    table = read_noise(np.where(known, noise.table, 0.0), y)
    return None if table is None else np.where(known, table, np.nan)
