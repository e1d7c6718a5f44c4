"""What a campaign hands out: experiments, the reasons for them, events, and a summary of the whole.

All are frozen: a change goes through :class:`equiwarp.Campaign` and shows when one looks again.
"""

# ruff: noqa: N818  (the names say what happened; callers read `except Conflict`)

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

State = Literal["pending", "done", "failed", "abandoned", "released"]
Origin = Literal["sequence", "model", "added"]


class Conflict(ValueError):
    """A second value for an experiment that has one; neither is lost, and the first one stands."""


class Mismatch(ValueError):
    """A campaign of this name exists and differs from the one described."""


class UnknownExperiment(LookupError):
    """No experiment of this campaign has that number."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class Exhausted(ValueError):
    """Every experiment that the domain allows has been handed out."""


class OutsideDomain(UserWarning):
    """Measurements outside the domain: they help to predict and are never suggested."""


class ThinnedData(UserWarning):
    """More measurements than an exact Gaussian process can take; a spread-out part of them is used."""


@dataclass(frozen=True)
class Why:
    """Why an experiment was suggested, in numbers; ``str()`` says it in words.

    Attributes
    ----------
    source : str
        "sequence" (space-filling, fixed in advance), "model" (chosen by the strategy) or "added".
    strategy : str
    variance, equalizer, stretch, score : float
        As in :class:`equiwarp.suggestion.Explanation`; NaN where the strategy does not use them.
    notes : tuple of str
        What was not as plain as it looks: estimated noise, jitter, thinned data.
    """

    source: Origin
    strategy: str = ""
    variance: float = math.nan
    equalizer: float = 1.0
    stretch: float = 1.0
    score: float = math.nan
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.source == "added":
            return "Measured elsewhere and added; it was not suggested."
        if self.source == "sequence":
            return "Space-filling start: a point of the campaign's fixed sequence, before values decide."
        return " ".join([*self._sentences(), *(f"Note: {note}." for note in self.notes)])

    def _sentences(self) -> list[str]:
        said = [f"Chosen by {self.strategy}."]
        if not math.isnan(self.variance):
            said.append(f"{_percent(self.variance)} of the prior uncertainty remains here.")
        if self.equalizer < 0.995:
            said.append(
                "Near a boundary uncertainty is high in any design; for that it was discounted to "
                f"{_percent(self.equalizer)}."
            )
        if self.stretch > 1.05:
            said.append(f"The response varies here: lengths are stretched {self.stretch:.2f}-fold.")
        elif self.stretch < 0.95:
            said.append(f"The response is flat here: lengths are shrunk to {_percent(self.stretch)}.")
        return said

    def as_dict(self) -> dict[str, Any]:
        """Numbers for JSON: NaN becomes None."""
        return {
            key: None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in asdict(self).items()
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Why:
        known: dict[str, Any] = {k: math.nan if v is None else v for k, v in fields.items()}
        known["notes"] = tuple(known.get("notes", ()))
        return cls(**known)


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%" if share >= 0.1 else f"{100 * share:.2g}%"


@dataclass(frozen=True)
class Experiment:
    """One experiment of a campaign.

    Attributes
    ----------
    id : int
        Its number within the campaign, from 1.
    point : dict
        Settings by parameter name, in the domain's units.
    state : str
        "pending", "done", "failed", "abandoned" or "released".
    why : Why
    values : dict or None
        Measured values by response.
    noise : dict or None
        Their standard deviations, where they were given with the values.
    reason : str or None
        Why it failed or was abandoned.
    inside : bool
        Whether the point lies in the domain; only added ones may not.
    ask : int or None
        The ask it came from.
    created, changed : str
        UTC, ISO 8601.
    """

    id: int
    point: dict[str, float]
    state: State
    why: Why
    values: dict[str, float] | None = None
    noise: dict[str, float] | None = None
    reason: str | None = None
    inside: bool = True
    ask: int | None = None
    created: str = ""
    changed: str = ""

    @property
    def value(self) -> float | dict[str, float] | None:
        """The value of a single response as a number, several ones by name."""
        if self.values is not None and len(self.values) == 1:
            return next(iter(self.values.values()))
        return self.values

    @property
    def origin(self) -> Origin:
        return self.why.source


@dataclass(frozen=True)
class Event:
    """Something that happened: who did what, when. Never changed afterwards."""

    id: int
    at: str
    who: str
    what: str
    experiment: int | None
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Status:
    """A campaign at a glance.

    Attributes
    ----------
    counts : dict
        Experiments by state; added ones are counted under "done" and again in ``added``.
    start_left : int
        Points of the space-filling start that are still to be handed out.
    outside : int
        Added measurements outside the domain.
    oldest_pending : str or None
        When the oldest pending experiment was handed out, UTC.
    notes : tuple of str
    """

    name: str
    store: str
    strategy: str
    seed: int
    responses: tuple[str, ...]
    counts: dict[str, int]
    added: int
    outside: int
    asks: int
    start: int
    start_left: int
    oldest_pending: str | None
    notes: tuple[str, ...] = ()
