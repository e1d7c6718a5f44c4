"""What each family of the map is worth, and how large a handicap must be, on random functions only.

All families are fitted once to farthest points. The average is then made without one of them, or with other
handicaps. Beside the seven kinds of functions by which constants are chosen stand two that have a structure
of which one family knows: there it shows what that family can gain. Records go to a CSV file as they come;
what is in it is not computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.functions.random_families import STRUCTURED
from equiwarp.bench.pages.markdown import markdown_table
from equiwarp.bench.seeded import SeededBenchmark, held_out_part
from equiwarp.bench.studies.choosing import DIMENSIONS, RANDOM, ChoosingCase, choosing_cases
from equiwarp.bench.studies.priors import SIZES, farthest_points
from equiwarp.bench.studies.resumed import run_cases
from equiwarp.models import DEFAULT_MODELS, find_model
from equiwarp.models.average import Average, log_density, stacked_with

RECORDS = "families.csv"
AS_IT_IS = "as it is"
#: Handicaps in units of the one in use.
FACTORS = {"no handicap": 0.0, "half the handicap": 0.5, "twice the handicap": 2.0}
#: What an average is made without, or with; the first is what the others are compared with.
VARIANTS = (AS_IT_IS, *(f"without `{name}`" for name in DEFAULT_MODELS), *FACTORS)


@dataclass(frozen=True)
class FamilyError:
    """The true error of one average, in deviations of the function."""

    benchmark: str
    kind: str
    dim: int
    n: int
    variant: str
    error: float


def family_cases(seeds: Sequence[int]) -> list[ChoosingCase]:
    """Functions of the seven kinds, and of those with a structure."""
    structured = [
        ChoosingCase(RANDOM, f"random:{kind}-{dim}d-{seed}", seed)
        for seed in seeds
        for dim in DIMENSIONS
        for kind in STRUCTURED
    ]
    return choosing_cases(RANDOM, seeds) + structured


def errors_of(case: ChoosingCase) -> list[FamilyError]:
    """Averages of the same fits to farthest points, from few and more values."""
    benchmark = find_benchmark(case.benchmark)
    seeded, domain = SeededBenchmark(benchmark, case.seed), benchmark.domain
    x = farthest_points(seeded)
    y, Z = seeded.measure(x), domain.embed(x)
    places, truth = held_out_part(benchmark)
    families = {m: find_model(m) for m in DEFAULT_MODELS if find_model(m).applies(domain)}
    handicaps = np.array([family.handicap(Z.shape[1]) for family in families.values()])
    kind = case.benchmark.removeprefix("random:").split("-")[0]
    found = []
    for n in SIZES:
        noise = np.full(n, seeded.noise)
        fitted = {name: family.fit_map(domain, Z[:n], y[:n], noise) for name, family in families.items()}
        densities = np.column_stack([log_density(model) for model in fitted.values()])
        means = np.column_stack([model.predict(places) for model in fitted.values()])
        for variant in VARIANTS:
            kept = np.array([f"without `{name}`" != variant for name in fitted])
            used = FACTORS.get(variant, 1.0) * handicaps[kept]
            weights = stacked_with(used, densities[:, kept])
            average = Average({name: fitted[name] for name, k in zip(fitted, kept, strict=True) if k}, weights)
            share = np.array([average.weights_.get(name, 0.0) for name in fitted])
            missed = float(np.sqrt(np.mean((means @ share - truth) ** 2))) / seeded.deviation
            found.append(FamilyError(case.benchmark, kind, benchmark.dim, n, variant, missed))
    return found


def run_families(
    path: Path, seeds: Sequence[int], progress: Callable[[list[Any]], Any] = iter
) -> list[dict[str, Any]]:
    """Compute what the file lacks, append it, and return the records of these seeds."""
    known = {case.benchmark: case for case in family_cases(seeds)}

    def judge(name: str) -> list[FamilyError]:
        return errors_of(known[name])

    return run_cases(path, FamilyError, list(known), judge, lambda r: r["benchmark"], progress)


def families_table(records: Sequence[Mapping[str, Any]]) -> str:
    """Per cent more error than with all families: the seven kinds by size, and those with a structure."""
    error = {(r["variant"], r["benchmark"], r["n"]): float(r["error"]) for r in records}
    kind = {r["benchmark"]: r["kind"] for r in records}
    lines = []
    for variant in VARIANTS[1:]:
        more = {
            (b, n): float(np.log(error[variant, b, n] / error[AS_IT_IS, b, n]))
            for b in kind
            for n in SIZES
            if (variant, b, n) in error
        }
        seven = [b for b in kind if kind[b] not in STRUCTURED]
        cells = [variant, *(_per_cent([more[b, n] for b in seven]) for n in SIZES)]
        for name in STRUCTURED:
            cells.append(_per_cent([more[b, SIZES[-1]] for b in kind if kind[b] == name]))
        least = min((value for (b, _), value in more.items() if b in seven), default=0.0)
        most = max((value for (b, _), value in more.items() if b in seven), default=0.0)
        lines.append([*cells, f"{100 * np.expm1(least):.0f} to {100 * np.expm1(most):.0f}"])
    head = ["the average", *(f"{n} values" for n in SIZES)]
    head += [f"{name}, {SIZES[-1]} values" for name in STRUCTURED]
    return markdown_table([*head, "least and most of the seven kinds"], lines)


def _per_cent(logs: Sequence[float]) -> str:
    """Mean of logarithms as per cent, ± standard error."""
    if not logs:
        return "–"
    sem = float(np.std(logs, ddof=1)) / len(logs) ** 0.5 if len(logs) > 1 else 0.0
    return f"{100 * np.expm1(np.mean(logs)):.1f} ± {100 * sem:.1f}"
