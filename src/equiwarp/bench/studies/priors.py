"""The priors of the map's models: what a tighter or looser one costs or saves, on random functions only.

Few values fit many hyperparameters, and what then holds them together decides how good the first maps are.
Each variant changes one number of the families; everything else, points and values included, is the same.
Records are appended to a CSV file as they come; what is in it is not computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.pages.markdown import markdown_table
from equiwarp.bench.seeded import SeededBenchmark, held_out_part
from equiwarp.bench.storage.csv_records import read_records
from equiwarp.bench.studies.choosing import RANDOM, ChoosingCase, choosing_cases
from equiwarp.bench.studies.resumed import run_cases
from equiwarp.domains import Array, Domain
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.models import DEFAULT_MODELS, find_model
from equiwarp.models.average import fit_average
from equiwarp.models.covariance import Covariance, Term
from equiwarp.models.gaussian_process import GaussianProcess

Varying = TypeVar("Varying", Term, Covariance)

#: How many values the maps are made from.
SIZES = (10, 16, 24, 40, 80)
#: What is compared, by name: the fields of covariances and their terms that differ from the map's own.
VARIANTS: dict[str, dict[str, float]] = {
    "as it is": {},
    "lengthscales free": {"spread": 100.0},
    "lengthscales twice as far apart": {"spread": 1.4},
    "lengthscales half as far apart": {"spread": 0.35},
    "envelope free": {"coefficient_spread": 100.0},
    "envelope twice as bold": {"coefficient_spread": 0.5},
    "exponents twice as bold": {"exponent_spread": 1.0},
    "exponents half as bold": {"exponent_spread": 0.25},
    "level known": {"level": 0.0},
    "level three times as far off": {"level": 9.0},
}


@dataclass(frozen=True)
class PriorError:
    """The true error of one map, in deviations of the function."""

    benchmark: str
    dim: int
    variant: str
    n: int
    error: float


def varied(family: type[GaussianProcess], changes: Mapping[str, float]) -> type[GaussianProcess]:
    """The family with other numbers in its covariance and in those terms of it that have them."""

    class Varied(family):  # type: ignore[misc, valid-type]
        @classmethod
        def covariance_on(cls, domain: Domain, Z: Array) -> Covariance:
            known = family.covariance_on(domain, Z)
            terms = tuple(_changed(term, changes) for term in known.terms)
            return _changed(replace(known, terms=terms), changes)

    return Varied


def _changed(part: Varying, changes: Mapping[str, float]) -> Varying:
    own = {f.name for f in fields(part)}  # type: ignore[arg-type]
    return replace(part, **{name: value for name, value in changes.items() if name in own})  # type: ignore[type-var, arg-type]


def errors_under(case: ChoosingCase, variant: str) -> list[PriorError]:
    """Maps of farthest points under one variant, from few and more values."""
    benchmark = find_benchmark(case.benchmark)
    seeded, domain = SeededBenchmark(benchmark, case.seed), benchmark.domain
    x = farthest_points(seeded)
    y, Z = seeded.measure(x), domain.embed(x)
    places, truth = held_out_part(benchmark)
    families = {m: varied(find_model(m), VARIANTS[variant]) for m in DEFAULT_MODELS}  # type: ignore[arg-type]
    used = {m: family for m, family in families.items() if family.applies(domain)}
    found = []
    for n in SIZES:
        model = fit_average(used, domain, Z[:n], y[:n], np.full(n, seeded.noise), {})
        missed = float(np.sqrt(np.mean((model.predict(places) - truth) ** 2)))
        found.append(PriorError(case.benchmark, benchmark.dim, variant, n, missed / seeded.deviation))
    return found


def farthest_points(seeded: SeededBenchmark) -> Array:
    """Farthest points after the first few of the seed's Sobol sequence."""
    domain = seeded.benchmark.domain
    start = seeded.start[: SIZES[0]]
    configuration = prepare(domain, "fps", seeded.seed, pool=seeded.pool)
    known = Measurements.of(domain, start, seeded.measure(start), seeded.noise)
    return np.vstack([start, choose(configuration, known, SIZES[-1] - len(start))[0].points])


def run_priors(
    path: Path,
    seeds: Sequence[int],
    variants: Sequence[str] = tuple(VARIANTS),
    progress: Callable[[list[tuple[str, str]]], Any] = iter,
) -> list[dict[str, Any]]:
    """Compute what the file lacks, append it, and return all records."""
    known = {case.benchmark: case for case in choosing_cases(RANDOM, seeds)}
    wanted = [(name, variant) for name in known for variant in variants]

    def judge(todo: tuple[str, str]) -> list[PriorError]:
        return errors_under(known[todo[0]], todo[1])

    run_cases(path, PriorError, wanted, judge, lambda r: (r["benchmark"], r["variant"]), progress)
    return read_records(path)


def priors_table(records: Sequence[dict[str, Any]]) -> str:
    """Each variant's error over that of the map as it is, and how often a constant would be better."""
    error = {(r["variant"], r["benchmark"], r["n"]): float(r["error"]) for r in records}
    known = list(dict.fromkeys(r["variant"] for r in records))
    lines = []
    for variant in known:
        cells, worse = [variant], []
        for n in SIZES:
            here = [b for v, b, m in error if v == variant and m == n and ("as it is", b, n) in error]
            ratio = np.log([error[variant, b, n] / error["as it is", b, n] for b in here])
            sem = ratio.std(ddof=1) / np.sqrt(len(ratio)) if len(ratio) > 1 else 0.0
            cells.append(f"{np.exp(ratio.mean()):.2f} ± {sem:.2f}")
            worse.append(f"{100 * np.mean([error[variant, b, n] > 1.0 for b in here]):.0f}")
        lines.append([*cells, " / ".join(worse) + " %"])
    head = ["prior", *(f"{n} values" for n in SIZES), "worse than a constant"]
    return markdown_table(head, lines)
