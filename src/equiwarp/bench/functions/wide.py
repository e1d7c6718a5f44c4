"""Functions of 8 to 20 parameters, many of them inert, on their native domains; nothing was chosen by them.

References: Dette and Pepelyshev 2010; Friedman 1991; Linkletter et al. 2006; Welch et al. 1992; Moon 2010
(the OTL circuit with fourteen inert inputs).
"""

from __future__ import annotations

import numpy as np

from equiwarp.bench.functions import formulas
from equiwarp.bench.functions.physical import OTL_CIRCUIT, NativeRanges, otl_circuit
from equiwarp.domains import Array

#: The circuit's inputs and fourteen without any effect.
OTL_20D: NativeRanges = (*OTL_CIRCUIT, *((0.0, 1.0),) * 14)
WELCH: NativeRanges = ((-0.5, 0.5),) * 20


def dette_8d(x: Array) -> Array:
    """Strongly curved in some inputs, nearly flat in the others."""
    inner = np.cumsum(x[:, 2:], axis=1)[:, 1:]
    return (
        4 * (x[:, 0] - 2 + 8 * x[:, 1] - 8 * x[:, 1] ** 2) ** 2
        + (3 - 4 * x[:, 1]) ** 2
        + 16 * np.sqrt(x[:, 2] + 1) * (2 * x[:, 2] - 1) ** 2
        + np.log1p(inner) @ np.arange(4, 9)
    )


def friedman_10d(x: Array) -> Array:
    """Friedman's function with five inert inputs."""
    return formulas.friedman(x[:, :5])


def linkletter_sine(x: Array) -> Array:
    """Two active inputs, one five times faster than the other, and eight inert ones."""
    return np.sin(x[:, 0]) + np.sin(5 * x[:, 1])


def otl_20d(x: Array) -> Array:
    """The OTL circuit with fourteen inert inputs."""
    return otl_circuit(x[:, :6])


def welch(x: Array) -> Array:
    """Twenty inputs on [-0.5, 0.5]: two without effect, some that interact, some nearly linear."""
    linear = {2: 0.05, 3: 0.08, 5: 1.0, 6: -0.03, 7: 0.03, 9: -0.09, 10: -0.01, 11: -0.07, 14: -0.04,
              15: 0.06, 17: -0.01, 18: -0.03, 19: -5.0}  # fmt: skip
    y = sum(weight * x[:, i - 1] for i, weight in linear.items())
    return np.asarray(
        y
        + 5 * x[:, 11] / (1 + x[:, 0])
        + 5 * (x[:, 3] - x[:, 19]) ** 2
        + 40 * x[:, 18] ** 3
        + 0.25 * x[:, 12] ** 2
    )
