"""Reference variance: what a space-filling design of N points leaves uncertain, on average.

``v_N(x) = E[s^2(x | X_N)]`` over scrambled Sobol designs, the paper's eq:reference_variance. On the
cube it is symmetric under reflections and permutations of the coordinates, so it is tabulated over
sorted distances to the faces only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.seeds import stream
from equiwarp.domains import Array, Domain
from equiwarp.domains.base import sobol
from equiwarp.gp.cholesky import safe_cholesky, whiten
from equiwarp.gp.kernels import Kernel

#: Positions per axis of the folded table, by dimension: about 500 entries each.
NODES = {1: 33, 2: 17, 3: 11, 4: 9, 5: 7, 6: 6}
#: Mirror images at which each entry is measured in each design.
IMAGES = 4
#: Work limits: designs for the table and for the centre, whose noise would scale the whole table. At
#: N = 256 in four dimensions an entry is known to 4 % and the centre to 3 %, in half a second.
TABLE_DESIGNS, CENTRE_DESIGNS = 48, 384
#: Designs that share a matrix scramble and differ by a digital shift; the shift alone makes each of
#: them uniform, and drawing it is a hundred times cheaper.
SHIFTS = 8
#: Designs with which a domain without symmetry is measured.
POOL_DESIGNS = 48
#: Pool points at which a domain without symmetry is measured; the others take their neighbours' mean.
MOST_MEASURED = 16_384


@dataclass(frozen=True)
class Reference:
    """Everything the reference variance depends on, apart from the position."""

    dim: int
    kernel: Kernel
    noise: float
    n: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the table on the folded cube."""
        return (len(axis_nodes(self.dim)),) * self.dim

    @property
    def designs(self) -> int:
        """Designs for the table: at least 24, fewer when each is expensive."""
        return max(24, min(TABLE_DESIGNS, 6_144 // self.n) * self._ease)

    @property
    def centre_designs(self) -> int:
        return max(96, min(CENTRE_DESIGNS, 32_768 // self.n) * self._ease)

    @property
    def _ease(self) -> int:
        """In one and two dimensions there are few entries, and the variance differs more between designs."""
        return 4 if self.dim <= 2 else 1


def axis_nodes(dim: int) -> Array:
    """Positions of the table along one axis: distances to the nearer face, denser near it."""
    count = NODES.get(dim, 5)
    return 0.5 * np.linspace(0.0, 1.0, count) ** 1.25


def cube_table(reference: Reference) -> tuple[Array, float]:
    """The reference variance on the folded cube, ``(nodes,) * dim``, and its value at the centre."""
    nodes = axis_nodes(reference.dim)
    keys = list(combinations_with_replacement(range(len(nodes)), reference.dim))
    folded = nodes[np.array(keys)]
    rng = stream(0, "reference", reference.dim, reference.n)
    total = np.zeros(len(folded))
    at_centre = []
    for X in _designs(reference, reference.designs, rng):
        images = np.concatenate([_image(folded, rng) for _ in range(IMAGES)])
        variance = _variance(reference, X, images).reshape(IMAGES, -1).mean(axis=0)
        total += variance
        at_centre.append(variance[-1])
    centre_point = np.full((1, reference.dim), 0.5)
    for X in _designs(reference, reference.centre_designs, rng):
        at_centre.append(_variance(reference, X, centre_point)[0])
    values, centre = total / reference.designs, float(np.mean(at_centre))
    values[-1] = centre
    return _unfold(keys, values, len(nodes), reference.dim), centre


def _designs(reference: Reference, count: int, rng: np.random.Generator) -> Iterator[Array]:
    """Scrambled Sobol designs ``(n, dim)``."""
    for i in range(count):
        if i % SHIFTS == 0:
            digits = np.rint(sobol(reference.dim, reference.n, rng) * 2.0**30).astype(np.int64)
        shift = rng.integers(2**30, size=reference.dim)
        yield np.clip((digits ^ shift) / 2.0**30, 1e-12, 1.0 - 1e-12)


def pool_variance(
    domain: Domain, reference: Reference, pool: Array, designs: int = POOL_DESIGNS, first: int = 0
) -> Array:
    """The reference variance measured at each pool point ``(m,)``, from design number ``first`` on.

    Every design meets other mirror images of the pool, so that places which are alike come out alike.
    """
    total = np.zeros(len(pool))
    for i in range(first, first + designs):
        rng = _design_stream(reference, i)
        X = _pool_design(domain, reference, rng)
        images = domain.mirrored(pool, rng)
        total += _variance(reference, domain.embed(X), domain.embed(images))
    return total / designs


def pool_designs(domain: Domain, reference: Reference, count: int) -> Iterator[Array]:
    """The designs with which :func:`pool_variance` measures, each ``(n, columns)``."""
    for i in range(count):
        yield _pool_design(domain, reference, _design_stream(reference, i))


def _design_stream(reference: Reference, i: int) -> np.random.Generator:
    return stream(0, "reference-pool", reference.n, i)


def _pool_design(domain: Domain, reference: Reference, rng: np.random.Generator) -> Array:
    """Enough distinct points for a design, drawn from what can be measured at all."""
    return domain.pool(2 * reference.n, rng)[: reference.n]


def measured_part(pool: Array) -> NDArray[np.intp]:
    """Rows of the pool ``(m, columns)`` to measure at: all of them, or a random part of a long list."""
    if len(pool) <= MOST_MEASURED:
        return np.arange(len(pool))
    return np.sort(stream(0, "reference-part").choice(len(pool), MOST_MEASURED, replace=False))


def from_part(P: Array, part: NDArray[np.intp], values: Array) -> Array:
    """Values at all of ``P`` (m, e), known at its rows ``part``: others take the mean of the four nearest."""
    if len(part) == len(P):
        return values
    from scipy.spatial import cKDTree

    tree, everywhere = cKDTree(P[part]), np.empty(len(P))
    for start in range(0, len(P), MOST_MEASURED):
        rows = slice(start, start + MOST_MEASURED)
        everywhere[rows] = values[tree.query(P[rows], k=4)[1]].mean(axis=1)
    everywhere[part] = values
    return everywhere


def _image(folded: Array, rng: np.random.Generator) -> Array:
    """Each row under a reflection and a permutation of its own."""
    shuffled = rng.permuted(folded, axis=1)
    return np.where(rng.random(folded.shape) < 0.5, shuffled, 1.0 - shuffled)


def _variance(reference: Reference, X: Array, A: Array) -> Array:
    L, _ = safe_cholesky(reference.kernel.gram(X), np.full(len(X), reference.noise**2))
    V = whiten(L, reference.kernel(X, A))
    return np.maximum(1.0 - np.einsum("ij,ij->j", V, V), 0.0)


def _unfold(keys: list[tuple[int, ...]], values: Array, count: int, dim: int) -> Array:
    """From sorted index tuples to the full symmetric grid."""
    index = np.sort(np.indices((count,) * dim).reshape(dim, -1), axis=0)
    place = {key: i for i, key in enumerate(keys)}
    flat = np.array([place[tuple(column)] for column in index.T.tolist()])
    return values[flat].reshape((count,) * dim)
