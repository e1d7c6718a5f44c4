"""Gaussian processes: kernels, posteriors and their parameters.

One process chooses points, another predicts; they share no hyperparameter.

Notation, used by name here and in `models`, `geometry`, `strategy` and `engine`:

======== ==================================================================================
``D``    intrinsic dimension of the domain
``e``    number of kernel coordinates (D on a box, D + 1 on a sphere)
``N``    number of points conditioned on, pending ones included
``Z``    ``(N, e)`` conditioning points in kernel coordinates, warped if there is a warp
``P``    ``(m, e)`` pool in the same coordinates; ``U`` targets; ``Q`` probes
``K``    ``(N, N)`` kernel matrix; ``L`` the lower Cholesky factor of ``K + diag(noise_var)``
``V``    ``(N, m)`` whitened cross-covariance ``L^-1 k(Z, P)``; posterior variance = 1 - colsum V^2
``ell``  lengthscale in kernel coordinates
``y``    ``(n, k)`` standardised values; ``alpha = (K + noise)^-1 y``
======== ==================================================================================
"""

from equiwarp.gp.acquisition import AcquisitionGP
from equiwarp.gp.field import Field
from equiwarp.gp.kernels import Kernel, Matern52, Neumann
from equiwarp.gp.posterior import Posterior

__all__ = ["AcquisitionGP", "Field", "Kernel", "Matern52", "Neumann", "Posterior"]
