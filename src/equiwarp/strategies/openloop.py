"""Designs fixed before anything is measured: a scrambled Sobol sequence and uniform random points."""

from __future__ import annotations

from dataclasses import dataclass

from equiwarp.domains import Array, Domain
from equiwarp.seeds import DESIGN, stream
from equiwarp.strategies.base import OpenLoop


@dataclass(frozen=True)
class SobolSequence(OpenLoop):
    """The seed's Sobol sequence through the chart; an initial design is its beginning."""

    def points(self, domain: Domain, start: int, n: int, seed: int) -> Array:
        return _all_of(domain.sample(n, stream(seed, DESIGN), start), n)


@dataclass(frozen=True)
class UniformRandom(OpenLoop):
    """Independent uniform points; from a list, its entries in random order."""

    def points(self, domain: Domain, start: int, n: int, seed: int) -> Array:
        return _all_of(domain.scatter(n, lambda i: stream(seed, "random", i), start), n)


def _all_of(points: Array, n: int) -> Array:
    if len(points) < n:
        raise ValueError(f"n = {n}, but only {len(points)} entries of the list are left: ask for fewer")
    return points
