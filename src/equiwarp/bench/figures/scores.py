"""What the method computes in one round, spread out over a grid so that it can be drawn.

:func:`equiwarp.engine.algorithm.choose` keeps these fields to itself, because a user needs the point and not
the map. Here they are put together from the same parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product

import numpy as np

from equiwarp._util.seeds import PROBES, stream
from equiwarp.domains import Array, Domain
from equiwarp.domains.base import sobol
from equiwarp.engine.configuration import probe_count
from equiwarp.geometry.density import gradient_norm, target_density
from equiwarp.geometry.equalizer import Equalizer
from equiwarp.geometry.warp import ReconstructionWarp
from equiwarp.gp.acquisition import AcquisitionGP
from equiwarp.gp.field import Field
from equiwarp.gp.kernels import Matern52

#: Reference designs behind a drawn equalizer.
DESIGNS = 256


@dataclass(frozen=True)
class Round:
    """One round seen at the points of a grid.

    Attributes
    ----------
    domain : Domain
    x, y : (n, columns) and (n,) arrays
        The design; y standardised.
    noise : float
        Standard deviation on that scale.
    ell : float
        Acquisition lengthscale.
    grid : (m, columns) array
        Covers the domain uniformly.
    """

    domain: Domain
    x: Array
    y: Array
    noise: float
    ell: float
    grid: Array

    @property
    def kernel(self) -> Matern52:
        return Matern52(self.ell)

    @property
    def noise_var(self) -> Array:
        return np.full(len(self.x), self.noise**2)

    @cached_property
    def gp(self) -> AcquisitionGP:
        return AcquisitionGP.fit(self.kernel, self.domain.embed(self.x), self.y[:, None], self.noise_var)

    @cached_property
    def mean(self) -> Array:
        """Posterior mean of the acquisition GP on the grid, ``(m,)``."""
        return self.gp.mean(self.domain.embed(self.grid))[:, 0]

    @cached_property
    def variance(self) -> Array:
        """Unwarped posterior variance s^2 on the grid, ``(m,)``."""
        return Field.of(
            self.kernel, self.domain.embed(self.grid), self.domain.embed(self.x), self.noise_var
        ).variance

    @cached_property
    def equalizer(self) -> Array:
        """g for this design size on the grid, ``(m,)``."""
        return Equalizer(self.domain, self.kernel, self.noise, self.grid)(len(self.x))

    def slope(self, at: Array) -> Array:
        """Norm of the posterior mean's gradient at points ``(q, columns)``, ``(q,)``."""
        z = self.domain.embed(at)
        gradient = self.gp.mean_gradient(z)
        return gradient_norm(self.domain.tangent(z, gradient[:, :, 0])[:, :, None])

    @cached_property
    def probes(self) -> Array:
        return self.domain.sample(probe_count(self.domain.dim), stream(0, PROBES))

    @cached_property
    def warp(self) -> ReconstructionWarp:
        return ReconstructionWarp.of(self.domain, self.probes, self.slope(self.probes))

    @cached_property
    def density(self) -> Array:
        """rho-hat on the grid, ``(m,)``; a uniform grid has the probes' root mean square gradient."""
        return target_density(self.slope(self.grid), self.domain.dim)

    @cached_property
    def warped_variance(self) -> Array:
        """Posterior variance through the warp, s_T^2, on the grid, ``(m,)``."""
        return Field.of(self.kernel, self.warp(self.grid), self.warp(self.x), self.noise_var).variance


def reference_variance(kernel: Matern52, noise: float, n: int, points: Array) -> Array:
    """v_N at points of the unit cube ``(m, D)``, ``(m,)``, averaged over designs and symmetries.

    The table that acquisition looks up is estimated from fewer designs, which is enough to choose a
    point and too few for a smooth picture.
    """
    dim = points.shape[1]
    # v_N is the same at all mirror images and permutations of a point: measure each class once.
    folded = np.sort(np.minimum(points, 1.0 - points), axis=1).round(12)
    distinct, back = np.unique(folded, axis=0, return_inverse=True)
    images = np.concatenate(
        [
            np.where(flips, 1.0 - distinct[:, order], distinct[:, order])
            for flips in product((False, True), repeat=dim)
            for order in permutations(range(dim))
        ]
    )
    total = np.zeros(len(distinct))
    rng = stream(0, "figure-reference", dim, n)
    for _ in range(DESIGNS):
        field = Field.of(kernel, images, sobol(dim, n, rng), np.full(n, noise**2))
        total += field.variance.reshape(-1, len(distinct)).mean(axis=0)
    return (total / DESIGNS)[back.ravel()]


def precise_equalizer(kernel: Matern52, noise: float, n: int, points: Array) -> Array:
    """g at points of the unit cube, ``(m,)``, without the table."""
    centre = np.full((1, points.shape[1]), 0.5)
    reference = reference_variance(kernel, noise, n, np.concatenate([points, centre]))
    return np.minimum(1.0, reference[-1] / reference[:-1])
