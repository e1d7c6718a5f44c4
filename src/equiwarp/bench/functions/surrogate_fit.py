"""How the surrogates' hyperparameters and held-out R^2 came about: `bench surrogates` runs this.

The paper prints R^2 without saying how rows were held out. Both common ways are reported: two-fold
(each half predicts the other; every row is held out once) and one split that keeps 90 %. Whatever is
predicted took no part in fitting, hyperparameters included.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.seeds import stream
from equiwarp.bench.functions.measured_data import MeasuredData
from equiwarp.bench.functions.surrogate import Hyperparameters, Surrogate
from equiwarp.domains import Array

RowIndices = NDArray[np.int64]

#: Rows on which the likelihood is maximised; all rows would take hours and change little.
FITTING_ROWS = 1000
#: Starting lengthscales; the better optimum is kept.
START_LENGTHSCALES = (0.3, 1.0)


def fit_hyperparameters(U: Array, y: Array) -> Hyperparameters:
    """Maximise the marginal likelihood of standardised values on a fixed subset of rows."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    rows = fitting_rows(len(U))
    values = (y[rows] - y.mean()) / y.std()
    fits = []
    for start in START_LENGTHSCALES:
        matern = Matern(np.full(U.shape[1], start), (1e-2, 1e2), nu=2.5)
        kernel = ConstantKernel(1.0, (1e-3, 1e4)) * matern + WhiteKernel(0.05, (1e-6, 1.0))
        # alpha would be a second noise beside the kernel's own.
        fits.append(GaussianProcessRegressor(kernel, alpha=0.0).fit(U[rows], values))
    best = max(fits, key=lambda gp: gp.log_marginal_likelihood_value_).kernel_
    lengthscales = tuple(float(v) for v in best.k1.k2.length_scale)
    return Hyperparameters(float(best.k1.k1.constant_value), lengthscales, float(best.k2.noise_level))


def fitting_rows(n: int) -> RowIndices:
    """The rows of n on which hyperparameters are fitted."""
    return stream(0, "surrogate-subset").permutation(n)[:FITTING_ROWS]


def held_out_folds(n: int) -> dict[str, list[RowIndices]]:
    """Held-out rows by the way of holding out."""
    order = stream(0, "surrogate-folds").permutation(n)
    return {"two-fold": [order[: n // 2], order[n // 2 :]], "ninety-percent": [order[: n // 10]]}


def held_out_r2(
    data: MeasuredData, held_out: list[RowIndices], hyperparameters: list[Hyperparameters]
) -> float:
    """R^2 of predictions for rows that were held out, pooled over folds."""
    square = 0.0
    for rows, theta in zip(held_out, hyperparameters, strict=True):
        kept = np.setdiff1d(np.arange(len(data.y)), rows)
        predicted = Surrogate.condition(theta, data.U[kept], data.y[kept])(data.U[rows])
        square += float(np.sum((predicted - data.y[rows]) ** 2))
    truth = data.y[np.concatenate(held_out)]
    return 1.0 - square / float(np.sum((truth - truth.mean()) ** 2))


def surrogate_study(data: MeasuredData) -> dict[str, Any]:
    """Everything that ``data/surrogates.json`` says of one data set."""
    found: dict[str, Any] = {
        "rows": len(data.y),
        "hyperparameters": asdict(fit_hyperparameters(data.U, data.y)),
        "held_out": {},
    }
    for way, held_out in held_out_folds(len(data.y)).items():
        kept = [np.setdiff1d(np.arange(len(data.y)), rows) for rows in held_out]
        thetas = [fit_hyperparameters(data.U[rows], data.y[rows]) for rows in kept]
        found["held_out"][way] = {
            "r2": held_out_r2(data, held_out, thetas),
            "hyperparameters": [asdict(theta) for theta in thetas],
        }
    return found
