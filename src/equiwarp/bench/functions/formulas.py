"""The synthetic functions of the paper's appendix, on their native domains.

Each takes points ``(n, D)`` and returns ``(n,)``. :class:`OnUnitCube` moves one to [0, 1]^D.

References: Gramacy and Lee 2012; Surjanovic and Bingham, Virtual Library of Simulation Experiments
(Beale, Hartmann, Levy, Styblinski-Tang, Zhou 1998); Friedman 1991; the paper's smooth box.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from equiwarp.domains import Array

Function = Callable[[Array], Array]

_ALPHA = np.array([1.0, 1.2, 3.0, 3.2])
_A3 = np.array([[3.0, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]])
_P3 = 1e-4 * np.array([[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]])
_A6 = np.array(
    [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
)
_P6 = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


@dataclass(frozen=True)
class OnUnitCube:
    """A function of the native domain, seen from [0, 1]^D; a class so that it can travel to workers."""

    function: Function
    native: tuple[tuple[float, float], ...]

    def __call__(self, u: Array) -> Array:
        low, high = np.array(self.native).T
        return self.function(low + u * (high - low))


def sigmoid(t: Array) -> Array:
    """1 / (1 + exp(-t)) without overflow."""
    return 0.5 * (1.0 + np.tanh(0.5 * t))


def peaks(x: Array) -> Array:
    a, b = x.T
    return (
        3 * (1 - a) ** 2 * np.exp(-(a**2) - (b + 1) ** 2)
        - 10 * (a / 5 - a**3 - b**5) * np.exp(-(a**2) - b**2)
        - np.exp(-((a + 1) ** 2) - b**2) / 3
    )


def smooth_box(x: Array) -> Array:
    """An orthant with soft walls: steepness 20, corner at -0.5 (eq:smooth_box)."""
    return np.prod(sigmoid(20.0 * (x + 0.5)), axis=1)


def gramacy_lee(x: Array) -> Array:
    return x[:, 0] * np.exp(-np.sum(x**2, axis=1))


def levy(x: Array) -> Array:
    w = 1 + (x - 1) / 4
    inner = np.sum((w[:, :-1] - 1) ** 2 * (1 + 10 * np.sin(np.pi * w[:, :-1] + 1) ** 2), axis=1)
    last = (w[:, -1] - 1) ** 2 * (1 + np.sin(2 * np.pi * w[:, -1]) ** 2)
    return np.sin(np.pi * w[:, 0]) ** 2 + inner + last


def zhou(x: Array) -> Array:
    dim = x.shape[1]

    def bump(centre: float) -> Array:
        return (2 * np.pi) ** (-dim / 2) * np.exp(-0.5 * np.sum((10 * (x - centre)) ** 2, axis=1))

    return 10.0**dim / 2 * (bump(1 / 3) + bump(2 / 3))


def beale(x: Array) -> Array:
    a, b = x.T
    return (1.5 - a + a * b) ** 2 + (2.25 - a + a * b**2) ** 2 + (2.625 - a + a * b**3) ** 2


def styblinski_tang(x: Array) -> Array:
    return 0.5 * np.sum(x**4 - 16 * x**2 + 5 * x, axis=1)


def friedman(x: Array) -> Array:
    return 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]


def hartmann3(x: Array) -> Array:
    return _hartmann(x, _A3, _P3)


def hartmann4(x: Array) -> Array:
    """The paper's formula with D = 4: the first four columns of the six-dimensional coefficients.

    The Virtual Library rescales its four-dimensional form to (1.1 - sum) / 0.839; the paper does not.
    """
    return _hartmann(x, _A6[:, :4], _P6[:, :4])


def hartmann6(x: Array) -> Array:
    return _hartmann(x, _A6, _P6)


def _hartmann(x: Array, A: Array, P: Array) -> Array:
    exponents = np.einsum("ij,nij->ni", A, (x[:, None, :] - P) ** 2)
    return -np.exp(-exponents) @ _ALPHA
