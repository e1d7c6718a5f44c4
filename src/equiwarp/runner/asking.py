"""Asking for the next experiments within the budget, beside the run."""

from __future__ import annotations

from equiwarp._util.side_by_side import side_by_side
from equiwarp.campaign import Campaign, Experiment
from equiwarp.exceptions import Exhausted
from equiwarp.store.records import ExperimentState

#: States of experiments that use up the budget.
COUNTED: tuple[ExperimentState, ...] = ("done", "failed", "pending")


def ask_within(campaign: Campaign, n: int, budget: int | None) -> list[Experiment]:
    """Up to n experiments: fewer at the end of the budget or of the domain, none if there is nothing left."""
    if budget is not None:
        n = min(n, budget - _spent(campaign))
    while n > 0:
        try:
            with side_by_side():  # linear algebra has one thread in a run
                found = campaign.ask(n)
        except Exhausted:
            n //= 2  # of a list, fewer may be left
        else:
            return found if budget is None else _within(campaign, found, budget)
    return []


def left_of(campaign: Campaign, budget: int | None) -> int | None:
    """How many experiments of the budget are still to come; None if there is none, or nothing left of it."""
    return None if budget is None else max(0, budget - _spent(campaign)) or None


def _spent(campaign: Campaign) -> int:
    """Experiments that count: measured, failed or handed out, but not those added from elsewhere."""
    status = campaign.status()
    if status.added and status.counts["withdrawn"]:  # what was added may be withdrawn
        return len(_counted(campaign))
    return sum(status.counts[state] for state in COUNTED) - status.added


def _counted(campaign: Campaign) -> list[int]:
    """The ids of experiments that count."""
    return [e.id for e in campaign.experiments(COUNTED) if e.origin != "added"]


def _within(campaign: Campaign, found: list[Experiment], budget: int) -> list[Experiment]:
    """Give back what lies beyond the budget because another run asked at the same moment.

    The lowest ids count, so that of two runs exactly one keeps the last experiment.
    """
    if _spent(campaign) <= budget:
        return found
    beyond = set(_counted(campaign)[budget:])
    campaign.release(ids=[e.id for e in found if e.id in beyond])
    return [e for e in found if e.id not in beyond]
