"""``Assessment``: what a map said of itself, as it is kept beside the campaign.

It is plain data: whoever shows it loads no models.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from equiwarp._util.plain import plain
from equiwarp.store.assessments import KeptAssessment

if TYPE_CHECKING:
    from equiwarp.maps.map import Map
    from equiwarp.maps.stopping import StopAdvice

#: Offsets of blocks, by response, column and block.
Offsets = Mapping[str, Mapping[str, Mapping[str, float]]]


@dataclass(frozen=True)
class Assessment:
    """How good a map was: its error, whether one may stop, and what is odd. :meth:`Campaign.assess` makes it.

    :meth:`Campaign.status` has the last one that was made, by whomever.

    Attributes
    ----------
    measured : int
        How many experiments the map was made from.
    made : str
        When, UTC, ISO 8601.
    current : bool
        Whether nothing has been told or changed since; experiments may have been handed out.
    error : dict of str to float
        The map's error by response, in its unit.
    interval : dict of str to (float, float)
        Between which numbers the true error lies, in about four cases of five.
    may_stop : bool or None
        What the campaign's stop rule said; None without a rule.
    stop_reason : str
        Why; empty without a rule.
    findings : tuple of dict
        What is odd, as in :class:`equiwarp.MapFinding`: kind, response, sentence, advice and so on.
    offsets : dict
        By how much the values of each block are higher, by response, column and block.
    prior_worth : dict of str to str
        What the prior is worth for each response, in a sentence.
    aim : dict or None
        What has become of the aim; its ``sentence`` is for people. None if the map is to be good everywhere.
    values : dict of str to int
        How many values of each response the map was made from; empty if that was not kept.

    Examples
    --------
    >>> import tempfile
    >>> import equiwarp as ew
    >>> folder = tempfile.TemporaryDirectory()
    >>> with ew.Campaign("oven", ew.Box({"temperature": (20, 90)}), store=f"{folder.name}/oven.db") as c:
    ...     done = [c.tell(e.id, e.point["temperature"] ** 2) for e in c.ask(8)]
    ...     made = c.assess()
    ...     more = c.ask()
    ...     kept = c.status().assessment
    >>> made == kept, kept.measured, kept.current
    (True, 8, True)
    >>> folder.cleanup()
    """

    measured: int
    made: str
    current: bool
    error: dict[str, float]
    interval: dict[str, tuple[float, float]]
    may_stop: bool | None = None
    stop_reason: str = ""
    findings: tuple[dict[str, Any], ...] = ()
    offsets: Offsets = field(default_factory=dict)
    prior_worth: dict[str, str] = field(default_factory=dict)
    aim: dict[str, Any] | None = None
    values: dict[str, int] = field(default_factory=dict)


def content_of(map: Map, advice: StopAdvice | None, offsets: Offsets) -> dict[str, Any]:
    """What a map says, as plain data; ``advice`` is None if there is no stop rule."""
    errors, worth = zip(map.responses, map.error(), strict=True), map.prior_worth()
    aimed = map.aimed()
    content: dict[str, Any] = plain(
        {
            "measured": len(map.x),
            "error": {name: (e.value, e.low, e.high) for name, e in errors},
            "may_stop": None if advice is None else advice.stop,
            "stop_reason": "" if advice is None else advice.reason,
            "findings": [{**vars(f), "numbers": dict(f.numbers)} for f in map.diagnostics()],
            "offsets": offsets,
            "prior_worth": {w.response: str(w) for w in worth if w is not None},
            "aim": None if aimed is None else aimed.as_dict(),
            "values": dict(zip(map.responses, np.isfinite(map.y).sum(axis=0).tolist(), strict=True)),
        }
    )
    return content


def read_assessment(kept: KeptAssessment, learned: int) -> Assessment:
    """What was kept, for a campaign that learnt last in this version."""
    said = dict(kept.content)
    errors = {name: [_number(e) for e in numbers] for name, numbers in said.pop("error").items()}
    return Assessment(
        made=kept.made,
        current=kept.learned == learned,
        error={name: value for name, (value, _, _) in errors.items()},
        interval={name: (low, high) for name, (_, low, high) in errors.items()},
        findings=tuple(said.pop("findings")),
        **said,
    )


def _number(kept: float | None) -> float:
    return math.nan if kept is None else kept
