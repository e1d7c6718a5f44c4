"""How large a map can be: time, memory and error of maps from a thousand to a hundred thousand values.

Each size is measured in a process of its own, whose memory says what it needed. Up to :data:`MOST_COMPARED`
values the exact posterior of the same model is computed, too: what do inducing points cost?
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp.bench.functions.random_families import random_function
from equiwarp.bench.pages.markdown import markdown_table
from equiwarp.bench.storage.csv_records import appended, kept_records, none_if_nan, read_records
from equiwarp.bench.studies.map_quality import Truth
from equiwarp.domains import Box
from equiwarp.maps.map import Map, build_map
from equiwarp.models.average import Average
from equiwarp.models.exact import ExactPosterior
from equiwarp.models.gaussian_process import GaussianProcess

SIZES = (1000, 5000, 20_000, 100_000)
#: Up to so many values the exact posterior is computed as well.
MOST_COMPARED = 5000
FAMILY, DIM, NOISE = "isotropic", 4, 0.05
#: Places at which errors are counted.
PLACES = 4096


@dataclass(frozen=True)
class SizeOfMap:
    """What a map of n values needed, and its errors in deviations of the function.

    ``exact_error`` is None where it was not computed.
    """

    n: int
    seconds: float
    mebibytes: float
    error: float
    estimate: float
    exact_error: float | None


def measure_size(n: int) -> SizeOfMap:
    """Fit a map of n values; call it in a fresh process."""
    domain, f = Box.unit(DIM), random_function(FAMILY, DIM, 0)
    rng = stream(0, "map sizes")
    x, places = domain.sample(n, rng), domain.sample(PLACES, rng)
    y = f(x) + NOISE * rng.standard_normal(n)
    begin = time.process_time()
    known = build_map(domain, x, y, NOISE)
    estimate = known.error()[0].value
    seconds = time.process_time() - begin
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    truth = Truth(domain.embed(places), f(places), 1.0)
    exact = _exact_error(known, truth) if n <= MOST_COMPARED else float("nan")
    return SizeOfMap(n, seconds, memory, truth.error_of(known), estimate, none_if_nan(exact))


def _exact_error(known: Map, truth: Truth) -> float:
    """The error of the same average with exact posteriors."""
    average = known.models[0]
    assert isinstance(average, Average)
    Z, y = known.domain.embed(known.x), known.y[:, 0]
    predicted = np.zeros(len(truth.values))
    for weight, model in zip(average.weights, average.members, strict=True):
        assert isinstance(model, GaussianProcess)
        prior, t = model.posterior_.prior, model.posterior_.t
        noise_var = np.full(len(y), (NOISE / model.scale_) ** 2)
        exact = ExactPosterior(prior, t, Z, (y - model.center_) / model.scale_, noise_var)
        predicted += weight * (model.center_ + model.scale_ * exact.mean(truth.Z))
    return truth.rms(predicted)


def run_sizes(
    path: Path, sizes: Sequence[int] = SIZES, progress: Callable[[list[int]], Any] = iter
) -> list[dict[str, Any]]:
    """Measure what the file lacks, each in a process of its own, and return all records."""
    done = {record["n"] for record in kept_records(path)}
    with appended(path, [f.name for f in fields(SizeOfMap)]) as append:
        for n in progress([n for n in sizes if n not in done]):
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
                append([asdict(fresh.submit(measure_size, n).result())])
    return read_records(path)


def sizes_table(records: Sequence[dict[str, Any]]) -> str:
    """A line a size."""
    lines = []
    for r in sorted(records, key=lambda r: r["n"]):
        errors = [
            "" if e is None else f"{100 * e:.2f} %" for e in (r["error"], r["estimate"], r["exact_error"])
        ]
        lines.append([f"{r['n']:,}", f"{r['seconds']:.1f} s", f"{r['mebibytes'] / 1024:.1f} GB", *errors])
    head = ["values", "processor time", "memory", "true error", "`error()`", "true error, exact posterior"]
    return markdown_table(head, lines)
