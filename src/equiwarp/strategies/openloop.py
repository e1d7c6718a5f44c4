"""Designs fixed before anything is measured: a scrambled Sobol sequence and uniform random points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.seeds import DESIGN, stream
from equiwarp.strategies.base import OpenLoop


@dataclass(frozen=True)
class SobolSequence(OpenLoop):
    """The seed's Sobol sequence through the chart; an initial design is its beginning."""

    def points(self, domain: Domain, start: int, n: int, seed: int) -> Array:
        return domain.sample(n, stream(seed, DESIGN), start)


@dataclass(frozen=True)
class UniformRandom(OpenLoop):
    """Independent uniform points."""

    def points(self, domain: Domain, start: int, n: int, seed: int) -> Array:
        u = np.array([stream(seed, "random", i).random(domain.dim) for i in range(start, start + n)])
        return domain.snap(domain.from_cube(u.reshape(n, domain.dim)))
