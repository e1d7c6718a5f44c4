"""The reconstruction-driven density: where the posterior mean varies, more points are needed.

Minimising the integral of |grad f|^2 p^(-2/D) over densities p gives p* ~ |grad f|^(2D/(D+2)),
the paper's eq:opt_density. The gradient of f is unknown, so that of the posterior mean stands in,
over a uniform floor that keeps unexplored regions alive (eq:target_density).
"""

from __future__ import annotations

import numpy as np

from equiwarp.domains import Array

#: Uniform component of the target density; ours, the paper leaves it open.
RHO_0 = 1.0
#: Floor of the root-mean-square gradient, the paper's epsilon.
SMALLEST_GRADIENT = 1e-8


def target_density(gradient_norm: Array, dim: int, rho_0: float = RHO_0) -> Array:
    """Unnormalised density rho-hat at the probes from the mean's gradient norms, both ``(q,)``.

    Depends on the pattern of the gradient, not its scale: c is its root mean square over the probes.
    An exactly flat mean gives the constant ``rho_0``.
    """
    c = max(float(np.sqrt(np.mean(gradient_norm**2))), SMALLEST_GRADIENT)
    return rho_0 + (gradient_norm / c) ** (2.0 * dim / (dim + 2.0))


def gradient_norm(gradient: Array) -> Array:
    """Root sum of squares over coordinates and responses of ``(q, e, k)`` gradients, ``(q,)``."""
    return np.sqrt(np.einsum("qek,qek->q", gradient, gradient))
