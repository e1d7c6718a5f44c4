"""Designs fixed before anything is measured: a scrambled Sobol sequence and uniform random points."""

from __future__ import annotations

from dataclasses import dataclass

from equiwarp._util.seeds import DESIGN, stream
from equiwarp.domains import Array, Domain
from equiwarp.strategy.base import OpenLoop


@dataclass(frozen=True)
class SobolDesign(OpenLoop):
    """The seed's Sobol sequence through the chart; an initial design is its beginning."""

    def points(self, domain: Domain, start: int, n: int, seed: int) -> Array:
        return domain.sample(n, stream(seed, DESIGN), start)


@dataclass(frozen=True)
class UniformRandom(OpenLoop):
    """Independent uniform points; from a list, its entries in random order."""

    def points(self, domain: Domain, start: int, n: int, seed: int) -> Array:
        return domain.scatter(n, lambda i: stream(seed, "random", i), start)
