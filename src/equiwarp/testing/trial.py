"""A strategy on one small domain, with little enough of everything that a check is quick."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from equiwarp.domains import Array, Box, Candidates, Constrained, Domain, Product, Simplex, Sphere
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import RunConfiguration, prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import Round, RoundCache
from equiwarp.engine.suggestion import Suggestion
from equiwarp.exceptions import EquiwarpError
from equiwarp.geometry.equalizer import Equalizer
from equiwarp.strategy import Strategy
from equiwarp.testing.drawing import generator

#: Points of pool, probes and targets: a twentieth of a user's.
POOL, PROBES, TARGETS = 200, 512, 64
#: Measurements of a trial.
MEASURED = 12
#: Noise of their values: about the twentieth of their deviation for which the equalizer has tables anyway.
NOISE = 0.04


def small_domains() -> tuple[Domain, ...]:
    """One small domain of each kind.

    Faces, steps, a log scale, an angle, categories, a mixture, a constraint, a list, a sphere, and a product.
    """
    rows = generator(5).random((60, 2)) * [1.0, 10.0]
    return (
        Box({"temperature": (20, 90), "pH": (3, 9)}),
        Box({"dial": {"low": 0, "high": 1, "step": 0.05}, "dose": {"low": 1, "high": 1e3, "scale": "log"}}),
        Simplex({"water": 0.2, "salt": 0.0, "sugar": 0.0}),
        Constrained(Box({"a": (0, 1), "b": (0, 2)}), ["a + b / 2 <= 1"]),
        Candidates(rows, ["Cu", "Zn"]),
        Sphere(2),
        Box({"angle": {"low": 0, "high": 360, "periodic": True}, "solvent": ["water", "oil", "none"]}),
        Product(Simplex({"resin": 0.0, "filler": 0.0, "pigment": 0.0}), Box({"heat": (20, 60)})),
    )


@dataclass(frozen=True)
class Trial:
    """One strategy on one domain."""

    strategy: Strategy
    domain: Domain
    #: Equalizers of earlier questions: they are ours and not under test, and tables take most of a round.
    _kept: list[Equalizer] = field(default_factory=list, repr=False, compare=False)
    #: What was answered to plain questions, by the size of the batch.
    _answers: dict[int, Suggestion] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def configuration(self) -> RunConfiguration:
        """As a user's, with fewer points that nobody can change."""
        full = prepare(self.domain, self.strategy, 3)
        parts = (full.pool[:POOL], full.probes[:PROBES], full.targets[:TARGETS])
        pool, probes, targets = (_locked(part) for part in parts)
        return replace(full, pool=pool, probes=probes, targets=targets)

    @cached_property
    def measurements(self) -> Measurements:
        """Some measured and pending points, half of them from the pool: avoiding those would else be luck."""
        pool = self.configuration.pool
        elsewhere = self.domain.sample(MEASURED // 2, generator(1))
        x = np.concatenate([elsewhere, pool[: MEASURED - len(elsewhere)]])
        return self.measured(x, self.values(x), NOISE, pool[MEASURED : MEASURED + 2])

    def measured(
        self, x: Array, y: Array, noise: float | None = NOISE, pending: Array | None = None
    ) -> Measurements:
        """Measurements that nobody can change."""
        deviations = None if noise is None else _locked(np.full(y.shape, noise))
        waiting = np.empty((0, self.domain.columns)) if pending is None else pending
        return Measurements(self.domain, _locked(x), _locked(y), deviations, _locked(waiting))

    def values(self, x: Array) -> Array:
        """A smooth function with one steep place, ``(n, 1)``."""
        z = self.domain.embed(x)
        return np.tanh(8 * (z[:, :1] - 0.4)) + 0.3 * np.sin(4 * z[:, -1:])

    def answer(self, n: int = 1) -> Suggestion:
        """What is chosen from the trial's own measurements, asked once."""
        if n not in self._answers:
            self._answers[n] = self.choose(n=n)
        return self._answers[n]

    def choose(self, measurements: Measurements | None = None, n: int = 1, **changes: Any) -> Suggestion:
        """One round that knows of no other; ``changes`` are other fields of the configuration."""
        configuration = replace(self.configuration, **changes) if changes else self.configuration
        known = self.measurements if measurements is None else measurements
        fresh = Round(configuration, known).equalizer
        suits = (kept for kept in self._kept if fresh is not None and kept.same_tables(fresh))
        suggestion, left = choose(configuration, known, n, RoundCache(equalizer=next(suits, None)))
        if left.equalizer is not None and all(left.equalizer is not kept for kept in self._kept):
            self._kept.append(left.equalizer)
        return suggestion

    @cached_property
    def refusal(self) -> EquiwarpError | None:
        """Why the strategy cannot be used here, said by an error of ours; None if it can."""
        try:
            self.answer()
        except EquiwarpError as error:
            return error
        except Exception:
            return None  # no refusal but a failure, which the first law reports
        return None


def _locked(array: Array) -> Array:
    copy = np.array(array, dtype=float)
    copy.setflags(write=False)
    return copy


def trials(strategy: Strategy, domains: Iterable[Domain]) -> list[Trial]:
    """A trial per domain."""
    return [Trial(strategy, domain) for domain in domains]
