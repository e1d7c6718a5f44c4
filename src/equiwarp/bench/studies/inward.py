"""A variant of `map` that was tried: points count by how much of what lies around them is inside the domain.

A point at a face tells of half as many places as one in the middle. With the acquisition GP's kernel k and
targets u all over the domain, the score is multiplied by

    (s(x) / max s) ** POWER,    s(x) = mean_u k(u, x)^2,

which is the score of x before anything is measured. It keeps points away from faces as the equalizer does,
in closed form and in any domain.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.gp.kernels import Kernel
from equiwarp.strategy.base import CriterionState, RoundInputs
from equiwarp.strategy.map_error import MapError
from equiwarp.strategy.map_models import TargetChoice
from equiwarp.strategy.map_state import MapErrorState, ResponseState

#: Of the share that is inside; 0.5 and 1 cost more of the map's error than they keep away from faces.
POWER = 0.3


def share_inside(kernel: Kernel, P: Array, U: Array) -> Array:
    """What points ``(m, e)`` tell of targets ``(t, e)``, as a share of what the best does, ``(m,)``."""
    told = np.mean(kernel(P, U) ** 2, axis=1)
    return np.asarray(told / told.max())


@dataclass(frozen=True)
class InwardState(MapErrorState):
    """``counts`` ``(m,)`` is what each pool point counts; None is the same for all."""

    counts: Array | None = None

    @classmethod
    def of(
        cls,
        inputs: RoundInputs,
        targets: TargetChoice,
        floor: float | None,
        look_ahead: bool,
        known: tuple[ResponseState, ...] = (),
    ) -> MapErrorState:
        state = super().of(inputs, targets, floor, look_ahead, known)
        assert isinstance(state, InwardState)
        return replace(state, counts=share_inside(inputs.kernel, inputs.P, inputs.U) ** POWER)

    def score(self) -> Array:
        assert self.counts is not None
        return super().score() * self.counts

    def best(self, weights: Array | None, free: NDArray[np.bool_]) -> tuple[CriterionState, int]:
        """In the whole pool: a shortlist knows nothing of ``counts``."""
        return CriterionState.best(self, weights, free)


@dataclass(frozen=True)
class InwardError(MapError):
    """The expected drop of the map's squared error, times a power of the share that is inside."""

    def begin(self, inputs: RoundInputs) -> CriterionState:
        if inputs.learnt is None:
            inputs = replace(inputs, learnt=self.learn(inputs, None))
        return InwardState.of(inputs, TargetChoice(self.targets, self.renewed), self.floor, self.look_ahead)
