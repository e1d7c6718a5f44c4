"""What a map notices of its data: how often a fault is found, and how often one is found where there is none.

A case is a function, a space-filling design of 40 to 100 points and noise that is stated or not. Each case
is examined as it is (clean) and with one fault at a time. Constants were chosen on random functions; named
ones confirm. Records are appended to a CSV file as they come; what is in it is not computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, get_args

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp.bench.functions.catalogue import benchmarks, find_benchmark
from equiwarp.bench.functions.random_families import FAMILIES, random_function
from equiwarp.bench.pages.markdown import markdown_table
from equiwarp.bench.seeded import pilot
from equiwarp.bench.storage.csv_records import appended, kept_records, read_records
from equiwarp.bench.studies.selection_bias import wilson
from equiwarp.bench.studies.unseen_functions import unseen_titles
from equiwarp.domains import Array, Box, Domain
from equiwarp.maps.diagnostics.finding import FindingKind
from equiwarp.maps.map import build_map

RANDOM, NAMED = "random", "named"
DIMENSIONS = (1, 2, 3, 4, 6, 8)
#: Noise as a share of the function's deviation.
NOISE_SHARES = (0.02, 0.05, 0.1)
#: Repeats of a measurement under the fault "repeats".
REPEATS = 6


@dataclass(frozen=True)
class FindingsCase:
    """One function, design and noise. Whether the noise is stated alternates with the seed."""

    group: str
    function: str
    dim: int
    seed: int

    @property
    def stated(self) -> bool:
        return self.seed % 2 == 0


@dataclass(frozen=True)
class CaseData:
    """What a case measures: values have unit deviation, ``noise`` is what is stated, None for nothing."""

    domain: Domain
    x: Array
    y: Array
    true_noise: float
    noise: float | None
    changed: tuple[int, ...] = ()


@dataclass(frozen=True)
class Examined:
    """What was found in one case under one fault: kinds of findings, and rows called contradicted."""

    group: str
    function: str
    dim: int
    seed: int
    fault: str
    n: int
    noise: float
    stated: bool
    kinds: str
    changed: str
    contradicted: str


#: Fault -> the finding that should name it.
EXPECTED = {
    "one value off by 10 deviations of the values": "contradicted",
    "three values off by 10 deviations of the values": "contradicted",
    "one value off by 10 deviations of the noise": "contradicted",
    "noise stated as a fifth": "noise",
    "noise stated five times too large": "noise",
    "six repeats that scatter three times as much": "replicates",
    "drift by 20 deviations of the noise": "drift",
    "nothing but noise": "no structure",
    "a parameter that does nothing": "inert",
}
#: Numbers of parameters that are counted together where noise is looked at.
PARAMETERS = ((1, 1), (2, 2), (3, 3), (4, 10))
CLEAN = "clean"
FAULTS = (CLEAN, *EXPECTED)


def cases(group: str, seeds: Sequence[int]) -> Iterator[FindingsCase]:
    """Random functions, one a seed, families and dimensions in turn; or the named functions on boxes."""
    names = [b for b in (*benchmarks(), *unseen_titles()) if not find_benchmark(b).sphere]
    for seed in seeds:
        if group == RANDOM:
            family, dim = (
                list(FAMILIES)[seed % len(FAMILIES)],
                DIMENSIONS[seed // len(FAMILIES) % len(DIMENSIONS)],
            )
            yield FindingsCase(group, family, dim, seed)
        else:
            name = names[seed % len(names)]
            yield FindingsCase(group, name, find_benchmark(name).dim, seed)


def measured(case: FindingsCase) -> CaseData:
    """Points, values and noise of a case without any fault."""
    rng = stream(case.seed, "findings study", case.dim)
    n = int(rng.integers(40, 101))
    share = float(rng.choice(NOISE_SHARES))
    domain = Box.unit(case.dim)
    x = domain.sample(n, rng)
    if case.group == RANDOM:
        truth = random_function(case.function, case.dim, case.seed)(x)
    else:
        benchmark = find_benchmark(case.function)
        truth = (benchmark(x) - pilot(benchmark).mean) / pilot(benchmark).deviation
    y = truth + share * rng.standard_normal(n)
    return CaseData(domain, x, y, share, share if case.stated else None)


def faulty(data: CaseData, fault: str, rng: np.random.Generator) -> CaseData:
    """The same case with one fault."""
    n, y, x, domain = len(data.y), data.y.copy(), data.x, data.domain
    noise, changed = data.noise, np.empty(0, dtype=int)
    if "off by 10" in fault:
        changed = rng.choice(n, 3 if fault.startswith("three") else 1, replace=False)
        size = data.true_noise if fault.endswith("noise") else float(data.y.std())
        y[changed] += 10 * size * rng.choice([-1.0, 1.0], len(changed))
    elif fault.startswith("noise stated"):
        noise = data.true_noise * (0.2 if fault.endswith("fifth") else 5.0)
    elif fault.startswith("six repeats"):
        x = np.vstack([x, np.repeat(x[:1], REPEATS, axis=0)])
        extra = y[0] + 3 * data.true_noise * rng.standard_normal(REPEATS)
        y, noise = np.concatenate([y, extra]), data.true_noise
    elif fault.startswith("drift"):
        y += 20 * data.true_noise * np.linspace(0.0, 1.0, n)
    elif fault == "nothing but noise":
        y, noise = rng.standard_normal(n), (1.0 if noise is not None else None)
    elif fault.startswith("a parameter"):
        domain = Box.unit(x.shape[1] + 1)
        x = np.column_stack([x, rng.permutation((np.arange(n) + 0.5) / n)])
    return CaseData(domain, x, y, data.true_noise, noise, tuple(int(i) for i in changed))


def examine(case: FindingsCase, fault: str) -> Examined:
    """Build the map of a case under a fault and ask for its findings."""
    data = measured(case)
    if fault != CLEAN:
        data = faulty(data, fault, stream(case.seed, fault, case.dim))
    found = build_map(data.domain, data.x, data.y, data.noise).diagnostics()
    off = sorted(i for finding in found if finding.kind == "contradicted" for i in finding.experiments)
    kinds = " + ".join(sorted({f.kind for f in found}))
    return Examined(
        case.group, case.function, case.dim, case.seed, fault, len(data.y), data.true_noise, case.stated,
        kinds, " ".join(map(str, data.changed)), " ".join(map(str, off)),
    )  # fmt: skip


def run_findings(
    path: Path,
    group: str,
    seeds: Sequence[int],
    faults: Sequence[str] = FAULTS,
    progress: Callable[[list[tuple[FindingsCase, str]]], Any] = iter,
) -> list[dict[str, Any]]:
    """Examine what the file lacks, append it, and return all records of the group."""
    names = [f.name for f in fields(Examined)]
    done = {(r["group"], r["seed"], r["fault"]) for r in kept_records(path)}
    todo = [(c, f) for c in cases(group, seeds) for f in faults if (group, c.seed, f) not in done]
    with appended(path, names) as append:
        for case, fault in progress(todo):
            append([asdict(examine(case, fault))])
    return [r for r in read_records(path) if r["group"] == group and r["seed"] in seeds]


def is_found(record: dict[str, Any]) -> bool:
    """Whether the finding that the fault calls for is there, and names every row that was changed."""
    kinds = str(record["kinds"] or "").split(" + ")
    changed, named = (set(str(record[key]).split()) for key in ("changed", "contradicted"))
    if EXPECTED[record["fault"]] == "contradicted":
        return "contradicted" in kinds and changed <= named
    return EXPECTED[record["fault"]] in kinds


def findings_table(records: Sequence[dict[str, Any]]) -> str:
    """How often each fault is found, and how often its finding comes in clean cases; 95 % intervals."""
    clean = [r for r in records if r["fault"] == CLEAN]
    rows = []
    for fault, kind in EXPECTED.items():
        of = [r for r in records if r["fault"] == fault]
        false = sum(kind in str(r["kinds"] or "").split(" + ") for r in clean)
        rows.append([fault, kind, _share(sum(map(is_found, of)), len(of)), _share(false, len(clean))])
    return markdown_table(["fault", "finding", "found", "found in clean cases"], rows)


def noise_table(records: Sequence[dict[str, Any]]) -> str:
    """How often wrong noise is found, by the number of parameters."""
    faults = [fault for fault, kind in EXPECTED.items() if kind == "noise"]
    rows = []
    for low, high in PARAMETERS:
        here = [r for r in records if low <= r["dim"] <= high]
        of = [[r for r in here if r["fault"] == fault] for fault in faults]
        rows.append(
            [
                f"{low} to {high}" if low < high else f"{low}",
                *(_share(sum(map(is_found, f)), len(f)) for f in of),
            ]
        )
    return markdown_table(["parameters", *faults], rows)


def unasked_table(records: Sequence[dict[str, Any]]) -> str:
    """How often each kind of finding comes in clean cases."""
    clean = [r for r in records if r["fault"] == CLEAN]
    rows = [
        [kind, _share(sum(kind in str(r["kinds"] or "").split(" + ") for r in clean), len(clean))]
        for kind in get_args(FindingKind)
    ]
    return markdown_table(["finding", "clean cases"], rows)


def _share(count: int, total: int) -> str:
    if not total:
        return ""
    low, high = wilson(np.array([float(count)]), total)
    return f"{count} of {total} ({100 * low[0]:.0f} to {100 * high[0]:.0f} %)"
