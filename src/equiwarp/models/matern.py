"""The prediction GP: what users read the map from. Fitted as usual, untouched by the acquisition.

scikit-learn's estimator with an anisotropic Matern-5/2, and a log-normal prior on each lengthscale
added to its likelihood (Hvarfner et al. 2024), maximised from several starts: from a single one, the
better of two optima is missed often enough to matter.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from sklearn.utils.validation import check_is_fitted, validate_data

from equiwarp.domains import Array, Domain
from equiwarp.gp.field import Field
from equiwarp.gp.kernels import Matern52
from equiwarp.models.base import MapModel

#: Lengthscales from which the fit is started, in units of sqrt(D); inputs span about one unit.
STARTING_LENGTHSCALES = (0.15, 0.5, 2.0)
LENGTHSCALE_BOUNDS = (5e-3, 1e2)
#: Of the standardised values: from one or two points, likelihood alone would claim to know everything.
SIGNAL_BOUNDS = (0.05, 1e4)
NOISE_BOUNDS = (1e-8, 1.0)
#: Hyperparameters are fitted on at most this many points; all of them are conditioned on.
MOST_FITTED = 1000
#: Least noise variance relative to the values' variance, for the sake of the factorisation.
SMALLEST_MODEL_NOISE_VAR = 1e-10


class _MapRegressor(GaussianProcessRegressor):
    """scikit-learn's regressor whose likelihood carries the lengthscale prior."""

    def log_marginal_likelihood(
        self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> Any:
        result = super().log_marginal_likelihood(theta, eval_gradient, clone_kernel)
        if theta is None:
            return result
        dim = self.X_train_.shape[1]
        place = slice(
            1, 1 + np.size(self.kernel_.k1.k2.length_scale if self._noisy else self.kernel_.k2.length_scale)
        )
        offset = np.asarray(theta)[place] - (math.sqrt(2.0) + math.log(dim) / 2.0)
        prior = float(np.sum(-np.asarray(theta)[place] - offset**2 / 6.0))
        if not eval_gradient:
            return result + prior
        value, gradient = result
        gradient = np.array(gradient)
        gradient[place] += -1.0 - offset / 3.0
        return value + prior, gradient

    @property
    def _noisy(self) -> bool:
        return hasattr(self.kernel_, "k1") and isinstance(getattr(self.kernel_, "k2", None), WhiteKernel)


class PredictionGP(RegressorMixin, BaseEstimator, MapModel):
    """Matern-5/2 Gaussian process with MAP hyperparameters; a scikit-learn regressor.

    Parameters
    ----------
    noise : float, array of shape (n,) or None
        Standard deviation of the values' noise, in their units; None estimates it.
    ard : bool
        One lengthscale per input, or one for all (spheres, where no axis is special).
    starts : int
        How many of the starting lengthscales to use, 1 to 3.

    Attributes
    ----------
    lengthscale_ : (d,) array
    signal_, noise_ : float
        Prior deviation of the function and deviation of the noise, in the units of y.
    jitter_ : float
        Variance added for the factorisation, relative to the values' variance; 0 as a rule.

    Notes
    -----
    Inputs are expected to span about one unit per column, as the kernel coordinates of a domain do.
    Not for discontinuous functions, nor for more than some ten thousand points.
    """

    def __init__(self, noise: Any = None, ard: bool = True, starts: int = 3) -> None:
        self.noise = noise
        self.ard = ard
        self.starts = starts

    def fit(self, X: Any, y: Any) -> PredictionGP:
        """Fit hyperparameters by MAP and condition on all rows of ``X`` (n, d), values ``y`` (n,)."""
        X, y = validate_data(self, X, y, y_numeric=True, dtype=np.float64)
        y = np.asarray(y, dtype=float)
        self.center_ = float(y.mean())
        deviation = float(y.std())
        self.scale_ = deviation if deviation > 1e-12 * float(np.abs(y).max()) else 1.0
        standard = (y - self.center_) / self.scale_
        noise_var = None
        if self.noise is not None:
            noise_var = np.broadcast_to((np.asarray(self.noise, dtype=float) / self.scale_) ** 2, (len(y),))
        self.regressor_, self.jitter_ = self._fit_standardised(X, standard, noise_var)
        self._unpack(noise_var)
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Mean ``(n,)`` of the function, and its deviation ``(n,)`` (without noise) if asked for."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        if not return_std:
            return self.center_ + self.scale_ * self.regressor_.predict(X)
        means, deviations = [], []
        # In chunks: scikit-learn builds (chunk, n) matrices, and a map may have a million points.
        for part in np.array_split(X, max(1, math.ceil(len(X) / 4096))):
            mean, total = self._posterior(part)
            means.append(mean)
            deviations.append(total)
        return self.center_ + self.scale_ * np.concatenate(means), np.concatenate(deviations)

    def leave_one_out(self) -> tuple[Array, Array]:
        """Residuals ``(n,)`` of each value against the model without it, and their predicted deviations."""
        check_is_fitted(self)
        L = self.regressor_.L_
        inverse_factor = np.linalg.inv(L)
        precision = np.einsum("ij,ij->j", inverse_factor, inverse_factor)
        residual = np.ravel(self.regressor_.alpha_) / precision
        return self.scale_ * residual, self.scale_ / np.sqrt(precision)

    @classmethod
    def fit_map(cls, domain: Domain, Z: Array, y: Array, noise: Array | None) -> PredictionGP:
        """One lengthscale per kernel coordinate, or one for all where no direction is special."""
        return cls(noise=noise, ard=domain.symmetry != "homogeneous").fit(Z, y)

    def rolled_forward(self, everywhere: Array, coming: Array, ahead: Array) -> Array:
        """Root mean square deviation with the coming points and 0, 1, ... of those ahead, ``(a + 1,)``."""
        known = self.regressor_.X_train_
        noise_var = np.asarray(self.regressor_.alpha, dtype=float) * self.scale_**2
        if self.noise is None:
            noise_var = noise_var + self.noise_**2
        field = Field.of(
            Matern52(1.0),
            everywhere / self.lengthscale_,
            known / self.lengthscale_,
            np.broadcast_to(noise_var / self.signal_**2, (len(known),)).copy(),
        )
        each = max((self.noise_ / self.signal_) ** 2, 1e-10)
        for z in coming / self.lengthscale_:
            field = field.add(z, each)
        course: list[float] = [float(np.sqrt(np.mean(field.variance)))]
        for z in ahead / self.lengthscale_:
            field = field.add(z, each)
            course.append(float(np.sqrt(np.mean(field.variance))))
        return self.signal_ * np.array(course)

    def _posterior(self, X: Array) -> tuple[Array, Array]:
        from scipy.linalg import solve_triangular

        K = self.latent_kernel_(self.regressor_.X_train_, X)
        mean = K.T @ np.ravel(self.regressor_.alpha_)
        V = solve_triangular(self.regressor_.L_, K, lower=True, check_finite=False)
        variance = np.maximum(self.latent_kernel_.diag(X) - np.einsum("ij,ij->j", V, V), 0.0)
        return mean, self.scale_ * np.sqrt(variance)

    def _fit_standardised(self, X: Array, y: Array, noise_var: Array | None) -> tuple[_MapRegressor, float]:
        subset = np.arange(len(y))
        if len(y) > MOST_FITTED:
            subset = np.sort(np.random.default_rng(0).choice(len(y), MOST_FITTED, replace=False))
        fitted, jitter = self._attempt(
            X[subset],
            y[subset],
            None if noise_var is None else noise_var[subset],
            self._kernel(X, noise_var),
            True,
        )
        if len(subset) < len(y):
            fitted, jitter = self._attempt(X, y, noise_var, fitted.kernel_, False)
        return fitted, jitter

    def _attempt(
        self, X: Array, y: Array, noise_var: Array | None, kernel: Any, optimise: bool
    ) -> tuple[_MapRegressor, float]:
        """Fit with the least jitter that factorises."""
        jitter = 0.0
        while True:
            alpha = (
                np.full(len(y), SMALLEST_MODEL_NOISE_VAR)
                if noise_var is None
                else np.maximum(noise_var, SMALLEST_MODEL_NOISE_VAR)
            )
            model = _MapRegressor(
                kernel, alpha=alpha + jitter, optimizer=self._optimise if optimise else None
            )
            try:
                with warnings.catch_warnings():
                    # A lengthscale at its bound is a flat direction, not a failure.
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    return model.fit(X, y), jitter
            except np.linalg.LinAlgError:
                jitter = max(1e-9, 10 * jitter)
                if jitter > 1e-3:
                    raise

    def _kernel(self, X: Array, noise_var: Array | None) -> Any:
        scale = np.full(X.shape[1], 0.5) if self.ard and X.shape[1] > 1 else 0.5
        kernel = ConstantKernel(1.0, SIGNAL_BOUNDS) * Matern(scale, LENGTHSCALE_BOUNDS, nu=2.5)
        return kernel if noise_var is not None else kernel + WhiteKernel(1e-2, NOISE_BOUNDS)

    def _optimise(self, loss: Any, theta: Array, bounds: Array) -> tuple[Array, float]:
        """L-BFGS-B from each starting lengthscale; the best end wins."""
        dim = len(theta) - 1 - int(self.noise is None)
        best: tuple[Array, float] = (theta, np.inf)
        for start in STARTING_LENGTHSCALES[: max(1, self.starts)]:
            begin = theta.copy()
            begin[1 : 1 + dim] = math.log(start * math.sqrt(self.n_features_in_))
            found = minimize(loss, begin, jac=True, method="L-BFGS-B", bounds=bounds)
            if found.fun < best[1]:
                best = (found.x, float(found.fun))
        return best

    def _unpack(self, noise_var: Array | None) -> None:
        kernel = self.regressor_.kernel_
        latent = kernel if noise_var is not None else kernel.k1
        self.latent_kernel_ = latent
        self.signal_ = self.scale_ * math.sqrt(latent.k1.constant_value)
        self.lengthscale_ = np.broadcast_to(latent.k2.length_scale, (self.n_features_in_,)).copy()
        relative = kernel.k2.noise_level if noise_var is None else float(np.median(noise_var))
        self.noise_ = self.scale_ * math.sqrt(relative)
