"""A ring between two circles: a domain as another package would write it, for the tests of the registry.

It has what a domain must have and nothing more: no view, no plain data, no words of its own.
"""

from __future__ import annotations

import math

import numpy as np

import equiwarp as ew


class Annulus(ew.Domain):
    """Points (x, y) whose distance from the origin is between two radii."""

    kind = "annulus"
    symmetry = "none"
    names = ("x", "y")
    dim = 2

    def __init__(self, inner: float, outer: float) -> None:
        if not 0 < inner < outer:
            raise ew.InvalidInput(f"the radii must be positive and ascending, got {inner} and {outer}")
        self.inner, self.outer = float(inner), float(outer)
        self.volume = math.pi * (1 - (self.inner / self.outer) ** 2)

    def __repr__(self) -> str:
        return f"Annulus({self.inner:g}, {self.outer:g})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Annulus) and (self.inner, self.outer) == (other.inner, other.outer)

    def __hash__(self) -> int:
        return hash((self.inner, self.outer))

    def to_cube(self, x, frame=None):
        square = (x**2).sum(axis=1)
        area = (square - self.inner**2) / (self.outer**2 - self.inner**2)
        return np.column_stack([area, np.arctan2(x[:, 1], x[:, 0]) / (2 * math.pi) + 0.5])

    def from_cube(self, u, frame=None):
        radius = np.sqrt(self.inner**2 + u[:, 0] * (self.outer**2 - self.inner**2))
        angle = 2 * math.pi * (u[:, 1] - 0.5)
        return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])

    def embed(self, x):
        return x / self.outer

    def contains(self, x):
        radius = np.hypot(x[:, 0], x[:, 1])
        return (radius >= self.inner - 1e-9) & (radius <= self.outer + 1e-9)

    def problem(self, point):
        if self.contains(point[None])[0]:
            return None
        return f"it is {math.hypot(*point):g} from the middle, not between {self.inner:g} and {self.outer:g}"
