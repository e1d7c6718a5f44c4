"""What the method computes in one round, spread out over a grid so that it can be drawn."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp.domains import Array
from equiwarp.domains.base import sobol
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import Round
from equiwarp.gp.field import Field
from equiwarp.gp.kernels import Kernel

#: Reference designs behind a drawn equalizer.
REFERENCE_DESIGNS = 256


def round_on_grid(strategy: str, measurements: Measurements, grid: Array, ell: float, scale: float) -> Round:
    """A round of a strategy seen at points ``(m, columns)`` that cover the domain uniformly.

    ``ell`` is the acquisition lengthscale and ``scale`` that of the response.
    """
    domain, scales = measurements.domain, np.array([scale])
    configuration = prepare(domain, strategy, lengthscale=ell, pool=grid, response_scale=scales)
    return Round(configuration, measurements)


def reference_variance(kernel: Kernel, noise: float, n: int, points: Array) -> Array:
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
    for _ in range(REFERENCE_DESIGNS):
        field = Field.of(kernel, images, sobol(dim, n, rng), np.full(n, noise**2))
        total += field.variance.reshape(-1, len(distinct)).mean(axis=0)
    return (total / REFERENCE_DESIGNS)[back.ravel()]


def precise_equalizer(kernel: Kernel, noise: float, n: int, points: Array) -> Array:
    """g at points of the unit cube, ``(m,)``, without the table."""
    centre = np.full((1, points.shape[1]), 0.5)
    reference = reference_variance(kernel, noise, n, np.concatenate([points, centre]))
    return np.minimum(1.0, reference[-1] / reference[:-1])
