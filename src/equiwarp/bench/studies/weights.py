"""How firmly the map's families are held to equal weights: what that costs, on random functions only.

The families are fitted once to farthest points, and averaged under several counts of values that each is
taken to have predicted alone. With none, the family that was best for a few values counts for everything;
with many, no family is ever left out. Records go to a CSV file as they come; what is in it is not computed
again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.pages.markdown import markdown_table
from equiwarp.bench.seeded import SeededBenchmark, held_out_part
from equiwarp.bench.studies.choosing import RANDOM, ChoosingCase, choosing_cases
from equiwarp.bench.studies.priors import SIZES, farthest_points
from equiwarp.bench.studies.resumed import run_cases
from equiwarp.models import DEFAULT_MODELS, find_model
from equiwarp.models.average import EQUAL_VALUES, Average, log_density, stacked

RECORDS = "weights.csv"
#: Values that each family is taken to have predicted alone; the first is what the others are compared with.
HELD = (1.0, 0.5, 0.2, 0.05, 100.0)


@dataclass(frozen=True)
class WeightedError:
    """The true error of one average, in deviations of the function, and what its models expect of it."""

    benchmark: str
    dim: int
    n: int
    held: float
    error: float
    expected: float


def errors_held(case: ChoosingCase) -> list[WeightedError]:
    """Averages of the same fits to farthest points, from few and more values."""
    benchmark = find_benchmark(case.benchmark)
    seeded, domain = SeededBenchmark(benchmark, case.seed), benchmark.domain
    x = farthest_points(seeded)
    y, Z = seeded.measure(x), domain.embed(x)
    places, truth = held_out_part(benchmark)
    families = {m: find_model(m) for m in DEFAULT_MODELS if find_model(m).applies(domain)}
    found = []
    for n in SIZES:
        noise = np.full(n, seeded.noise)
        fitted = {name: family.fit_map(domain, Z[:n], y[:n], noise) for name, family in families.items()}
        densities = np.column_stack([log_density(model) for model in fitted.values()])
        for held in HELD:
            mean, deviation = Average(fitted, stacked(densities, held)).predict(places, return_std=True)
            missed, expected = (float(np.sqrt(np.mean(a**2))) for a in (mean - truth, deviation))
            parts = (missed / seeded.deviation, expected / seeded.deviation)
            found.append(WeightedError(case.benchmark, benchmark.dim, n, held, *parts))
    return found


def run_weights(
    path: Path, seeds: Sequence[int], progress: Callable[[list[Any]], Any] = iter
) -> list[dict[str, Any]]:
    """Compute what the file lacks, append it, and return the records of these seeds."""
    known = {case.benchmark: case for case in choosing_cases(RANDOM, seeds)}

    def judge(name: str) -> list[WeightedError]:
        return errors_held(known[name])

    return run_cases(path, WeightedError, list(known), judge, lambda r: r["benchmark"], progress)


def weights_table(records: Sequence[Mapping[str, Any]]) -> str:
    """Error over that with one value each, the worst of all, and what the models expect over the truth."""
    by = {(r["held"], r["benchmark"], r["n"]): r for r in records}
    lines = []
    for held in HELD:
        cells, own, worst = [f"{held:g}" + (", as it is" if held == EQUAL_VALUES else "")], [], 0.0
        for n in SIZES:
            here = [r for (h, _, m), r in by.items() if (h, m) == (held, n)]
            ratio = np.log([r["error"] / by[HELD[0], r["benchmark"], n]["error"] for r in here])
            sem = ratio.std(ddof=1) / np.sqrt(len(ratio)) if len(ratio) > 1 else 0.0
            cells.append(f"{np.exp(ratio.mean()):.3f} ± {sem:.3f}")
            own.append(f"{np.exp(np.mean(np.log([r['expected'] / r['error'] for r in here]))):.2f}")
            worst = max(worst, float(ratio.max()))
        lines.append([*cells, f"{np.exp(worst):.2f}", " / ".join(own)])
    head = ["values each", *(f"{n} values" for n in SIZES), "worst", "expected over true error"]
    return markdown_table(head, lines)
