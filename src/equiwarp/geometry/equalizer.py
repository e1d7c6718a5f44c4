"""The geometric equalizer g(x) <= 1: divides the boundary bias out of the variance.

``g = min(1, v_N(centre) / v_N(x))`` with v_N the reference variance, the paper's eq:geo_equalizer.
It knows nothing of the measured values. On a cube it is a table lookup in position and log N; on a
sphere, where every point is like every other, it is exactly 1; elsewhere v_N is measured on the pool
and the interior reference is the pool's deepest point.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array, Domain
from equiwarp.geometry import cache
from equiwarp.geometry.reference import (
    POOL_DESIGNS,
    Reference,
    axis_nodes,
    cube_table,
    from_part,
    measured_part,
    pool_variance,
)
from equiwarp.gp.kernels import Kernel

#: Design sizes of the tables grow by this factor; between them, log-linear.
SIZE_RATIO = math.sqrt(2.0)
#: Dimensions up to which the table is kept; beyond, v is measured on the pool as on domains without symmetry.
MOST_TABULATED = 8
#: Noise levels of the tables: g hardly depends on noise, and a coarse grid makes the cache useful.
NOISE_DIGITS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
#: Largest tabulated design. Beyond it a larger table would take minutes; the pattern keeps its shape and
#: shrinks towards the faces with the spacing of the points, as the kernel's own roughness does.
LARGEST_DESIGN = 512
#: Points looked up at once; each takes 2^D entries, which should stay in the processor's cache.
LOOKED_UP_TOGETHER = 1024


@dataclass(frozen=True)
class Equalizer:
    """g at the points of one pool, for any design size.

    Parameters
    ----------
    domain, kernel
        The kernel in the domain's own (unwarped) coordinates.
    noise : float
        Standard deviation of a measurement on the standardised scale.
    pool : (m, columns) array
    """

    domain: Domain
    kernel: Kernel
    noise: float
    pool: Array
    _log_ratio: dict[int, Array] = field(default_factory=dict, repr=False, compare=False)

    def __call__(self, n: int) -> Array:
        """g at every pool point, ``(m,)``, for a design of n points."""
        if self.domain.symmetry == "homogeneous":
            return np.ones(len(self.pool))
        lower, upper, weight, depth = lookup(n, self.domain.dim)
        if depth > 1.0 and self._tabulated:
            return self._deeper(depth)
        below, above = self._at_sizes(lower, upper if weight > 0 else lower)
        return np.exp(np.minimum((1 - weight) * below + weight * above, 0.0))

    def same_tables(self, other: Equalizer) -> bool:
        """Whether both give the same weights: the pool is the same, and so is the tabulated noise."""
        return (
            self.domain == other.domain
            and self.kernel == other.kernel
            and self.pool is other.pool
            and (self.noise == other.noise or nearest_noise(self.noise) == nearest_noise(other.noise))
        )

    @property
    def _tabulated(self) -> bool:
        """Whether the folded table serves; in many dimensions it would not fit into memory."""
        return self.domain.symmetry == "cube" and self.domain.dim <= MOST_TABULATED

    def _at_sizes(self, *sizes: int) -> list[Array]:
        """Logarithm of g at tabulated sizes, not yet clipped at 1. It is kept: the pool does not change."""
        missing = [n for n in dict.fromkeys(sizes) if n not in self._log_ratio]
        if missing:
            self._log_ratio.update(zip(missing, self._measure(missing), strict=True))
        return [self._log_ratio[n] for n in sizes]

    def _deeper(self, depth: float) -> Array:
        """g for more points than are tabulated: that of the largest design, all points so much deeper."""
        table, centre = cache.remember(self._reference(LARGEST_DESIGN), cube_table)
        u = self.domain.embed(self.pool)
        return np.minimum(
            centre / interpolate([table], np.minimum(depth * np.minimum(u, 1.0 - u), 0.5))[0], 1.0
        )

    def _reference(self, n: int) -> Reference:
        return Reference(self.domain.dim, self.kernel, nearest_noise(self.noise), n)

    def _measure(self, sizes: list[int]) -> list[Array]:
        if not self._tabulated:
            return [self._measure_on_pool(n) for n in sizes]
        references = [self._reference(n) for n in sizes]
        tables, centres = zip(
            *[cache.remember(reference, cube_table) for reference in references], strict=True
        )
        variances = interpolate(tables, self.domain.embed(self.pool))
        return [np.log(centre / variance) for centre, variance in zip(centres, variances, strict=True)]

    def _measure_on_pool(self, n: int) -> Array:
        P, part = self.domain.embed(self.pool), measured_part(self.pool)
        variance, interior = measure(self.domain, self._reference(n), self.pool[part])
        return from_part(P, part, np.log(interior / variance))


def measure(domain: Domain, reference: Reference, pool: Array) -> tuple[Array, float]:
    """The reference variance at each point of a pool ``(m,)``, and at its deepest one."""
    half = POOL_DESIGNS // 2
    finding, judging = (pool_variance(domain, reference, pool, half, first) for first in (0, half))
    return (finding + judging) / 2, deepest(domain.embed(pool), finding, judging)


def lookup(n: int, dim: int) -> tuple[int, int, float, float]:
    """Where g of a design of n points is found, for everyone who looks it up.

    The two design sizes, the weight of the upper one, and how much deeper inside the cube all points count:
    beyond the largest design the pattern shrinks towards the faces. Off the cube it stays what it is.
    """
    if n > LARGEST_DESIGN:
        return LARGEST_DESIGN, LARGEST_DESIGN, 0.0, (n / LARGEST_DESIGN) ** (1.0 / dim)
    return *bracket(max(n, 1)), 1.0


def bracket(n: int) -> tuple[int, int, float]:
    """The tabulated sizes around n and the weight of the upper one, linear in log n."""
    step = math.log(n) / math.log(SIZE_RATIO)
    lower = round(SIZE_RATIO ** math.floor(step + 1e-9))
    upper = round(SIZE_RATIO ** (math.floor(step + 1e-9) + 1))
    if upper == lower:
        return lower, upper, 0.0
    weight = (math.log(n) - math.log(lower)) / (math.log(upper) - math.log(lower))
    return lower, upper, min(max(weight, 0.0), 1.0)


def nearest_noise(noise: float) -> float:
    """The nearest tabulated noise level; below 1 % noise no longer matters to g."""
    noise = max(noise, 0.01)
    decade = 10.0 ** math.floor(math.log10(noise))
    levels = [digit * decade for digit in (*NOISE_DIGITS, 10.0)]
    return float(f"{min(levels, key=lambda level: abs(math.log(level / noise))):.3g}")


def interpolate(tables: Sequence[Array], u: Array) -> Array:
    """Interpolate folded tables ``(count,) * D`` at points ``(n, D)`` of the cube: ``(tables, n)``."""
    values, nodes = np.empty((len(tables), len(u))), axis_nodes(u.shape[1])
    for start in range(0, len(u), LOOKED_UP_TOGETHER):
        part = slice(start, start + LOOKED_UP_TOGETHER)
        place, weight = _corners(nodes, u[part])
        for row, table in zip(values, tables, strict=True):
            row[part] = np.einsum("cn,cn->n", weight, table.ravel().take(place))
    return values


def _corners(nodes: Array, u: Array) -> tuple[NDArray[np.intp], Array]:
    """Entries of a flattened table around each point, and their shares: ``(2 ** D, n)`` both."""
    dim, count = u.shape[1], len(nodes)
    distance = np.minimum(u.T, 1.0 - u.T, order="C").clip(0.0, 0.5)
    low = np.clip(np.searchsorted(nodes, distance, side="right") - 1, 0, count - 2)
    fraction = (distance - nodes[low]) / (nodes[low + 1] - nodes[low])
    place, weight = np.zeros((1, len(u)), dtype=np.intp), np.ones((1, len(u)))
    for axis in range(dim):
        step = count ** (dim - 1 - axis)
        place = place + low[axis] * step
        place = np.concatenate([place, place + step])
        high = weight * fraction[axis]
        weight = np.concatenate([weight - high, high])
    return place, weight


def deepest(P: Array, finding: Array, judging: Array, neighbours: int = 16) -> float:
    """Reference variance at the pool's deepest point: where a point and its neighbours know most.

    One half of the designs finds the place and the other half says how much is known there: the
    smallest of many noisy estimates, judged by itself, would always look deeper than it is.
    """
    from scipy.spatial import cKDTree

    k = min(neighbours, len(P))
    nearest = cKDTree(P).query(P, k=k)[1].reshape(len(P), k)
    place = int(np.argmin(finding[nearest].mean(axis=1)))
    return float(judging[nearest[place]].mean())
