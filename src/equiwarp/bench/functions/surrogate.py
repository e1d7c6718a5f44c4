"""A continuous target from measured rows: the posterior mean of a Matern-5/2 ARD GP.

Hyperparameters are fitted by marginal likelihood on a fixed subset of rows (`bench surrogates` does
that and writes ``data/surrogates.json``); the posterior is conditioned on all rows, once, and its
weights are kept in the cache folder.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp.bench.functions.measured_data import load_measured_data
from equiwarp.bench.storage.files import write_npz
from equiwarp.domains import Array
from equiwarp.geometry.cache import folder
from equiwarp.gp.kernels import Matern52

#: Rows evaluated at a time: bounds memory, 512 x 9,568 kernel values are 39 MB.
ROWS_AT_A_TIME = 512


@dataclass(frozen=True)
class Hyperparameters:
    """Of standardised values: signal variance, lengthscales in [0, 1]^D, noise variance."""

    signal_var: float
    lengthscales: tuple[float, ...]
    noise_var: float

    @classmethod
    def of(cls, stored: dict[str, Any]) -> Hyperparameters:
        return cls(stored["signal_var"], tuple(stored["lengthscales"]), stored["noise_var"])


@dataclass(frozen=True)
class Surrogate:
    """Posterior mean given rows ``(n, D)`` in [0, 1]^D, with weights ``(n,)``; call it on ``(m, D)``."""

    hyperparameters: Hyperparameters
    U: Array
    weights: Array
    mean: float
    deviation: float

    @classmethod
    def condition(cls, hyperparameters: Hyperparameters, U: Array, y: Array) -> Surrogate:
        """Exactly, on all rows: O(n^3) once."""
        from scipy.linalg import cho_solve, cholesky

        mean, deviation = float(y.mean()), float(y.std())
        n = len(U)
        K = np.empty((n, n))
        for start in range(0, n, ROWS_AT_A_TIME):
            K[start : start + ROWS_AT_A_TIME] = covariance(
                hyperparameters, U[start : start + ROWS_AT_A_TIME], U
            )
        K.flat[:: n + 1] += hyperparameters.noise_var
        L = cholesky(K, lower=True, overwrite_a=True, check_finite=False)
        weights = cho_solve((L, True), (y - mean) / deviation, check_finite=False)
        return cls(hyperparameters, U, weights, mean, deviation)

    def __call__(self, u: Array) -> Array:
        """Predicted values ``(m,)`` in the units of y."""
        parts = [
            covariance(self.hyperparameters, u[start : start + ROWS_AT_A_TIME], self.U) @ self.weights
            for start in range(0, len(u), ROWS_AT_A_TIME)
        ]
        return self.mean + self.deviation * np.concatenate([np.empty(0), *parts])


def covariance(hyperparameters: Hyperparameters, A: Array, B: Array) -> Array:
    """Prior covariance ``(len(A), len(B))`` of standardised values, without noise."""
    scale = np.array(hyperparameters.lengthscales)
    return hyperparameters.signal_var * Matern52(1.0)(A / scale, B / scale)


@cache
def shipped_findings() -> dict[str, Any]:
    """What `bench surrogates` wrote: hyperparameters and held-out R^2 by data set."""
    return json.loads(files("equiwarp.bench").joinpath("data", "surrogates.json").read_text("utf-8"))


@cache
def surrogate(name: str) -> Surrogate:
    """The target of a real-data benchmark: from the cache folder, or conditioned now and kept there."""
    data = load_measured_data(name)
    hyperparameters = Hyperparameters.of(shipped_findings()[name]["hyperparameters"])
    key = hashlib.sha256(f"{data.digest} {hyperparameters}".encode()).hexdigest()
    directory = folder()
    path = None if directory is None else directory / f"surrogate-{name}-{key[:16]}.npz"
    weights = None if path is None else _read(path, key, len(data.y))
    if weights is not None:
        return Surrogate(hyperparameters, data.U, weights, float(data.y.mean()), float(data.y.std()))
    fitted = Surrogate.condition(hyperparameters, data.U, data.y)
    if path is not None:
        write_npz(path, weights=fitted.weights, key=np.array(key))
    return fitted


@dataclass(frozen=True)
class RealTarget:
    """A surrogate that is loaded when it is first evaluated."""

    name: str

    def __call__(self, u: Array) -> Array:
        return surrogate(self.name)(u)


def _read(path: Path, key: str, n: int) -> Array | None:
    try:
        with np.load(path, allow_pickle=False) as stored:
            weights = stored["weights"]
            sound = str(stored["key"]) == key and weights.shape == (n,) and bool(np.isfinite(weights).all())
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    return weights if sound else None
