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
from typing import ClassVar

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.gp.acquisition import AcquisitionGP
from equiwarp.gp.kernels import Matern52
from equiwarp.strategies.base import Criterion, Scene, State
from equiwarp.strategies.distance import Distance, DistanceState

#: Uniform part of the weights, against mean squares of one.
FLOOR = 0.3
#: Enough of them for the mean squares.
TARGETS = 384


@dataclass(frozen=True)
class EmptyBallState(State):
    """How far each pool point is from the nearest measurement, and how much the mean varies there.

    Attributes
    ----------
    distance : DistanceState
        The radii, and what farthest-point sampling knows.
    weights : (m,) array
    power : int
        Of the radius.
    gp : AcquisitionGP
        Given all conditioning points, for the variance.
    """

    distance: DistanceState
    weights: Array
    power: int
    gp: AcquisitionGP
    noise_var: float

    @classmethod
    def of(cls, distance: DistanceState, scene: Scene) -> EmptyBallState:
        """Weigh the radii by the values of the scene, under its lengthscale."""
        n = len(scene.y)
        gp = AcquisitionGP.fit(scene.kernel, scene.Z[:n], scene.y, scene.noise_var[:n])
        at_pool, at_targets = (variation(gp, scene.domain, A) for A in (scene.P, scene.U[:TARGETS]))
        weights = np.full(len(scene.P), FLOOR)
        for here, everywhere in zip(at_pool, at_targets, strict=True):
            mean_square = float(everywhere.mean())
            if mean_square > 1e-16:
                weights += 0.5 * here / mean_square
        for z, noise_var in zip(scene.Z[n:], scene.noise_var[n:], strict=True):
            gp = gp.condition(z, noise_var)
        return cls(distance, weights, scene.domain.dim + 2, gp, scene.typical_noise**2)

    def score(self) -> Array:
        return self.weights * self.distance.score() ** self.power

    def variance_at(self, i: int) -> float:
        return float(self.gp.variance(self.distance.P[i : i + 1])[0])

    def add(self, z: Array) -> State:
        return replace(self, distance=self.distance.add(z), gp=self.gp.condition(z, self.noise_var))

    def refresh(self, scene: Scene) -> State:
        """Take in the values, and the lengthscale if it was fitted anew."""
        return EmptyBallState.of(self.distance, scene)

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

    def begin(self, scene: Scene) -> State:
        return EmptyBallState.of(Distance().begin(scene), scene)


def variation(gp: AcquisitionGP, domain: Domain, A: Array) -> tuple[Array, Array]:
    """Squared norms of the mean's gradient and Hessian along the domain, ``(len(A),)`` each.

    Summed over the responses.
    """
    kernel = gp.kernel
    assert isinstance(kernel, Matern52)
    slope, bend = np.zeros(len(A)), np.zeros(len(A))
    for w in gp.alpha.T:
        gradient, hessian = kernel.weighted_derivatives(A, gp.Z[: len(w)], w)
        along = domain.tangent(A, gradient)
        slope += np.sum(along**2, axis=1)
        bend += np.sum(_along(domain, A, hessian, gradient - along) ** 2, axis=(1, 2))
    return slope, bend


def _along(domain: Domain, A: Array, hessian: Array, outward: Array) -> Array:
    """Second derivatives along the domain: both sides projected, less what bends with the domain itself.

    ``outward`` is the part of the gradient that leaves the domain. It is zero on flat domains; curved
    ones have unit vectors as coordinates, and a great circle bends inwards by one.
    """
    size, e = len(A), A.shape[1]
    if not np.any(outward):
        return hessian
    projector = domain.tangent(np.repeat(A, e, axis=0), np.tile(np.eye(e), (size, 1))).reshape(size, e, e)
    inside: Array = projector @ hessian @ projector
    return inside - np.sum(outward * A, axis=1)[:, None, None] * projector
