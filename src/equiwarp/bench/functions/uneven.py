"""Functions on the unit cube that change in few places or along few inputs; nothing was chosen by them."""

from __future__ import annotations

import numpy as np

from equiwarp.bench.functions import formulas
from equiwarp.domains import Array


def peaks_inert(u: Array) -> Array:
    """Peaks of the first two inputs; the other two have no effect."""
    return formulas.peaks(6 * u[:, :2] - 3)


def hartmann_inert(u: Array) -> Array:
    """Hartmann's function of the first three inputs; the other three have no effect."""
    return formulas.hartmann3(u[:, :3])


def one_fast(u: Array) -> Array:
    """The first input acts ten times faster than the other two."""
    slow = 1.5 * (u[:, 1] + u[:, 2])
    return np.sin(15 * u[:, 0] + slow) * (1 + 0.5 * np.cos(slow))


def phases(u: Array) -> Array:
    """Two phases with a narrow curved boundary, each with a gentle course of its own."""
    beyond = formulas.sigmoid(40 * (((u - 0.2) ** 2).sum(axis=1) - 0.5))
    return (1 - beyond) * np.sin(3 * u[:, 0]) + beyond * (1.5 + 0.5 * np.cos(4 * u[:, 1] - u[:, 2]))


def needle(u: Array) -> Array:
    """A narrow peak on a slope."""
    return 2 * np.exp(-((u - np.array([0.62, 0.35, 0.7])) ** 2).sum(axis=1) / 0.015) + 0.3 * u[:, 0]
