"""k-nearest-neighbour reconstruction on the test set, one distance pass per added point.

The paper's primary readout (eq:onenn) is k = 1: the noise-free value at the nearest design point. It
has no kernel and no fitted quantity. k = 3 and 5 average the nearest noise-free values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equiwarp.domains import Array


@dataclass
class Nearest:
    """The k nearest design points of every test point.

    Attributes
    ----------
    truth : (m,) array
    square : (k, m) array
        Squared distances, ascending; infinite where there are fewer than k points.
    value : (k, m) array
        Noise-free values at those points.
    """

    columns: Array
    truth: Array
    square: Array
    value: Array

    @classmethod
    def of(cls, test: Array, truth: Array, k: int) -> Nearest:
        """No design point yet; test points ``(m, e)`` in kernel coordinates."""
        m = len(test)
        return cls(np.ascontiguousarray(test.T), truth, np.full((k, m), np.inf), np.zeros((k, m)))

    def add(self, z: Array, value: float) -> None:
        """One more design point ``(e,)``. Of equally near points, the earlier one counts."""
        square = np.square(self.columns[0] - z[0])
        for column, coordinate in zip(self.columns[1:], z[1:], strict=True):
            square += np.square(column - coordinate)
        nearer = np.flatnonzero(square < self.square[-1])
        if len(self.square) == 1:
            self.square[0, nearer] = square[nearer]
            self.value[0, nearer] = value
            return
        all_squares = np.vstack([self.square[:, nearer], square[nearer]])
        all_values = np.vstack([self.value[:, nearer], np.full(len(nearer), value)])
        order = np.argsort(all_squares, axis=0, kind="stable")[:-1]
        self.square[:, nearer] = np.take_along_axis(all_squares, order, axis=0)
        self.value[:, nearer] = np.take_along_axis(all_values, order, axis=0)

    def error(self) -> float:
        """Mean squared error of the reconstruction."""
        if len(self.square) == 1:
            residual = self.value[0] - self.truth
        else:
            known = np.isfinite(self.square)
            residual = np.sum(self.value * known, axis=0) / np.maximum(known.sum(axis=0), 1) - self.truth
        return float(residual @ residual) / len(residual)


def nearest_trajectory(test: Array, truth: Array, Z: Array, values: Array, n0: int, k: int = 1) -> Array:
    """Error with the first n0, n0 + 1, ... design points, ``(n - n0 + 1,)``."""
    state = Nearest.of(test, truth, k)
    errors = []
    for i, (z, value) in enumerate(zip(Z, values, strict=True)):
        state.add(z, float(value))
        if i >= n0 - 1:
            errors.append(state.error())
    return np.array(errors)
