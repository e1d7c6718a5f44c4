"""Functions by which nothing was chosen or tuned, on the unit cube: points ``(n, D)`` to values ``(n,)``.

References: Surjanovic and Bingham, Virtual Library of Simulation Experiments (Branin, Franke, Ackley,
Rosenbrock, Ishigami, Michalewicz, borehole); ``front``, ``peak`` and ``plane`` are made up here.
"""

from __future__ import annotations

from math import e

import numpy as np

from equiwarp.domains import Array


def branin(u: Array) -> Array:
    a, b = 15 * u[:, 0] - 5, 15 * u[:, 1]
    bowl = b - 5.1 / (4 * np.pi**2) * a**2 + 5 / np.pi * a - 6
    return bowl**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(a) + 10


def franke(u: Array) -> Array:
    a, b = 9 * u[:, 0], 9 * u[:, 1]
    return (
        0.75 * np.exp(-((a - 2) ** 2) / 4 - (b - 2) ** 2 / 4)
        + 0.75 * np.exp(-((a + 1) ** 2) / 49 - (b + 1) / 10)
        + 0.5 * np.exp(-((a - 7) ** 2) / 4 - (b - 3) ** 2 / 4)
        - 0.2 * np.exp(-((a - 4) ** 2) - (b - 7) ** 2)
    )


def ackley(u: Array) -> Array:
    x = 10 * u - 5
    waves = np.exp(np.cos(2 * np.pi * x).mean(axis=1))
    return -20 * np.exp(-0.2 * np.sqrt((x**2).mean(axis=1))) - waves + 20 + e


def rosenbrock(u: Array) -> Array:
    x = 4 * u - 2
    return (100 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1 - x[:, :-1]) ** 2).sum(axis=1)


def front(u: Array) -> Array:
    """A steep front across the square, on a gentle wave."""
    return np.tanh(20 * (u[:, 0] + u[:, 1] - 1.1)) + 0.3 * np.sin(4 * u[:, 0])


def peak(u: Array) -> Array:
    """A narrow peak on a plain."""
    return np.exp(-((u - 0.3) ** 2).sum(axis=1) / 0.02)


def plane(u: Array) -> Array:
    return u.sum(axis=1)


def ishigami(u: Array) -> Array:
    x = np.pi * (2 * u - 1)
    return np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])


def michalewicz(u: Array) -> Array:
    x, i = np.pi * u, np.arange(1, u.shape[1] + 1)
    return -(np.sin(x) * np.sin(i * x**2 / np.pi) ** 20).sum(axis=1)


def borehole(u: Array) -> Array:
    low = np.array([0.05, 100, 63070, 990, 63.1, 700, 1120, 9855])
    high = np.array([0.15, 50000, 115600, 1110, 116, 820, 1680, 12045])
    rw, r, tu, hu, tl, hl, length, kw = (low + (high - low) * u).T
    ln = np.log(r / rw)
    return 2 * np.pi * tu * (hu - hl) / (ln * (1 + 2 * length * tu / (ln * rw**2 * kw) + tu / tl))
