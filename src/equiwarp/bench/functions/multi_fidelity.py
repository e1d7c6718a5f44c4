"""Pairs of a dear and a cheap function of the multi-fidelity literature, and a pair that is none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equiwarp.bench.functions.random_families import Formula
from equiwarp.domains import Array, Box


@dataclass(frozen=True)
class FidelityPair:
    """A dear and a cheap function on a box, and how many values of the dear one there are."""

    name: str
    bounds: tuple[tuple[float, float], ...]
    dear: Formula
    cheap: Formula
    values: int

    @property
    def domain(self) -> Box:
        return Box({f"x{i + 1}": bounds for i, bounds in enumerate(self.bounds)})


def forrester(x: Array) -> Array:
    return np.asarray((6 * x[:, 0] - 2) ** 2 * np.sin(12 * x[:, 0] - 4))


def forrester_low(x: Array) -> Array:
    """Forrester et al. (2007)."""
    return 0.5 * forrester(x) + 10 * (x[:, 0] - 0.5) - 5


def branin(x: Array) -> Array:
    a, b = x.T
    wave = 10 * (1 - 1 / (8 * np.pi)) * np.cos(a)
    return np.asarray((b - 5.1 * a**2 / (4 * np.pi**2) + 5 * a / np.pi - 6) ** 2 + wave + 10)


def branin_low(x: Array) -> Array:
    """Perdikaris et al. (2017), medium fidelity."""
    return np.asarray(10 * np.sqrt(branin(x - 2)) + 2 * (x[:, 0] - 0.5) - 3 * (3 * x[:, 1] - 1) - 1)


def currin(x: Array) -> Array:
    a, b = x.T
    with np.errstate(divide="ignore", over="ignore"):
        steep = 1 - np.exp(-1 / (2 * np.maximum(b, 1e-12)))
    top = 2300 * a**3 + 1900 * a**2 + 2092 * a + 60
    return np.asarray(steep * top / (100 * a**3 + 500 * a**2 + 4 * a + 20))


def currin_low(x: Array) -> Array:
    """Xiong et al. (2013): the mean of four neighbours."""
    a, b = x.T
    up, down = b + 0.05, np.maximum(0.0, b - 0.05)
    places = [(a + 0.05, up), (a + 0.05, down), (a - 0.05, up), (a - 0.05, down)]
    return np.asarray(np.mean([currin(np.column_stack(place)) for place in places], axis=0))


def park(x: Array) -> Array:
    """Park (1991), function A."""
    a, b, c, d = x.T
    return np.asarray(a / 2 * (np.sqrt(1 + (b + c**2) * d / a**2) - 1) + (a + 3 * d) * np.exp(1 + np.sin(c)))


def park_low(x: Array) -> Array:
    """Xiong et al. (2013)."""
    a, b, c, _ = x.T
    return np.asarray((1 + np.sin(a) / 10) * park(x) - 2 * a + b**2 + c**2 + 0.5)


def borehole(x: Array, top: float = 2 * np.pi, one: float = 1.0) -> Array:
    rw, r, tu, hu, tl, hl, length, kw = x.T
    log = np.log(r / rw)
    return np.asarray(top * tu * (hu - hl) / (log * (one + 2 * length * tu / (log * rw**2 * kw) + tu / tl)))


def borehole_low(x: Array) -> Array:
    """Xiong et al. (2013)."""
    return borehole(x, top=5.0, one=1.5)


def unrelated(x: Array) -> Array:
    return np.asarray(50 * np.sin(x.sum(axis=1)))


BOREHOLE = (
    (0.05, 0.15), (100.0, 50_000.0), (63_070.0, 115_600.0), (990.0, 1110.0), (63.1, 116.0), (700.0, 820.0),
    (1120.0, 1680.0), (9855.0, 12_045.0),
)  # fmt: skip
PAIRS = (
    FidelityPair("Forrester, 1D", ((0.0, 1.0),), forrester, forrester_low, 6),
    FidelityPair("Branin, 2D", ((-5.0, 10.0), (0.0, 15.0)), branin, branin_low, 16),
    FidelityPair("Currin, 2D", ((0.0, 1.0),) * 2, currin, currin_low, 16),
    FidelityPair("Park A, 4D", ((1e-6, 1.0),) * 4, park, park_low, 24),
    FidelityPair("borehole, 8D", BOREHOLE, borehole, borehole_low, 24),
    FidelityPair("Branin, wrong prior", ((-5.0, 10.0), (0.0, 15.0)), branin, unrelated, 24),
)
