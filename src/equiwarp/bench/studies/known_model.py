"""What choosing can gain where the model is known: the deviation that designs leave, without any value.

Under a Gaussian process with known lengthscale and noise, what a design leaves unknown does not depend on the
values. It can be computed for a whole domain, free of the luck of single functions: how much the integrated
variance saves over farthest points, what noise takes from it, and whether the targets that it is summed over
suffice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from equiwarp._util.seeds import stream
from equiwarp.bench.seeded import TEST
from equiwarp.bench.storage.csv_records import appended, kept_records, read_records
from equiwarp.domains import Array, Box
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import RunConfiguration, prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.gp.spacing import refit_size
from equiwarp.models.covariance import Covariance, Stationary, matern52
from equiwarp.strategy.map_models import FittedModel, TargetChoice
from equiwarp.strategy.model_field import ModelField

#: Points after which a design is judged, and the common start.
SIZES, START = (20, 40, 80, 160), 10
DIMENSIONS = (2, 4, 6)
#: Lengthscales in units of sqrt(D), as random functions have them.
LENGTHSCALES = (0.25, 0.6)
NOISES = (0.05, 0.0, 0.2, 0.5)
POOL, TESTS = 1024, 2048
FARTHEST = "fps"
#: Over how many targets the variance is summed, and whether others come with every fit.
TARGETS = {
    "256 targets": TargetChoice(256),
    "256, others with every fit": TargetChoice(256, renewed=True),
    "512, others with every fit": TargetChoice(512, renewed=True),
    "1024 targets": TargetChoice(1024),
}
#: The arms that noise other than 5 % is tried with.
USUAL_NOISE, WITH_NOISE = 0.05, (FARTHEST, "256, others with every fit")


@dataclass(frozen=True)
class KnownModelCase:
    """A model, and who chooses."""

    dim: int
    lengthscale: float
    noise: float
    arm: str
    seed: int


@dataclass(frozen=True)
class DeviationLeft:
    """The root mean square deviation over the domain after some points, the function's own being 1."""

    dim: int
    lengthscale: float
    noise: float
    arm: str
    seed: int
    points: int
    left: float


def known_model_cases(seeds: Sequence[int]) -> list[KnownModelCase]:
    """All arms under the usual noise, two of them under others."""
    return [
        KnownModelCase(dim, lengthscale, noise, arm, seed)
        for seed in seeds
        for noise in NOISES
        for dim in DIMENSIONS
        for lengthscale in LENGTHSCALES
        for arm in ((FARTHEST, *TARGETS) if noise == USUAL_NOISE else WITH_NOISE)
    ]


def design_left(case: KnownModelCase) -> Iterator[DeviationLeft]:
    """Choose, and judge at every size."""
    domain = Box.unit(case.dim)
    pool = domain.pool(POOL, stream(case.seed, "known model"))
    configuration = prepare(domain, FARTHEST, case.seed, pool=pool)
    model, test = known_model(case), domain.sample(TESTS, stream(0, TEST))
    x = domain.sample(START, stream(case.seed, "known start"))
    for size in SIZES:
        x = (
            _farthest(configuration, x, size)
            if case.arm == FARTHEST
            else integrated(configuration, model, case, x, size)
        )
        yield DeviationLeft(
            **asdict(case), points=size, left=round(deviation_left(model, x, test, case.noise), 6)
        )


def known_model(case: KnownModelCase) -> FittedModel:
    """A Matern of unit deviation with one lengthscale."""
    covariance = Covariance((Stationary(matern52, np.zeros(case.dim, dtype=np.intp)),))
    return FittedModel(covariance, np.array([0.0, math.log(case.lengthscale * math.sqrt(case.dim))]), 1.0)


def deviation_left(model: FittedModel, x: Array, test: Array, noise: float) -> float:
    """The root mean square deviation at the test points once all of ``x`` is measured."""
    K = model.prior(x, x)
    K.flat[:: len(x) + 1] += noise**2 + 1e-10
    V = solve_triangular(cholesky(K, lower=True), model.prior(x, test), lower=True)
    return float(np.sqrt(np.mean(1.0 - np.einsum("ij,ij->j", V, V))))


def integrated(
    configuration: RunConfiguration, model: FittedModel, case: KnownModelCase, x: Array, size: int
) -> Array:
    """As many points, each where the variance summed over the targets falls most."""
    chosen, pool, targets = TARGETS[case.arm], configuration.pool, configuration.targets
    field: ModelField | None = None
    while len(x) < size:
        if field is None or (chosen.renewed and refit_size(len(x)) == len(x)):
            here = targets[chosen.rows(len(x), len(targets))]
            field = ModelField.of(model, pool, here, x, np.full(len(x), case.noise**2))
        variance = field.s2[: len(pool)] + case.noise**2 + 1e-12
        drop = np.einsum("ij,ij->i", field.C, field.C) / variance
        drop[configuration.taken(x)] = -np.inf
        x = np.vstack([x, pool[int(np.argmax(drop))]])
        field = field.extended(x, np.full(len(x), case.noise**2))
    return x


def _farthest(configuration: RunConfiguration, x: Array, size: int) -> Array:
    known = Measurements.of(configuration.domain, x, np.zeros(len(x)), 1.0)
    return np.vstack([x, choose(configuration, known, size - len(x))[0].points])


def run_known_model(
    path: Path, cases: Sequence[KnownModelCase], progress: Callable[[list[KnownModelCase]], Any] = iter
) -> list[dict[str, Any]]:
    """Compute what the file lacks, append it, and return all records."""
    names = [f.name for f in fields(KnownModelCase)]
    known = kept_records(path)
    done = {tuple(r[name] for name in names) for r in known if r["points"] == SIZES[-1]}
    todo = [case for case in cases if tuple(asdict(case).values()) not in done]
    with appended(path, [f.name for f in fields(DeviationLeft)]) as append:
        for case in progress(todo):
            append([asdict(left) for left in design_left(case)])
    return read_records(path)
