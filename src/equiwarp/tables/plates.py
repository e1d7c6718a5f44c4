"""Plates: the table of experiments that a scientist takes to the bench, fills in and brings back.

``id``, one column per parameter, one empty column per response, and ``failed`` for a reason. A plate
comes back whole or not at all: every cell is checked before the first value is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from equiwarp.campaign.responses import LARGEST
from equiwarp.domains import Array, Domain
from equiwarp.exceptions import TableError
from equiwarp.tables.table import Table, number, numbers, write_table

if TYPE_CHECKING:
    from equiwarp.campaign import Campaign
    from equiwarp.campaign.experiment import Experiment

#: How far a setting on a returned plate may be from what was handed out, as a share of the domain.
MOVED = 1e-3


@dataclass(frozen=True)
class Filled:
    """What a returned plate says.

    Attributes
    ----------
    told : list of (id, values by response, noise by response or None)
    failed : list of (id, reason)
    open : list of id
        Rows without a value, which stay pending.
    """

    told: list[tuple[int, dict[str, float], dict[str, float] | None]]
    failed: list[tuple[int, str]]
    open: list[int]


def columns(campaign: Campaign) -> list[str]:
    """Header of a plate."""
    return ["id", *campaign.domain.names, *campaign.responses, "failed"]


def write_plate(file: Any, campaign: Campaign, experiments: Sequence[Experiment]) -> None:
    """A plate with empty cells for what is to be measured."""
    write_table(file, columns(campaign), ({"id": e.id, **e.point} for e in experiments))


def experiment_row(e: Experiment) -> dict[str, Any]:
    """One flat row per experiment."""
    noise = {f"noise {name}": value for name, value in (e.noise or {}).items()}
    about = {"state": e.state, "origin": e.origin, "inside": e.inside, "reason": e.reason}
    return {
        "id": e.id,
        **e.point,
        **(e.values or {}),
        **noise,
        **about,
        "created": e.created,
        "since": e.since,
    }


def export_columns(c: Campaign, found: Sequence[Experiment]) -> list[str]:
    """Header of an export; noise only where some of these values have their own."""
    noise = [f"noise {name}" for name in c.responses] if any(e.noise for e in found) else []
    about = ["state", "origin", "inside", "reason", "created", "since"]
    return ["id", *c.domain.names, *c.responses, *noise, *about]


def read_plate(campaign: Campaign, table: Table) -> Filled:
    """A returned plate, checked cell by cell; one wrong cell raises :class:`TableError`."""
    responses = campaign.responses
    _require(table, ("id", *responses))
    handed = {e.id: e for e in campaign.experiments()}
    told: list[tuple[int, dict[str, float], dict[str, float] | None]] = []
    failed: list[tuple[int, str]] = []
    still_open: list[int] = []
    seen: dict[int, int] = {}
    for i in range(len(table.rows)):
        cells = table.cells(i)
        id = _read_id(table, i, cells["id"], handed, seen)
        _same_settings(table, i, cells, campaign.domain, handed[id])
        values = {name: cells[name] for name in responses}
        if cells.get("failed"):
            _no_value_too(table, i, values)
            failed.append((id, cells["failed"]))
        elif not any(values.values()):
            still_open.append(id)
        else:
            measured = {name: _measured(text, table.where(i, name)) for name, text in values.items()}
            told.append((id, measured, _read_noise(table, i, cells, responses)))
    return Filled(told, failed, still_open)


def read_measurements(campaign: Campaign, table: Table) -> tuple[Array, Array, Array | None]:
    """Points ``(m, columns)``, values ``(m, k)`` and noise of measurements made elsewhere, for ``add``."""
    names, responses = campaign.domain.names, campaign.responses
    _require(table, (*names, *responses))
    if not table.rows:
        raise TableError(f"{table.source}: there is no row below the header")
    x, y = numbers(table, names), numbers(table, responses)
    for row, column in np.argwhere(np.abs(y) > LARGEST)[:1]:
        raise TableError(f"{table.where(row, responses[column])}: {_too_large(y[row, column])}")
    own = [_noise_column(name, responses, table) for name in responses]
    if not any(own):
        return x, y, None
    missing = next((r for r, column in zip(responses, own, strict=True) if column is None), None)
    if missing is not None:
        raise TableError(
            f"{table.source}: no noise column for {missing!r}; add one, or leave all of them out"
        )
    noise = numbers(table, [column for column in own if column])
    for row, column in np.argwhere(noise < 0)[:1]:
        raise TableError(f"{table.where(row, own[column] or '')}: {noise[row, column]:g} is negative")
    return x, y, noise


def _require(table: Table, wanted: Sequence[str]) -> None:
    for name in wanted:
        if name not in table.names:
            raise TableError(f"{table.source}: no column {name!r}; it has {', '.join(table.names)}")


def _read_id(table: Table, i: int, text: str, handed: dict[int, Experiment], seen: dict[int, int]) -> int:
    where = table.where(i, "id")
    # Spreadsheets turn 7 into 7.0.
    value = number(text, where)
    if value != int(value) or int(value) not in handed:
        raise TableError(f"{where}: there is no experiment {text} in this campaign")
    id = int(value)
    if id in seen:
        raise TableError(f"{where}: experiment {id} is on line {table.lines[seen[id]]} already")
    seen[id] = i
    return id


def _same_settings(
    table: Table, i: int, cells: dict[str, str], domain: Domain, experiment: Experiment
) -> None:
    """A plate whose settings were changed or sorted apart from their ids would put values in wrong places."""
    given = [name for name in domain.names if name in cells]
    point = dict(experiment.point)
    for name in given:
        point[name] = number(cells[name], table.where(i, name))
    before = np.array([list(experiment.point.values())])
    for name in given:
        changed = np.array([list({**experiment.point, name: point[name]}.values())])
        with np.errstate(all="ignore"):
            apart = np.linalg.norm(domain.embed(changed) - domain.embed(before))
        if not apart <= MOVED:
            raise TableError(
                f"{table.where(i, name)}: {cells[name]} is not the setting of experiment {experiment.id}, "
                f"{experiment.point[name]:.6g}; correct it, or add the measurement as a new one"
            )


def _no_value_too(table: Table, i: int, values: dict[str, str]) -> None:
    for name, text in values.items():
        if text:
            raise TableError(f"{table.where(i, name)}: {text!r}, but the row is marked as failed; clear one")


def _measured(text: str, where: str) -> float:
    value = number(text, where)
    if abs(value) > LARGEST:
        raise TableError(f"{where}: {_too_large(value)}")
    return value


def _too_large(value: float) -> str:
    return f"{value:g} is beyond ±{LARGEST:g}; use a larger unit"


def _read_noise(
    table: Table, i: int, cells: dict[str, str], responses: tuple[str, ...]
) -> dict[str, float] | None:
    """Noise of this row: in ``noise`` (one response) or ``noise <response>``; None where it is not given."""
    found: dict[str, float] = {}
    for name in responses:
        column = _noise_column(name, responses, table)
        if column is None or not cells[column]:
            continue
        found[name] = number(cells[column], table.where(i, column))
        if found[name] < 0:
            raise TableError(f"{table.where(i, column)}: {cells[column]} is negative")
    if found and len(found) < len(responses):
        missing = next(name for name in responses if name not in found)
        raise TableError(f"{table.source}, line {table.lines[i]}: noise for {missing!r} is missing")
    return found or None


def _noise_column(response: str, responses: Sequence[str], table: Table) -> str | None:
    if f"noise {response}" in table.names:
        return f"noise {response}"
    return "noise" if len(responses) == 1 and "noise" in table.names else None
