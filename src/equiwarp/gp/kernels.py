"""Matern-5/2 and its reflected (Neumann) relative, both with unit variance.

The kernel of every acquisition GP. ``Matern52`` is isotropic in the domain's kernel coordinates: on
a sphere those are unit vectors, so its distance is the chordal one. ``Neumann`` completes the
correlation neighbourhood that a face of the cube cuts off with mirror images (Bankestad et al.).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from equiwarp.domains import Array

SQRT5 = math.sqrt(5.0)
#: Entries of a kernel matrix that are worked on at once, so that they stay in the processor's cache.
BLOCK_ENTRIES = 1 << 15
#: Rows of a symmetric kernel matrix that are computed at once; what lies above them is a mirror image.
STRIPE = 48


class Kernel(ABC):
    """A positive definite function with unit diagonal on kernel coordinates."""

    ell: float

    @abstractmethod
    def __call__(self, A: Array, B: Array) -> Array:
        """``k(a_i, b_j)``, shape ``(len(A), len(B))``."""

    def of_point(self, z: Array, A: Array) -> Array:
        """``k(z, a_i)`` of one point ``(e,)``, shape ``(len(A),)``."""
        return self(A, z[None])[:, 0]

    def gram(self, A: Array) -> Array:
        """``k(a_i, a_j)``, shape ``(len(A), len(A))``, each pair computed about once."""
        return _mirrored(len(A), lambda rows, columns: self(A[rows], A[columns]))

    @abstractmethod
    def weighted_gradient(self, A: Array, B: Array, w: Array) -> Array:
        """``sum_j w_j grad_a k(a_i, b_j)``, shape ``(len(A), e)`` for weights ``(len(B),)``."""


@dataclass(frozen=True)
class Matern52(Kernel):
    """k(r) = (1 + s + s^2/3) exp(-s) with s = sqrt(5) r / ell.

    Not for functions with kinks or jumps: its sample paths are twice differentiable.
    """

    ell: float

    def __call__(self, A: Array, B: Array) -> Array:
        values = np.empty((len(A), len(B)))
        for _, s, spare in _distance_blocks(A, B, SQRT5 / self.ell, values):
            correlate(s, spare)
        return values

    def of_point(self, z: Array, A: Array) -> Array:
        apart = A - z
        s = np.sqrt(np.einsum("ij,ij->i", apart, apart))
        s *= SQRT5 / self.ell
        correlate(s, np.empty_like(s))
        return s

    def gram(self, A: Array) -> Array:
        left, right = square_factors(A, A, SQRT5 / self.ell)

        def block(rows: slice, columns: slice) -> Array:
            s = left[rows] @ right[:, columns]
            correlate(np.sqrt(np.maximum(s, 0.0, out=s), out=s), np.empty_like(s))
            return s

        return _mirrored(len(A), block)

    @staticmethod
    def of_scaled_distance(s: Array) -> Array:
        """The kernel as a function of s = sqrt(5) r / ell."""
        return (1.0 + s * (1.0 + s / 3.0)) * np.exp(-s)

    def slope_blocks(self, A: Array, B: Array, out: Array | None = None) -> Iterator[tuple[slice, Array]]:
        """Radial slopes between A and B, some rows at a time, written to ``out`` if it is given.

        Without it, a block is overwritten by the next one.
        """
        for rows, s, spare in _distance_blocks(A, B, SQRT5 / self.ell, out):
            decline(s, spare, self.ell)
            yield rows, s

    def slopes(self, A: Array, B: Array) -> Array:
        """Radial slopes k'(r) / r between A and B, ``(len(A), len(B))``: finite at r = 0.

        grad_a k(a, b) is the slope times a - b.
        """
        values = np.empty((len(A), len(B)))
        for _ in self.slope_blocks(A, B, values):
            pass
        return values

    def slopes_from(self, z: Array, B: Array, square: Array) -> Array:
        """Radial slopes between one point ``(e,)`` and B, ``(len(B),)``, whose ``square`` norms are known."""
        s = B @ (-2.0 * z)
        s += square
        s += z @ z
        np.sqrt(np.maximum(s, 0.0, out=s), out=s)
        s *= SQRT5 / self.ell
        decline(s, np.empty_like(s), self.ell)
        return s

    def weighted_gradient(self, A: Array, B: Array, w: Array) -> Array:
        slopes = self.slopes(A, B)
        total = slopes @ np.column_stack([w, w[:, None] * B])
        return A * total[:, :1] - total[:, 1:]

    def weighted_derivatives(self, A: Array, B: Array, w: Array) -> tuple[Array, Array]:
        """First and second derivatives of ``sum_j w_j k(a, b_j)`` at each a: ``(n, e)`` and ``(n, e, e)``.

        With a - b = r and s = sqrt(5) |r| / ell, the Hessian of k is
        -5/(3 ell^2) (1 + s) e^-s I + 25/(3 ell^4) e^-s r r^T.
        """
        moments, first = moments_of(B, w), 1 + A.shape[1]
        plain, decayed = np.empty((len(A), first)), np.empty((len(A), moments.shape[1]))
        for rows, s, spare in _distance_blocks(A, B, SQRT5 / self.ell, None):
            np.exp(np.negative(s, out=spare), out=spare)
            np.matmul(spare, moments, out=decayed[rows])
            s += 1.0
            s *= spare
            np.matmul(s, moments[:, :first], out=plain[rows])
        return derivatives_of_sums(self, A, plain, decayed)


@dataclass(frozen=True)
class Neumann(Kernel):
    """Product over dimensions of reflected Matern-5/2 kernels on [0, 1], normalised to unit diagonal.

    In each dimension k_N(x, x') = sum_n [kappa(x - x' + 2n) + kappa(x + x' + 2n)], the paper's
    ``eq:neumann_1d``, for as many images as reach the cube. Its slope across a face is zero. It
    evens out the variance near faces, but not how little of the domain a boundary point informs.
    """

    ell: float

    @property
    def images(self) -> int:
        """Images on each side; kappa is below 1e-14 beyond s = 40."""
        return max(1, math.ceil(40.0 * self.ell / SQRT5 / 2.0))

    def __call__(self, A: Array, B: Array) -> Array:
        value = np.ones((len(A), len(B)))
        for i in range(A.shape[1]):
            value *= self._axis(A[:, i], B[:, i])
        return value

    def weighted_gradient(self, A: Array, B: Array, w: Array) -> Array:
        factors = [self._axis(A[:, i], B[:, i]) for i in range(A.shape[1])]
        columns = []
        for i in range(A.shape[1]):
            others = np.ones((len(A), len(B)))
            for j, factor in enumerate(factors):
                if j != i:
                    others *= factor
            columns.append((self._axis_slope(A[:, i], B[:, i]) * others) @ w)
        return np.column_stack(columns)

    def _axis(self, a: Array, b: Array) -> Array:
        return self._sum(a, b, _matern) / np.sqrt(np.outer(self._diagonal(a), self._diagonal(b)))

    def _axis_slope(self, a: Array, b: Array) -> Array:
        """Derivative of :meth:`_axis` by a, quotient rule over the normalisation."""
        scale = SQRT5 / self.ell
        diagonal = self._diagonal(a)
        diagonal_slope = 2 * scale * sum(_matern_slope(scale * (2 * a + 2 * n)) for n in self._shifts)
        norm = np.sqrt(np.outer(diagonal, self._diagonal(b)))
        slope: Array = scale * self._sum(a, b, _matern_slope) / norm
        correction = 0.5 * (diagonal_slope / diagonal)[:, None] * self._sum(a, b, _matern) / norm
        return slope - correction

    def _sum(self, a: Array, b: Array, f: Callable[[Array], Array]) -> Array:
        scale = SQRT5 / self.ell
        difference, total = a[:, None] - b[None, :], a[:, None] + b[None, :]
        images = (f(scale * (difference + 2 * n)) + f(scale * (total + 2 * n)) for n in self._shifts)
        return sum(images, start=np.zeros_like(total))

    def _diagonal(self, a: Array) -> Array:
        scale = SQRT5 / self.ell
        images = (_matern(scale * 2.0 * n) + _matern(scale * (2 * a + 2 * n)) for n in self._shifts)
        return sum(images, start=np.zeros_like(a))

    @property
    def _shifts(self) -> range:
        return range(-self.images, self.images + 1)


def _mirrored(n: int, block: Callable[[slice, slice], Array]) -> Array:
    """A symmetric matrix ``(n, n)`` from blocks of rows and columns on and below its diagonal."""
    values = np.empty((n, n))
    for start in range(0, n, STRIPE):
        rows = slice(start, min(start + STRIPE, n))
        below = block(rows, slice(0, rows.stop))
        values[rows, : rows.stop] = below
        values[:start, rows] = below[:, :start].T
    return values


def scaled_distance(A: Array, B: Array, ell: float) -> Array:
    """sqrt(5) |a_i - b_j| / ell, shape ``(len(A), len(B))``, by the expanded square.

    Cancellation can leave a few 1e-8 instead of zero for coincident points; for this kernel, flat to
    second order at zero, that changes values by less than 1e-15.
    """
    values = np.empty((len(A), len(B)))
    for _ in _distance_blocks(A, B, SQRT5 / ell, values):
        pass
    return values


def _distance_blocks(
    A: Array, B: Array, scale: float, out: Array | None
) -> Iterator[tuple[slice, Array, Array]]:
    """Rows, scaled distances of these rows of A to all of B, and a buffer of the same shape.

    The distances are a view of ``out`` if it is given, and otherwise overwritten by the next block.
    """
    for rows, square, spare in square_blocks(A, B, scale, out):
        yield rows, np.sqrt(square, out=square), spare


def square_blocks(
    A: Array, B: Array, scale: float, out: Array | None
) -> Iterator[tuple[slice, Array, Array]]:
    """The same with the squares of the distances."""
    left, right = square_factors(A, B, scale)
    height = min(max(1, BLOCK_ENTRIES // max(1, len(B))), max(1, len(A)))
    spare = np.empty((height, len(B)))
    own = np.empty((height, len(B))) if out is None else spare
    for start in range(0, len(A), height):
        rows = slice(start, min(start + height, len(A)))
        s = own[: rows.stop - start] if out is None else out[rows]
        np.matmul(left[rows], right, out=s)
        yield rows, np.maximum(s, 0.0, out=s), spare[: len(s)]


def square_factors(A: Array, B: Array, scale: float) -> tuple[Array, Array]:
    """|a - b|^2 as one product: (a, |a|^2, 1) with (-2 b, 1, |b|^2), of points that are scaled first."""
    A, B = A * scale, B * scale
    left = np.column_stack([A, np.einsum("ij,ij->i", A, A), np.ones(len(A))])
    right = np.vstack([-2.0 * B.T, np.ones(len(B)), np.einsum("ij,ij->i", B, B)])
    return left, right


def correlate(s: Array, spare: Array) -> None:
    """Replace scaled distances by (1 + s + s^2/3) exp(-s); ``spare`` is overwritten."""
    np.multiply(s, 1.0 / 3.0, out=spare)
    spare += 1.0
    spare *= s
    spare += 1.0
    np.exp(np.negative(s, out=s), out=s)
    s *= spare


def decline(s: Array, spare: Array, ell: float) -> None:
    """Replace scaled distances by radial slopes -5/(3 ell^2) (1 + s) exp(-s); ``spare`` is overwritten."""
    np.subtract(-1.0, s, out=spare)
    np.subtract(math.log(5.0 / 3.0) - 2.0 * math.log(ell), s, out=s)  # the factor, for no further pass
    np.exp(s, out=s)
    s *= spare


def moments_of(B: Array, w: Array) -> Array:
    """Weights ``(n,)`` times 1, each coordinate, and each product of two: ``(n, 1 + e + e (e + 1) / 2)``."""
    i, j = np.triu_indices(B.shape[1])
    return w[:, None] * np.concatenate([np.ones((len(B), 1)), B, B[:, i] * B[:, j]], axis=1)


def derivatives_of_sums(kernel: Matern52, A: Array, plain: Array, decayed: Array) -> tuple[Array, Array]:
    """Derivatives at A from sums over the moments: ``plain`` of (1 + s) e^-s, ``decayed`` of e^-s."""
    e = A.shape[1]
    i, j = np.triu_indices(e)
    inward = -5.0 / (3.0 * kernel.ell**2)
    gradient = inward * (A * plain[:, :1] - plain[:, 1:])
    first = decayed[:, 1 : 1 + e]
    half = (
        A[:, i] * A[:, j] * decayed[:, :1]
        - A[:, i] * first[:, j]
        - A[:, j] * first[:, i]
        + decayed[:, 1 + e :]
    )
    half *= 25.0 / (3.0 * kernel.ell**4)
    half[:, i == j] += inward * plain[:, :1]
    hessian = np.empty((len(A), e, e))
    hessian[:, i, j] = hessian[:, j, i] = half
    return gradient, hessian


def _matern(s: Array | float) -> Array:
    s = np.abs(s)
    return (1.0 + s * (1.0 + s / 3.0)) * np.exp(-s)


def _matern_slope(s: Array) -> Array:
    """d/ds of the one-dimensional kernel at signed s."""
    return -s * (1.0 + np.abs(s)) * np.exp(-np.abs(s)) / 3.0
