"""Measured values at the campaign's door: one number, several by name or in order, with or without noise.

Only finite numbers of a size that can be squared pass. Text is never guessed to be a number. Unless the
responses were named when the campaign began, the first value decides what they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from equiwarp._util.text import short, unstorable
from equiwarp.domains import Array
from equiwarp.engine.reading import read_values
from equiwarp.exceptions import InvalidInput
from equiwarp.store import CampaignRecord, CampaignTransaction
from equiwarp.tables.cells import LARGEST


def one_number(value: Any, what: str) -> float:
    """A finite float of usable size, or a ``ValueError`` that names the value and its place."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise InvalidInput(f"{what}: {value!r} is not a number{_hint(value)}")
    try:
        number = float(value)
    except OverflowError:
        raise InvalidInput(f"{what}: {short(value)} is beyond ±{LARGEST:g}; use a larger unit") from None
    if not math.isfinite(number):
        raise InvalidInput(
            f"{what}: {number} is not a finite number; if there is no value, tell that the experiment failed"
        )
    if abs(number) > LARGEST:
        raise InvalidInput(f"{what}: {number:g} is beyond ±{LARGEST:g}; use a larger unit")
    return number


def _hint(value: Any) -> str:
    if isinstance(value, str) and value.replace(",", ".", 1).strip().lstrip("+-").replace(".", "").isdigit():
        return "; write it without quotes and with a decimal point"
    return ""


def read_value(value: Any, names: Sequence[str], what: str = "value") -> tuple[tuple[str, ...], list[float]]:
    """Response names and values of one experiment; empty ``names`` are fixed by what is given."""
    if isinstance(value, Mapping):
        given = {str(key): entry for key, entry in value.items()}
        order = tuple(names) or tuple(given)
        _same_names(order, tuple(given), what)
        return order, [one_number(given[name], f"{what}, {name}") for name in order]
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes) and np.ndim(value):
        entries = list(value)
        order = tuple(names) or numbered(len(entries))
        if len(entries) != len(order) or not entries:
            raise InvalidInput(
                f"{what}: {len(entries)} values for {len(order)} responses {list(order)}; give one for each"
            )
        return order, [one_number(v, f"{what}, {name}") for name, v in zip(order, entries, strict=True)]
    order = tuple(names) or numbered(1)
    if len(order) != 1:
        raise InvalidInput(f"{what}: one number for {len(order)} responses; give a dict with {list(order)}")
    return order, [one_number(value, what)]


def numbered(k: int) -> tuple[str, ...]:
    """Names for responses that were not given any."""
    return ("value",) if k == 1 else tuple(f"value{j + 1}" for j in range(k))


def _same_names(expected: tuple[str, ...], given: tuple[str, ...], what: str) -> None:
    for name in expected:
        if name not in given:
            raise InvalidInput(f"{what}: no value for response {name!r}; given are {list(given)}")
    for name in given:
        if name not in expected:
            raise InvalidInput(f"{what}: unknown response {name!r}; the campaign has {list(expected)}")


def read_deviations(noise: Any, names: Sequence[str], what: str = "noise") -> list[float] | None:
    """Standard deviations, one per response; a single number holds for all. None: not known."""
    if noise is None:
        return None
    if isinstance(noise, Real) and not isinstance(noise, bool):
        noise = [noise] * max(len(names), 1)
    _, deviations = read_value(noise, names, what)
    for deviation in deviations:
        if deviation < 0:
            raise InvalidInput(f"{what}: {deviation:g} is negative; a standard deviation is at least 0")
    return deviations


def read_value_table(values: Any, n: int, names: Sequence[str]) -> tuple[tuple[str, ...], Array]:
    """Values of many experiments: column names and ``(n, k)``, checked entry by entry."""
    if isinstance(values, Mapping):
        columns = {str(key): column for key, column in values.items()}
        order = tuple(names) or tuple(columns)
        _same_names(order, tuple(columns), "values")
        values = {name: columns[name] for name in order}
    else:
        order = tuple(names)
    table = read_values(values, n)
    order = order or numbered(table.shape[1])
    if table.shape[1] != len(order):
        raise InvalidInput(
            f"values have {table.shape[1]} columns for {len(order)} responses {list(order)}; "
            "give one column for each"
        )
    for row, column in np.argwhere(np.abs(table) > LARGEST)[:1]:
        raise InvalidInput(
            f"values, row {row}, {order[column]}: {table[row, column]:g} is beyond ±{LARGEST:g}; "
            "use a larger unit"
        )
    return order, table


def open_names(campaign: CampaignRecord) -> tuple[str, ...]:
    """Names that values must have; empty as long as the first value may decide."""
    return campaign.responses if campaign.settled else ()


def fix_names(transaction: CampaignTransaction, names: tuple[str, ...]) -> None:
    """The first value decides what the responses are."""
    settings = transaction.look().settings
    if settings["settled"]:
        return
    for name in names:
        if unstorable(name):
            raise InvalidInput(f"response {name!r} holds characters that cannot be stored; rename it")
    known = settings["responses"][0]
    responses = [{**known, "name": name} for name in names]
    transaction.set_settings({**settings, "responses": responses, "settled": True})
