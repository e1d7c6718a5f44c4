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


def plain_map(x, y, **more):
    """A map of the one model that is written down here."""
    return ew.build_map(BOX, x, y, models=("matern",), **more)


def fixed(map, Z, y):
    """The same model conditioned on other data."""
    (model,) = map.models[0].members
    signal, *lengths = np.exp(model.hyperparameters_["logarithms"])
    level = ConstantKernel(model.scale_**2)
    kernel = ConstantKernel((signal * model.scale_) ** 2) * Matern(lengths, nu=2.5) + level
    return GaussianProcessRegressor(kernel, alpha=model.noise_**2, optimizer=None).fit(Z, y - model.center_)


def centre(map):
    """What the model takes off the values first."""
    return map.models[0].members[0].center_


def everywhere(n=4000):
    """Kernel coordinates of points spread over the box, drawn independently of the package."""
    return np.random.default_rng(99).random((n, 2))


def rms(values):
    return float(np.sqrt(np.mean(np.square(values))))
