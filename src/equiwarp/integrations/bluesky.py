"""bluesky-adaptive: let a RunEngine map, and stop when the map is good enough.

The package has two generations. Of 0.x, :class:`LockStepRecommender` goes into the
``recommender_factory`` of ``per_event`` or ``per_start``. Of 1.x, :class:`MappingOptimizer` goes into
an ``OptimizationProblem``. Both take the same arguments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from equiwarp.domains import Array, Box, Domain
from equiwarp.exceptions import InvalidInput
from equiwarp.integrations.guide import Guide
from equiwarp.integrations.loop import ID, Loop
from equiwarp.maps.map import Map
from equiwarp.maps.stopping import StopAdvice, StopRule
from equiwarp.strategy import DEFAULT_STRATEGY, Strategy

if TYPE_CHECKING:
    from collections.abc import Iterable

#: How far a motor's readback may lie outside the box, as a share of its range, on its scale.
READBACK = 0.01
#: A stop rule is not asked before this many measurements: too few residuals to check the map with.
ENOUGH = 5


class _Mapper:
    """The loop and the stop rule that both generations share.

    Parameters
    ----------
    domain : Domain
        Its parameters are the independent keys, in this order.
    responses : sequence of str
        Names of the measured values.
    stop : StopRule, optional
        When it holds, no further point is recommended.
    strategy, noise, seed, n0
        See :class:`equiwarp.integrations.guide.Guide`.
    """

    def __init__(
        self,
        domain: Domain,
        responses: Sequence[str] = ("response",),
        *,
        stop: StopRule | None = None,
        strategy: str | Strategy = DEFAULT_STRATEGY,
        noise: float | Sequence[float] | None = None,
        seed: int = 0,
        n0: int | None = None,
    ) -> None:
        self.loop = Loop(domain, tuple(responses), Guide(strategy, noise, seed, n0))
        self.stop = stop

    def map(self) -> Map:
        """The map of what was measured so far."""
        return self.loop.map()

    def advice(self) -> StopAdvice:
        """Whether the stop rule holds, and why."""
        if self.stop is None or len(self.loop.x) < ENOUGH:
            return StopAdvice(False, "no stop rule, or too few measurements to ask it")
        return self.map().stop(self.stop)


class LockStepRecommender(_Mapper):
    """One measurement in, one recommendation out: for bluesky-adaptive 0.x.

    ``suggest`` raises ``NoRecommendation`` when the stop rule holds, which ends the plan. Positions
    are readbacks: up to 1 % outside the box they count as on its face, beyond that they are an error.
    """

    def ingest(self, x: Any, y: Any) -> None:
        """One event: positions ``(columns,)`` and values ``(k,)``."""
        self.ingest_many(np.atleast_2d(np.asarray(x, dtype=float)), np.asarray(y, dtype=float).reshape(1, -1))

    def ingest_many(self, xs: Iterable[Any], ys: Iterable[Any]) -> None:
        """Several events: positions ``(n, columns)`` and values ``(n, k)``."""
        points = _readback(self.loop.domain, np.atleast_2d(np.asarray(xs, dtype=float)))
        values = np.asarray(ys, dtype=float).reshape(len(points), -1)
        if values.shape[1] != len(self.loop.responses):
            raise InvalidInput(
                f"{values.shape[1]} dependent keys for {len(self.loop.responses)} responses "
                f"{list(self.loop.responses)}: name as many responses as there are dependent keys"
            )
        rows = [
            {**self.loop.domain.named(p), **dict(zip(self.loop.responses, v, strict=True))}
            for p, v in zip(points.tolist(), values.tolist(), strict=True)
        ]
        self.loop.ingest(rows)
        # In lock-step, what was recommended is what has just been measured.
        self.loop.pending.clear()

    def suggest(self, n: int = 1) -> Array:
        """The next position ``(columns,)``, or ``(n, columns)`` of them."""
        advice = self.advice()
        if advice.stop:
            from bluesky_adaptive.recommendations import NoRecommendation

            raise NoRecommendation(advice.reason)
        rows = self.loop.suggest(n)
        points = np.array([self.loop.domain.numbers(row) for row in rows])
        return points[0] if n == 1 else points


class MappingOptimizer(_Mapper):
    """An ``Optimizer`` for bluesky-adaptive 1.x that maps, with its stopping and failure protocols."""

    def suggest(self, num_points: int | None = None) -> list[dict[str, Any]]:
        """Points by parameter name, each with an ``_id``; they are pending until ingested."""
        return self.loop.suggest(num_points or 1)

    def ingest(self, points: Sequence[Mapping[str, Any]]) -> None:
        """Outcomes by response name, with the ``_id`` of their suggestion or with parameters.

        Where a stage really stood counts, not where it was sent: give its readbacks with the outcome. Up to
        1 % outside the box they count as on its face.
        """
        names = self.loop.domain.names
        self.loop.ingest([self._at_readback(p) if all(n in p for n in names) else p for p in points])

    def _at_readback(self, row: Mapping[str, Any]) -> dict[str, Any]:
        place = np.array([self.loop.domain.numbers(row)])
        return {**row, **self.loop.domain.named(_readback(self.loop.domain, place)[0])}

    def register_failures(self, suggestions: Sequence[Mapping[str, Any]]) -> None:
        """These will not be measured; their places are avoided."""
        self.loop.fail(int(suggestion[ID]) for suggestion in suggestions)

    def should_stop(self) -> tuple[bool, str | None]:
        """Whether the stop rule holds, and why."""
        advice = self.advice()
        return advice.stop, advice.reason

    def get_best_points(self) -> Sequence[tuple[Any, Mapping[str, Any], Mapping[str, Any]]]:
        """Refused: there is no best point of a map."""
        raise NotImplementedError("equiwarp maps a function and does not look for its optimum: see .map()")


def _readback(domain: Domain, points: Array) -> Array:
    """Positions just outside a box, on its face; an angle just beyond its end is beyond its beginning."""
    if not isinstance(domain, Box):  # motors read back each axis on its own, and only a box has such axes
        return points
    low, high = (np.array([getattr(p, side) for p in domain.parameters]) for side in ("low", "high"))
    with np.errstate(all="ignore"):  # what has no place on a log scale is not near
        share = np.column_stack([a.unit_of(points[:, i]) for i, a in enumerate(domain.view().axes)])
    near = (share >= -READBACK) & (share <= 1.0 + READBACK)
    turns = np.array([p.periodic for p in domain.parameters])
    return np.where(near, np.where(turns, domain.wrapped(points), np.clip(points, low, high)), points)
