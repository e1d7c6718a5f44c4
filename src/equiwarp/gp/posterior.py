"""``Posterior``: what a criterion may ask of any posterior over a pool, exact, bounded or local.

One interface, three ways to keep it: :class:`~equiwarp.gp.field.Field` knows everything everywhere,
:class:`~equiwarp.gp.fast.bounded.BoundedField` looks closely only where the maximum can be, and
:class:`~equiwarp.gp.fast.local.LocalField` lets each place see the measurements around it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.gp.kernels import Kernel

#: Numbers of rows of a pool.
RowNumbers = NDArray[np.intp]


class Posterior(ABC):
    """Posterior of a unit-variance GP at fixed points; immutable, extended point by point.

    Attributes
    ----------
    kernel : Kernel
    P : (m, e) array
        Where it is asked for.
    Z : (N, e) array
        What it is conditioned on.
    noise_var : (N,) array
        Noise variances there.
    jitter : float
        What the factorisation needed on top of the noise; 0 as a rule.
    """

    kernel: Kernel
    P: Array
    Z: Array
    noise_var: Array
    jitter: float

    @property
    @abstractmethod
    def variance(self) -> Array:
        """Posterior variance at ``P``, ``(m,)``."""

    @abstractmethod
    def add(self, z: Array, noise_var: float) -> Self:
        """The posterior given one more point ``(e,)`` as well."""

    def best(self, weights: Array | None, free: NDArray[np.bool_]) -> tuple[Self, int]:
        """The row of ``P`` with the largest weighted variance, and the posterior with what the search found.

        ``weights`` (m,) multiply the variance, if given. Rows that are not ``free`` (m,) are left out.
        """
        score = self.variance if weights is None else weights * self.variance
        return self, int(np.argmax(np.where(free, score, -np.inf)))

    def variance_at(self, i: int) -> float:
        """Posterior variance at row i of ``P``."""
        return float(self.variance[i])
