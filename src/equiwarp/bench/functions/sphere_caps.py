"""Targets on spheres: soft caps, ``sigmoid(k (<x, c> - cos psi0))``, alone or in pairs.

The paper leaves centre, radius, steepness and the way two caps combine open. Here k = 20 and
psi0 = 0.8 rad for all of them; centres point in no direction that the chart or Sobol points prefer;
the two caps of a pair are 120 degrees apart, hence disjoint, and their values are added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from equiwarp.bench.functions.formulas import sigmoid
from equiwarp.domains import Array

STEEPNESS = 20.0
RADIUS = 0.8
SEPARATION = 2 * math.pi / 3
#: Other pairs on S^2 that do not overlap, radius in rad and distance in degrees: what hangs on the choice?
OTHER_PAIRS = tuple(
    (radius, degrees)
    for degrees in (90, 120, 150, 180)
    for radius in (0.6, 0.8, 1.0)
    if 2 * radius < math.radians(degrees) and (radius, degrees) != (RADIUS, 120)
)


@dataclass(frozen=True)
class Caps:
    """Sum of soft caps of equal radius around the given unit vectors."""

    centres: tuple[tuple[float, ...], ...]
    radius: float = RADIUS
    steepness: float = STEEPNESS

    def __call__(self, x: Array) -> Array:
        towards = x @ np.array(self.centres).T
        return np.sum(sigmoid(self.steepness * (towards - math.cos(self.radius))), axis=1)


def sphere_caps(d: int, count: int, radius: float = RADIUS, separation: float = SEPARATION) -> Caps:
    """One cap, or two, on S^d."""
    first = np.arange(1.0, d + 2)
    first /= np.linalg.norm(first)
    across = np.zeros(d + 1)
    across[:2] = (2.0, -1.0)  # orthogonal to (1, 2, ...)
    across /= np.linalg.norm(across)
    second = math.cos(separation) * first + math.sin(separation) * across
    return Caps(tuple(tuple(float(v) for v in centre) for centre in (first, second)[:count]), radius)


def pair_name(radius: float, degrees: int) -> str:
    """What the benchmark with such a pair on S^2 is called."""
    usual = (radius, degrees) == (RADIUS, 120)
    return "two-caps-s2" if usual else f"two-caps-s2-r{radius:g}-a{degrees}"
