"""The map's model written down plainly: scikit-learn's Gaussian process with the hyperparameters given."""

from __future__ import annotations

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

import equiwarp as ew

BOX = ew.Box({"temperature": {"low": 20, "high": 90, "unit": "°C"}, "pH": (3, 9)})
NOISE = 0.4


def measured(n=14, noise=NOISE, seed=0):
    """Points, and values with a deviation of about 5: neither centred nor scaled."""
    rng = np.random.default_rng(seed)
    x = BOX.sample(n, rng)
    u = BOX.to_cube(x)
    return x, 40 + 8 * np.sin(5 * u[:, 0]) + 3 * u[:, 1] + noise * rng.standard_normal(n)


def fixed(model, Z, y):
    """The same model conditioned on other data."""
    kernel = ConstantKernel(model.signal_**2) * Matern(model.lengthscale_, nu=2.5)
    alpha = model.noise_**2
    return GaussianProcessRegressor(kernel, alpha=alpha, optimizer=None).fit(Z, y - model.center_)


def everywhere(n=4000):
    """Kernel coordinates of points spread over the box, drawn independently of the package."""
    return np.random.default_rng(99).random((n, 2))


def rms(values):
    return float(np.sqrt(np.mean(np.square(values))))
