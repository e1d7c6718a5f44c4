"""``Guide``: one strategy that a host asks again and again, with whatever the host knows by then.

Hosts keep the data; a guide keeps nothing but what makes the next answer faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import RunConfiguration, point_keys, prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import RoundCache
from equiwarp.engine.start import left_of_start, sequence_points
from equiwarp.strategy import DEFAULT_STRATEGY, Strategy, usual_start
from equiwarp.strategy.openloop import SobolDesign


@dataclass
class Guide:
    """Where a host should measure next.

    Parameters
    ----------
    strategy : str or Strategy
        A name from :func:`equiwarp.strategy`, or one of your own.
    noise : float or sequence of float, optional
        Standard deviation of a measurement in the units of the responses; None estimates it.
    seed : int
        The same seed and the same data give the same points.
    n0 : int, optional
        So many points come from the seed's Sobol sequence before the strategy takes over; by default
        as many as in a campaign: four a number under `map`, 20 (D - 1) on a box under others.
    """

    strategy: str | Strategy = DEFAULT_STRATEGY
    noise: float | Sequence[float] | None = None
    seed: int = 0
    n0: int | None = None
    _configuration: RunConfiguration | None = field(default=None, init=False, repr=False, compare=False)
    _cache: RoundCache | None = field(default=None, init=False, repr=False, compare=False)

    def points(
        self, domain: Domain, x: Any, y: Any, n: int = 1, pending: Any = None, allowed: Array | None = None
    ) -> Array:
        """The next n points ``(n, columns)``.

        Every point of ``pending`` counts as spoken for. Of a finite domain, ``allowed`` are the points
        among which to choose this time, ``(m, columns)``.
        """
        return self.extend(Measurements.of(domain, x, y, self.noise, pending), n, allowed)

    def extend(self, measurements: Measurements, n: int = 1, allowed: Array | None = None) -> Array:
        """The same for a design that has been read already, with noise of its own."""
        domain = measurements.domain
        start = usual_start(self.strategy, domain) if self.n0 is None else self.n0
        first = left_of_start(measurements, start, n)
        configuration, cache = self._prepared(domain, allowed)
        found = np.empty((0, domain.columns))
        if first and allowed is None:
            found = sequence_points(configuration, measurements, first, SobolDesign())
        elif first:
            # The pool of a finite domain begins with points that fill it evenly.
            taken = configuration.taken(measurements.locations)
            found = np.delete(configuration.pool, taken, axis=0)[:first]
        if len(found) < n:
            waiting = np.concatenate([measurements.pending, found])
            measurements = replace(measurements, pending=waiting)
            suggestion, left = choose(configuration, measurements, n - len(found), cache)
            self._cache = left if allowed is None else None  # part of a pool says nothing of the whole
            found = np.concatenate([found, suggestion.points])
        return found

    def _prepared(self, domain: Domain, allowed: Array | None) -> tuple[RunConfiguration, RoundCache | None]:
        if self._configuration is None or self._configuration.domain != domain:
            self._configuration, self._cache = prepare(domain, self.strategy, self.seed), None
        if allowed is None:
            return self._configuration, self._cache
        keys = set(point_keys(domain, allowed))
        keep = [key in keys for key in point_keys(domain, self._configuration.pool)]
        pool = self._configuration.pool[np.array(keep, dtype=bool)]
        return replace(self._configuration, pool=pool), None

    def __getstate__(self) -> dict[str, Any]:
        """Without what can be recomputed: hosts copy and pickle their samplers."""
        return {**self.__dict__, "_configuration": None, "_cache": None}
