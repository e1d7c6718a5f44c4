"""Random functions of numbers and a category, to choose constants by: ``mixed-2d-7`` and its like.

Categories share a random wave and have each a wave and a shift of their own; how much is shared is drawn,
too, from nearly nothing to nearly all. There are three to eight categories.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp.bench.functions.random_families import RandomFunction, random_function
from equiwarp.domains import Array, Box

FAMILY = "mixed"
#: Fewest and most categories.
CATEGORIES = (3, 8)
#: Range of the share of the variance that all categories have in common, and deviation of their shifts.
SHARED, SHIFT = (0.1, 0.95), 0.7


@dataclass(frozen=True)
class RandomMixed:
    """A function of ``dim`` numbers in [0, 1] and the number of a category, which comes last."""

    dim: int
    seed: int
    shared: RandomFunction
    own: tuple[RandomFunction, ...]
    share: float
    shifts: tuple[float, ...]

    @property
    def name(self) -> str:
        return f"{FAMILY}-{self.dim}d-{self.seed}"

    @property
    def domain(self) -> Box:
        """Where it lives."""
        numbers = {f"x{i + 1}": (0.0, 1.0) for i in range(self.dim)}
        return Box({**numbers, "kind": [f"kind {chr(65 + c)}" for c in range(len(self.own))]})

    def __call__(self, x: Array) -> Array:
        u, kind = x[:, : self.dim], x[:, self.dim].astype(int)
        own = np.choose(kind, [one(u) for one in self.own])
        return (
            math.sqrt(self.share) * self.shared(u)
            + math.sqrt(1 - self.share) * own
            + np.array(self.shifts)[kind]
        )


def random_mixed(dim: int, seed: int) -> RandomMixed:
    """The function that dimension and seed stand for; the same today and tomorrow."""
    rng = stream(seed, "random mixed", dim)
    count = int(rng.integers(CATEGORIES[0], CATEGORIES[1] + 1))
    waves = [random_function("isotropic", dim, int(n)) for n in rng.integers(10**6, 10**9, count + 1)]
    share = float(rng.uniform(*SHARED))
    shifts = tuple((SHIFT * rng.standard_normal(count)).tolist())
    return RandomMixed(dim, seed, waves[0], tuple(waves[1:]), share, shifts)
