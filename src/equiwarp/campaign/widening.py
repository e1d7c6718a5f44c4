"""More room for a campaign: wider bounds, more levels or categories of a parameter, more rows of a list.

What was handed out stays inside, so nothing can be taken away.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from equiwarp._util.arguments import items_of, number
from equiwarp._util.text import short
from equiwarp.campaign.changing import Edition, edit, rebuilt, require_known
from equiwarp.campaign.context import CampaignContext
from equiwarp.domains import Domain
from equiwarp.engine.reading import read_points
from equiwarp.exceptions import InvalidInput
from equiwarp.spec import CampaignSpec
from equiwarp.store import CampaignRecord
from equiwarp.tables.columns import CampaignColumns
from equiwarp.tables.grid import Table
from equiwarp.tables.table import numbers

#: What the data of a domain says of one part of it: a parameter, a list.
DomainPart = Mapping[str, Any]


def widen(
    context: CampaignContext,
    parameter: str,
    low: float | None = None,
    high: float | None = None,
    add: Sequence[float | str] | None = None,
) -> None:
    """Wider bounds of a parameter, or more of its settings; what was measured outside may be inside now."""
    more = None if add is None else items_of([add] if isinstance(add, str | int | float) else add, "add")

    def change(campaign: CampaignRecord, spec: CampaignSpec) -> Edition:
        require_known(parameter, spec.domain.names, "parameter")
        row = _part(campaign.domain, lambda data: data.get("name") == parameter)
        if more is not None and (low is not None or high is not None):
            raise InvalidInput(f"{parameter}: give bounds, or settings to add, not both")
        wide = _wider(parameter, row, {"low": low, "high": high}) if more is None else None
        wide = _with_settings(parameter, row, more) if wide is None and more is not None else wide
        said = {"before": _room(row), "after": _room(wide or {})}
        return _edition(campaign, spec, row, wide or {}, {"parameter": parameter, **said})

    edit(context, change)


def widen_list(context: CampaignContext, rows: Any) -> None:
    """More rows of the list of candidates."""
    from equiwarp.spec.domains import domain_from_dict

    def change(campaign: CampaignRecord, spec: CampaignSpec) -> Edition:
        old = _part(campaign.domain, lambda data: data.get("type") == "candidates")
        if not old:
            raise InvalidInput("the domain has no list of candidates; widen one of its parameters")
        new = read_points(domain_from_dict(dict(old)), rows, "rows", inside=False)
        known = {tuple(row) for row in old["rows"]}
        more = [row for row in dict.fromkeys(map(tuple, new.tolist())) if row not in known]
        if not more:
            raise InvalidInput(f"all {len(new)} rows are on the list of candidates already")
        wide = {**old, "rows": [*old["rows"], *map(list, more)]}
        said = {"rows": len(more), "before": len(old["rows"]), "after": len(wide["rows"])}
        return _edition(campaign, spec, old, wide, said)

    edit(context, change)


def listed_names(domain: Domain) -> list[str]:
    """The parameters whose settings are the rows of a list of candidates."""
    return [row["name"] for row in domain.describe() if row["kind"] == "listed"]


def rows_of_table(domain: Domain, table: Table) -> dict[str, Any]:
    """More rows of the list of candidates from a table that people typed, by column."""
    names = listed_names(domain)
    table.require_rows()
    found = numbers(CampaignColumns.of(domain, ()).matched(table), names)
    return {name: found[:, j] for j, name in enumerate(names)}


def _edition(
    campaign: CampaignRecord, spec: CampaignSpec, old: DomainPart, new: DomainPart, said: dict[str, Any]
) -> Edition:
    domain = rebuilt(campaign, _replaced(campaign.domain, old, new))
    return Edition(dataclasses.replace(spec, domain=domain, stored=True), "widened", said)


def _part(data: Any, wanted: Callable[[DomainPart], bool]) -> DomainPart:
    """The first part of a domain's data of which this is true; empty if there is none."""
    if isinstance(data, Mapping) and wanted(data):
        return data
    parts = data.values() if isinstance(data, Mapping) else data if isinstance(data, list) else ()
    return next((found for part in parts if (found := _part(part, wanted))), {})


def _replaced(data: Any, old: DomainPart, new: DomainPart) -> Any:
    """The same data with another part instead of this one."""
    if data is old:
        return dict(new)
    if isinstance(data, list):
        return [_replaced(part, old, new) for part in data]
    if isinstance(data, Mapping):
        return {key: _replaced(part, old, new) for key, part in data.items()}
    return data


def _room(row: DomainPart) -> Any:
    """What the event says of a parameter: its bounds, levels or categories."""
    return row.get("categories") or row.get("levels") or [row.get("low"), row.get("high")]


def _with_settings(name: str, row: DomainPart, more: Sequence[Any]) -> dict[str, Any]:
    """More levels or categories. New categories come last: experiments know theirs by its number."""
    if not more:
        raise InvalidInput(f"{name}: give at least one setting to add")
    if row.get("categories") is not None:
        texts = [value.strip() if isinstance(value, str) else value for value in more]
        _require_new(name, texts, row["categories"])
        return {**row, "categories": [*row["categories"], *texts]}
    if row.get("levels") is None:
        raise InvalidInput(f"{name} has no list of settings to add to; move its bounds instead")
    levels = [number(value, f"{name}, a level") for value in more]
    _require_new(name, levels, row["levels"])
    wide = {**row, "levels": sorted([*row["levels"], *levels])}
    # An angle keeps its period.
    ends = {} if row.get("periodic") else {"low": min(row["low"], *levels), "high": max(row["high"], *levels)}
    return {**wide, **ends}


def _require_new(name: str, more: Sequence[Any], known: Sequence[Any]) -> None:
    for value in more:
        if value in known:
            raise InvalidInput(f"{name} has the setting {short(value)} already; leave it out")


def _wider(name: str, row: DomainPart, wanted: Mapping[str, float | None]) -> dict[str, Any]:
    if all(value is None for value in wanted.values()):
        raise InvalidInput(f"{name}: give a lower or an upper bound, or settings to add")
    if row.get("levels") is not None or row.get("categories") is not None:
        raise InvalidInput(
            f"{name} has a list of settings and no bounds to move; add to the list (add, --add)"
        )
    if not row:
        raise InvalidInput(f"{name} belongs to a list of candidates; add rows to the list instead")
    if row.get("periodic"):
        raise InvalidInput(f"{name} is an angle: its bounds are its period and cannot be widened")
    wide = dict(row)
    for bound, value in wanted.items():
        if value is None:
            continue
        if row.get(bound) is None:
            raise InvalidInput(f"{name} has no bound {bound!r} to widen")
        new = number(value, f"{name}, the bound {bound}")
        if not (new <= row["low"] if bound == "low" else new >= row["high"]):
            raise InvalidInput(
                f"{name}: the bound {bound} can move outwards from {row[bound]:g} only, not to {new:g}; what "
                "was handed out must stay inside"
            )
        wide[bound] = new
    step = row.get("step")
    if step and abs((shift := (row["low"] - wide["low"]) / step) - round(shift)) > 1e-9:
        raise InvalidInput(
            f"{name}: from {wide['low']:g}, steps of {step:g} do not lead to {row['low']:g}; move the lower "
            "bound by whole steps"
        )
    moved = wide["high"] != row["high"]
    if step and moved and abs((count := (wide["high"] - wide["low"]) / step) - round(count)) > 1e-9:
        last = wide["low"] + math.floor(count) * step
        raise InvalidInput(
            f"{name}: steps of {step:g} lead to {last:g} and to {last + step:g}, not to {wide['high']:g}; "
            "move the upper bound by whole steps"
        )
    return wide
