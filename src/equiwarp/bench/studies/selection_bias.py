"""Selection-bias diagnostic: how far from the boundary does a criterion choose, before any value?

Candidates are stratified into shells by their distance to the nearest face, each shell represented in
proportion to its volume. For many independent scrambled Sobol designs the argmax of each criterion is
recorded. No function is involved, so what shows is the criterion's own taste (after Bankestad et al.).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.seeds import DESIGN, POOL, TARGETS, stream
from equiwarp.bench.functions.catalogue import NOISE_SHARE
from equiwarp.domains import Array, Box
from equiwarp.domains.base import sobol
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.exceptions import InvalidInput
from equiwarp.strategy import OpenLoop, Strategy, strategies

if TYPE_CHECKING:
    from equiwarp.engine.round import RoundCache

#: Outer and inner distances of ten equally thick shells; the last one is the cube's core.
SHELL_EDGES: Array = np.linspace(0.0, 0.5, 11)
PROFILED_ARMS = ("eig", "equalized", "nipv", "epig")
CANDIDATE_COUNT = 1024
STUDY_TARGETS = 512


@dataclass(frozen=True)
class SelectionProfile:
    """Where one criterion chose.

    Attributes
    ----------
    arm : str
    dim : int
    counts : (shells,) array
        Choices in each shell, from the faces inwards; they add up to the number of designs.
    """

    arm: str
    dim: int
    counts: Array

    @property
    def share(self) -> Array:
        """Fraction of the choices in each shell, ``(shells,)``."""
        return self.counts / self.counts.sum()

    @property
    def margin(self) -> tuple[Array, Array]:
        """Wilson 95 % interval of the shares: lower and upper ends, each ``(shells,)``."""
        return wilson(self.counts, float(self.counts.sum()))


def wilson(count: Array, total: float) -> tuple[Array, Array]:
    """95 % interval of a share ``count / total``: lower and upper ends, which hold the share itself."""
    p, z = np.asarray(count) / total, 1.96
    centre = (p + z**2 / (2 * total)) / (1 + z**2 / total)
    half = z / (1 + z**2 / total) * np.sqrt(p * (1 - p) / total + z**2 / (4 * total**2))
    return np.clip(centre - half, 0.0, p), np.clip(centre + half, p, 1.0)


def boundary_distance(u: Array) -> Array:
    """Distance of points ``(n, D)`` of the unit cube to the nearest face, ``(n,)``."""
    return np.minimum(u, 1.0 - u).min(axis=1)


def shell_volumes(dim: int, edges: Array = SHELL_EDGES) -> Array:
    """Volume of each shell of the unit cube, ``(len(edges) - 1,)``; they add up to 1."""
    return -np.diff((1.0 - 2.0 * edges) ** dim)


def shell_of(u: Array, edges: Array = SHELL_EDGES) -> NDArray[np.intp]:
    """Which shell each point lies in, ``(n,)`` of int."""
    inner = np.searchsorted(edges, boundary_distance(u), side="right") - 1
    return np.clip(inner, 0, len(edges) - 2)


def stratified(dim: int, count: int, rng: np.random.Generator, edges: Array = SHELL_EDGES) -> Array:
    """About ``count`` candidates, in each shell as many as its volume deserves and at least one."""
    parts = []
    wanted = np.maximum(np.round(count * shell_volumes(dim, edges)), 1).astype(int)
    for outer, inner, need in zip(edges[:-1], edges[1:], wanted, strict=True):
        # Draw in the subcube inside the outer face; the shell's part of it is known.
        kept = 1.0 - ((1.0 - 2.0 * inner) / (1.0 - 2.0 * outer)) ** dim
        drawn = sobol(dim, int(2 * need / kept) + 64, rng)
        points = outer + (1.0 - 2.0 * outer) * drawn
        parts.append(points[boundary_distance(points) < inner][:need])
    return np.concatenate(parts)


def selection_profiles(
    dim: int, designs: int = 256, arms: Sequence[str] = PROFILED_ARMS, n: int | None = None, seed: int = 0
) -> list[SelectionProfile]:
    """Selection profiles of the arms in ``[0, 1]^dim`` over designs of n points (the paper's n0)."""
    domain = Box.unit(dim)
    size = domain.n0 if n is None else n
    pool = stratified(dim, CANDIDATE_COUNT, stream(seed, POOL, dim))
    starts = [domain.sample(size, stream(seed, DESIGN, dim, i)) for i in range(designs)]
    found = []
    for arm in arms:
        configuration = prepare(
            domain,
            _blind(arm),
            seed,
            lengthscale=domain.spacing(size),
            pool=pool,
            response_scale=np.ones(1),
        )
        points: list[Array] = []
        cache: RoundCache | None = None
        for i, x in enumerate(starts):
            # Fresh targets for every design: the profile is the criterion's, not that of one target set.
            targets = domain.sample(STUDY_TARGETS, stream(seed, TARGETS, dim, i))
            # The values are never looked at by these strategies; zeros keep the gate's contract.
            measurements = Measurements.of(domain, x, np.zeros(size), NOISE_SHARE)
            suggestion, cache = choose(replace(configuration, targets=targets), measurements, 1, cache)
            points.append(suggestion.points[0])
        counts = np.bincount(shell_of(np.array(points)), minlength=len(SHELL_EDGES) - 1)
        found.append(SelectionProfile(arm, dim, counts.astype(float)))
    return found


def _blind(arm: str) -> Strategy:
    """A strategy whose choice needs no value; others have no profile before the first one."""
    strategy = strategies().get(arm)
    if strategy is None or isinstance(strategy.criterion, OpenLoop) or not strategy.observation_independent:
        possible = ", ".join((*PROFILED_ARMS, "fps", "neumann"))
        raise InvalidInput(f"{arm!r} has no profile before any value is known: choose from {possible}")
    return strategy
