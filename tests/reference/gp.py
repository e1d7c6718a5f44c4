"""The posterior of a Gaussian process by its textbook formulas, with an explicit inverse."""

from __future__ import annotations

import numpy as np


def matern52(A, B, ell):
    """k(a_i, b_j) from all pairwise differences, ``(len(A), len(B))``."""
    r = np.sqrt(((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2))
    s = np.sqrt(5.0) * r / ell
    return (1 + s + s**2 / 3) * np.exp(-s)


def neumann(A, B, ell, images=60):
    """The reflected product kernel as printed, with far more images than can matter."""
    k = np.ones((len(A), len(B)))
    for i in range(A.shape[1]):
        a, b = A[:, i], B[:, i]
        diagonal = np.sqrt(
            np.outer([_reflected(t, t, ell, images) for t in a], [_reflected(t, t, ell, images) for t in b])
        )
        k *= _reflected(a[:, None], b[None, :], ell, images) / diagonal
    return k


def _reflected(a, b, ell, images):
    total = 0.0
    for n in range(-images, images + 1):
        for distance in (a - b + 2 * n, a + b + 2 * n):
            s = np.sqrt(5.0) * np.abs(distance) / ell
            total = total + (1 + s + s**2 / 3) * np.exp(-s)
    return total


def posterior(kernel, Z, y, noise_var, A, B=None):
    """Mean ``(a, k)`` at A and covariance ``(a, b)`` between A and B (A itself by default)."""
    B = A if B is None else B
    inverse = np.linalg.inv(kernel(Z, Z) + np.diag(noise_var))
    mean = kernel(A, Z) @ inverse @ y
    covariance = kernel(A, B) - kernel(A, Z) @ inverse @ kernel(Z, B)
    return mean, covariance


def log_likelihood(kernel, Z, y, noise_var):
    """Log density of values ``(n, k)``, responses independent, without the constant."""
    C = kernel(Z, Z) + np.diag(noise_var)
    _, log_determinant = np.linalg.slogdet(C)
    return float(-0.5 * np.sum(y * (np.linalg.inv(C) @ y)) - 0.5 * y.shape[1] * log_determinant)


def gradient(f, x, h=1e-5):
    """Central differences of a function of one point ``(e,)``: ``(e, ...)``."""
    steps = h * np.eye(len(x))
    return np.array([(f(x + step) - f(x - step)) / (2 * h) for step in steps])
