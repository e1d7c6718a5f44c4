"""What a campaign exports: its experiments and its events, each as one table for every face."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from equiwarp.campaign import looking
from equiwarp.campaign.campaign import Campaign
from equiwarp.campaign.experiment import Experiment
from equiwarp.store import ExperimentState
from equiwarp.tables.noise_columns import noise_name
from equiwarp.tables.sheets import Sheet


@dataclass(frozen=True)
class Export:
    """The header, and a row per experiment or event; a row may lack columns, which are then empty."""

    columns: list[str]
    rows: list[dict[str, Any]]

    def sheet(self, name: str) -> Sheet:
        """The same as a sheet of an Excel file."""
        return Sheet(name, self.columns, [[row.get(column) for column in self.columns] for row in self.rows])


def export_experiments(campaign: Campaign, states: Sequence[ExperimentState] | None = None) -> Export:
    """All experiments, or those in some states; noise columns only where some value has its own."""
    found, responses = campaign._do(looking.table, states)
    noise = [noise_name(response) for response in responses] if any(e.noise for e in found) else []
    named = ["id", *campaign.domain.names, *responses, *noise]
    # A campaign that was begun before a column of ours had its name keeps its own.
    about = ["state", "origin", "inside", "reason", "created", "since", *_used(campaign, found)]
    columns = [*named, *(name for name in about if name not in named)]
    return Export(columns, [_experiment_row(e) for e in found])


def _used(campaign: Campaign, found: Sequence[Experiment]) -> list[str]:
    """Columns of what only some campaigns record."""
    used = [*campaign.spec.blocks]
    for name in ("sample", "repeats", "notes"):
        used += [name] if any(getattr(e, name) for e in found) else []
    moved = {name for e in found for name, value in (e.asked or {}).items() if value != e.point[name]}
    return used + [f"asked {name}" for name in campaign.domain.names if name in moved]


def _experiment_row(e: Experiment) -> dict[str, Any]:
    noise = {noise_name(response): value for response, value in (e.noise or {}).items()}
    about = {"state": e.state, "origin": e.origin, "inside": e.inside, "reason": e.reason}
    since = {"created": e.created, "since": e.since}
    more = {"sample": e.sample or None, "repeats": e.repeats, "notes": "; ".join(e.notes) or None, **e.block}
    asked = {f"asked {name}": value for name, value in (e.asked or {}).items()}
    return {**more, **asked, **about, **since, "id": e.id, **e.point, **e.shown, **noise}


def export_events(campaign: Campaign) -> Export:
    """All events, oldest first; ``detail`` is data, which tables write as JSON."""
    columns = ["id", "at", "who", "what", "experiment", "detail"]
    return Export(columns, [vars(event) for event in campaign.events()])
