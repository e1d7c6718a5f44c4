"""The map beside other people's models on the same points: who predicts the function best?

Each rival is used as its documentation shows it, with the noise told where it can be told. Those that are not
installed are left out; a later run with them adds their column.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp.bench.seeded import held_out_part
from equiwarp.bench.storage.csv_records import kept_records
from equiwarp.bench.studies.map_quality import MapCase, Truth, design_of
from equiwarp.bench.studies.resumed import run_cases
from equiwarp.domains import Array
from equiwarp.maps.map import build_map

RECORDS = "map-rivals.csv"
#: The map itself, among the models.
MAP = "map"
#: Rounds of the design after which models are compared.
STAGE = 60

#: Model -> its error on one design.
RivalRow = dict[str, float | None]
#: Points, values, deviation of their noise, and where to predict: the predicted values.
Rival = Callable[[Array, Array, float, Array], Array]


def scikit_learn(X: Array, y: Array, noise: float, places: Array) -> Array:
    """A Matern-5/2 with one lengthscale per parameter, five restarts."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern

    kernel = ConstantKernel(1.0) * Matern(np.full(X.shape[1], 0.5), (1e-2, 1e2), nu=2.5)
    scale = float(y.std())
    model = GaussianProcessRegressor(
        kernel, alpha=(noise / scale) ** 2, normalize_y=True, n_restarts_optimizer=5, random_state=0
    )
    return np.asarray(model.fit(X, y).predict(places))


def thin_plate(X: Array, y: Array, noise: float, places: Array) -> Array:
    """SciPy's thin-plate spline, smoothed as much as five-fold cross-validation likes best."""
    from scipy.interpolate import RBFInterpolator

    fold = np.random.default_rng(0).permutation(len(y)) % 5
    losses = {}
    for smoothing in (0.0, *np.geomspace(1e-4, 10.0, 8)):
        missed = []
        for i in range(5):
            part = RBFInterpolator(X[fold != i], y[fold != i], smoothing=float(smoothing))
            missed.append(part(X[fold == i]) - y[fold == i])
        losses[float(smoothing)] = float(np.sum(np.concatenate(missed) ** 2))
    return np.asarray(RBFInterpolator(X, y, smoothing=min(losses, key=losses.__getitem__))(places))


def botorch(X: Array, y: Array, noise: float, places: Array) -> Array:
    """SingleTaskGP with known noise, as fit_gpytorch_mll fits it."""
    import torch
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from gpytorch.mlls import ExactMarginalLogLikelihood

    def column(values: Array) -> Any:
        return torch.as_tensor(np.ascontiguousarray(values), dtype=torch.float64)

    torch.manual_seed(0)
    model = SingleTaskGP(column(X), column(y[:, None]), column(np.full((len(y), 1), noise**2)))
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    with torch.no_grad():
        mean: Array = model.posterior(column(places)).mean.numpy().ravel()
    return mean


def smt(X: Array, y: Array, noise: float, places: Array) -> Array:
    """SMT's kriging with a Matern-5/2 and the noise given."""
    from smt.surrogate_models import KRG

    model = KRG(
        corr="matern52",
        noise0=[(noise / float(y.std())) ** 2],
        eval_noise=False,
        n_start=5,
        print_global=False,
    )
    model.set_training_values(X, y)
    model.train()
    return np.asarray(model.predict_values(places)).ravel()


#: Name, the package it needs, and the rival.
RIVALS: dict[str, tuple[str, Rival]] = {
    "scikit-learn, Matern ARD": ("sklearn", scikit_learn),
    "SciPy, thin-plate spline": ("scipy", thin_plate),
    "BoTorch, SingleTaskGP": ("botorch", botorch),
    "SMT, kriging": ("smt", smt),
}


@dataclass(frozen=True)
class RivalCase:
    """A model on the design of a benchmark and a seed."""

    benchmark: str
    seed: int
    model: str


@dataclass(frozen=True)
class RivalRecord:
    """The error of a model on a design, in deviations of the function; None where it failed."""

    benchmark: str
    seed: int
    model: str
    error: float | None


def run_rivals(
    path: Path,
    cases: Sequence[MapCase],
    designs: Path | None,
    progress: Callable[[list[RivalCase]], Any] = iter,
) -> list[RivalRow]:
    """Errors of the map and of every rival that is installed; what the file lacks is appended."""
    models = [MAP, *(name for name, (package, _) in RIVALS.items() if find_spec(package))]
    by_place = {(case.benchmark, case.seed): case for case in cases}
    wanted = [RivalCase(*place, model) for place in by_place for model in models]

    def judge(case: RivalCase) -> list[RivalRecord]:
        return [_judge(by_place[case.benchmark, case.seed], case.model, designs)]

    def case_of(record: Mapping[str, Any]) -> RivalCase:
        return RivalCase(record["benchmark"], record["seed"], record["model"])

    run_cases(path, RivalRecord, wanted, judge, case_of, progress)
    return known_rivals(path, cases)


def known_rivals(path: Path, cases: Sequence[MapCase]) -> list[RivalRow]:
    """What the file has of these cases: a row for each, with the error of each model that was tried."""
    found: dict[tuple[str, int], RivalRow] = {}
    for r in kept_records(path):
        found.setdefault((r["benchmark"], r["seed"]), {})[r["model"]] = r["error"]
    return [found[place] for case in cases if (place := (case.benchmark, case.seed)) in found]


def _judge(case: MapCase, model: str, designs: Path | None) -> RivalRecord:
    cell = design_of(case, designs)
    seeded, n = cell.seeded, cell.n0 + STAGE
    truth = Truth(*held_out_part(seeded.benchmark), seeded.deviation)
    domain, x, y = seeded.benchmark.domain, cell.x[:n], cell.y[:n]
    if model == MAP:
        error = truth.error_of(build_map(domain, x, y, seeded.noise))
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                rival = RIVALS[model][1]
                error = truth.rms(rival(domain.embed(x), y, seeded.noise, truth.Z))
            except Exception:  # a rival that fails on a case has no value there, and the page says how often
                error = math.nan
    rounded = float(f"{error:.6g}") if math.isfinite(error) else None
    return RivalRecord(case.benchmark, case.seed, model, rounded)
