"""``Guide``: one strategy that a host asks again and again, with whatever the host knows by then.

Hosts keep the data; a guide keeps nothing but what makes the next answer faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from equiwarp.design import Design
from equiwarp.domains import Array, Domain
from equiwarp.rounds import Memory
from equiwarp.setting import Setting, prepare
from equiwarp.strategies import Strategy
from equiwarp.suggest import choose


@dataclass
class Guide:
    """Where a host should measure next.

    Parameters
    ----------
    strategy : str or Strategy
        A name from :func:`equiwarp.strategies`, or one of your own.
    noise : float or sequence of float, optional
        Standard deviation of a measurement in the units of the responses; None estimates it.
    seed : int
        The same seed and the same data give the same points.
    start : int, optional
        So many points come from the seed's Sobol sequence before the strategy takes over; by default
        the domain's typical start, 20 (D - 1) on a box.
    """

    strategy: str | Strategy = "equiwarp"
    noise: float | Sequence[float] | None = None
    seed: int = 0
    start: int | None = None
    _setting: Setting | None = field(default=None, init=False, repr=False, compare=False)
    _memory: Memory | None = field(default=None, init=False, repr=False, compare=False)

    def points(self, domain: Domain, x: Any, y: Any, n: int = 1, pending: Any = None) -> Array:
        """The next n points ``(n, columns)``; every point of ``pending`` counts as spoken for."""
        design = Design.of(domain, x, y, self.noise, pending)
        start = domain.typical_start if self.start is None else self.start
        opening = min(n, max(0, start - design.n - len(design.pending)))
        found = np.empty((0, domain.columns))
        if opening:
            found = choose(prepare(domain, "sobol", self.seed), design, opening)[0].points
        if opening < n:
            waiting = np.concatenate([design.pending, found])
            design = Design(domain, design.x, design.y, design.noise, waiting)
            found = np.concatenate([found, self._chosen(design, n - opening)])
        return found

    def _chosen(self, design: Design, n: int) -> Array:
        if self._setting is None or self._setting.domain != design.domain:
            self._setting, self._memory = prepare(design.domain, self.strategy, self.seed), None
        suggestion, self._memory = choose(self._setting, design, n, self._memory)
        return suggestion.points

    def __getstate__(self) -> dict[str, Any]:
        """Without what can be recomputed: hosts copy and pickle their samplers."""
        return {**self.__dict__, "_setting": None, "_memory": None}
