"""Look one experiment ahead at the Gaussian-process map: measure where its error is expected to be largest.

Around x there is a ball without measurements, of radius d(x), the distance to the nearest point. What
a smooth map gets wrong in it grows with its radius and with how much the function varies there, and
it does so over a volume d^D. A measurement at x removes it, so the score is

    w(x) d(x)^(D + 2),    w = floor + (|grad mu| / c)^2 / 2 + (|Hess mu| / h)^2 / 2,

with c and h the root mean squares over the domain and mu the posterior mean under a fitted
lengthscale, because the map's will be. A slope matters while points are few, and the map is hardly
more than its measurements; once it follows slopes by itself, curvature is what it gets wrong. With
constant values, or none, this is farthest-point sampling, which is hard to beat under this readout.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.gp.acquisition import AcquisitionGP
from equiwarp.gp.fast.curves import Curves
from equiwarp.gp.kernels import Matern52
from equiwarp.strategy.base import Criterion, CriterionState, RoundInputs
from equiwarp.strategy.distance import Distance, DistanceState

#: Uniform part of the weights, against mean squares of one.
UNIFORM_WEIGHT = 0.3
#: Targets that the mean squares of slope and curvature are taken over, enough for them.
MEAN_SQUARE_TARGETS = 384


@dataclass(frozen=True)
class EmptyBallState(CriterionState):
    """How far each pool point is from the nearest measurement, and how much the mean varies there.

    Attributes
    ----------
    distance : DistanceState
        The radii, and what farthest-point sampling knows.
    weights : (m,) array
    power : int
        Of the radius.
    gp : AcquisitionGP
        Given the measured points.
    curves : Curves or None
        What its derivatives are made of, kept from the second round on.
    noise_var : (N,) array
        Of all conditioning points.
    before : AcquisitionGP or None
        ``gp`` with some of the points that have no value, where it was computed already.
    """

    distance: DistanceState
    weights: Array
    power: int
    gp: AcquisitionGP
    curves: Curves | None
    noise_var: Array
    typical_noise: float
    before: AcquisitionGP | None = None

    @classmethod
    def of(
        cls, distance: DistanceState, inputs: RoundInputs, gp: AcquisitionGP, curves: Curves | None = None
    ) -> EmptyBallState:
        """Weigh the radii by the variation of the mean of ``gp``, which knows the round's values."""
        m, places = len(inputs.P), _places(inputs)
        weights = np.full(m, UNIFORM_WEIGHT)
        for square in variation(gp, inputs.domain, places, curves):
            mean_square = float(square[m:].mean())
            if mean_square > 1e-16:
                weights += 0.5 * square[:m] / mean_square
        power = inputs.domain.continuous + 2
        return cls(distance, weights, power, gp, curves, inputs.noise_var, inputs.typical_noise)

    def score(self) -> Array:
        return self.weights * self.distance.score() ** self.power

    @cached_property
    def _conditioned(self) -> AcquisitionGP:
        """Given all points, the pending and the chosen ones too: of a batch, each adds one to the last."""
        gp = self.before or self.gp
        known = len(gp.Z)
        for z, noise_var in zip(self.Z[known:], self.noise_var[known:], strict=True):
            gp = gp.condition(z, noise_var)
        return gp

    def variance_at(self, i: int) -> float:
        return float(self._conditioned.variance(self.distance.P[i : i + 1])[0])

    def add(self, z: Array) -> CriterionState:
        noise_var = np.append(self.noise_var, self.typical_noise**2)
        before = self.__dict__.get("_conditioned", self.before)  # only if somebody has asked for it
        return replace(self, distance=self.distance.add(z), noise_var=noise_var, before=before)

    def refresh(self, inputs: RoundInputs) -> CriterionState:
        """Take in the values, and the lengthscale if it was fitted anew."""
        kernel, n = inputs.kernel, len(inputs.y)
        assert isinstance(kernel, Matern52)
        measured = kernel, inputs.Z[:n], inputs.y, inputs.noise_var[:n]
        gp = self.gp.extended(*measured) or AcquisitionGP.fit(*measured)
        curves = self.curves.extend(kernel, gp.Z) if self.curves else None
        return EmptyBallState.of(
            self.distance, inputs, gp, curves or Curves.of(kernel, _places(inputs), gp.Z)
        )

    @property
    def Z(self) -> Array:
        return self.distance.Z

    @property
    def jitter(self) -> float:
        return self.gp.jitter


@dataclass(frozen=True)
class EmptyBall(Criterion):
    """Variation of the mean times a power of the distance to the nearest measurement.

    For the map that equiwarp draws. Use `lookahead-nn` where the table of measurements itself is the
    map, and `equiwarp` where nothing is known of the map's use.
    """

    uses_values: ClassVar[bool] = True
    by_distance: ClassVar[bool] = True

    def begin(self, inputs: RoundInputs) -> CriterionState:
        n = len(inputs.y)
        gp = AcquisitionGP.fit(inputs.kernel, inputs.Z[:n], inputs.y, inputs.noise_var[:n])
        return EmptyBallState.of(Distance().begin(inputs), inputs, gp)


def _places(inputs: RoundInputs) -> Array:
    """The pool, and targets for the mean squares, in kernel coordinates."""
    return np.concatenate([inputs.P, inputs.U[:MEAN_SQUARE_TARGETS]])


def variation(
    gp: AcquisitionGP, domain: Domain, A: Array, curves: Curves | None = None
) -> tuple[Array, Array]:
    """Squared norms of the mean's gradient and Hessian along the domain, ``(len(A),)`` each.

    Summed over the responses. ``curves`` at the same places save the exponentials.
    """
    kernel = gp.kernel
    assert isinstance(kernel, Matern52)
    slope, bend = np.zeros(len(A)), np.zeros(len(A))
    for w in gp.alpha.T:
        gradient, hessian = (
            curves.weighted_derivatives(w) if curves else kernel.weighted_derivatives(A, gp.Z, w)
        )
        along = domain.tangent(A, gradient)
        slope += np.sum(along**2, axis=1)
        if along is not gradient:  # a flat domain gives back what it was given
            hessian = _along(domain, A, hessian, gradient)
        bend += np.sum(hessian**2, axis=(1, 2))
    return slope, bend


def _along(domain: Domain, A: Array, hessian: Array, gradient: Array) -> Array:
    """Second derivatives along the domain: both sides projected, and what bends with the domain itself."""
    size, e = A.shape
    projector = domain.tangent(np.repeat(A, e, axis=0), np.tile(np.eye(e), (size, 1))).reshape(size, e, e)
    inside: Array = projector @ hessian @ projector
    bend = domain.curvature(A, gradient)
    return inside if bend is None else inside + bend
