"""The constants of the map's error: what the map says and what is true, on random functions only.

Maps are fitted once, at several stages of designs of three strategies. What enters the error estimate is kept
in a file a case. Any constants can then be judged within seconds, without fitting anything again.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from equiwarp.bench.cell import Job, compute
from equiwarp.bench.pages.markdown import markdown_table
from equiwarp.bench.seeded import held_out_part
from equiwarp.bench.storage.files import safe_name
from equiwarp.bench.studies.map_quality import STAGES, MapCase, Truth, map_cases
from equiwarp.domains import Array
from equiwarp.maps.error import CORRECTION_PRIOR, CorrectionPrior, correction, shares
from equiwarp.maps.map import Map, build_map

#: Designs: points that a look-ahead chose, those of the default strategy, and plain farthest points, in turn.
DESIGNS = ("lookahead-gp", "map", "fps")


@dataclass(frozen=True)
class Ingredients:
    """What the error estimate of one map is made from, and the truth, in deviations of the function.

    Attributes
    ----------
    rounds, dim : int
        Stage of the design, and dimension of the domain.
    residual, expected : (n,) arrays
        What predictions without each value missed, and what the model expected of that.
    share : (n,) array
        How much of the domain each value stands for.
    noise, own, true : float
        Deviation of a measurement; the error that the model itself expects; the true one.
    """

    benchmark: str
    design: str
    rounds: int
    dim: int
    residual: Array
    expected: Array
    share: Array
    noise: float
    own: float
    true: float


def calibration_cases(seeds: Iterable[int]) -> list[MapCase]:
    """Random functions and the smooth boxes."""
    return map_cases("choosing", seeds)


def examine(case: MapCase) -> list[Ingredients]:
    """Fit the map at every stage of one design of a case."""
    design = DESIGNS[case.seed % len(DESIGNS)]
    cell = compute(Job(case.benchmark, design, case.seed, max(STAGES)))
    seeded = cell.seeded
    truth = Truth(*held_out_part(seeded.benchmark), seeded.deviation)
    found = []
    for rounds in STAGES:
        n = cell.n0 + rounds
        known = build_map(seeded.benchmark.domain, cell.x[:n], cell.y[:n], seeded.noise, seed=case.seed)
        found.append(_ingredients(case.benchmark, design, rounds, known, truth, seeded.noise))
    return found


def _ingredients(
    benchmark: str, design: str, rounds: int, known: Map, truth: Truth, noise: float
) -> Ingredients:
    residual, expected = known.models[0].leave_one_out()
    unit = truth.deviation
    return Ingredients(
        benchmark, design, rounds, known.domain.dim, residual / unit, expected / unit,
        shares(known.domain.embed(known.x), known.everywhere), noise / unit,
        known.error()[0].model / unit, truth.error_of(known),
    )  # fmt: skip


def collect(cases: Sequence[MapCase], out: Path, progress: Callable[..., Any] = iter) -> list[Ingredients]:
    """Examine the cases that have no file in ``out`` yet, and read all."""
    found: list[Ingredients] = []
    for case in progress(cases):
        path = out / "calibration" / safe_name(case.benchmark) / f"seed-{case.seed:04d}.json"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            beside = path.with_suffix(".new")
            beside.write_text(json.dumps([_plain(one) for one in examine(case)]), encoding="utf-8")
            beside.replace(path)
        found += _read_file(path)
    return found


def known_ingredients(out: Path) -> list[Ingredients]:
    """Those of every case that has a file in ``out``."""
    return [one for path in sorted((out / "calibration").glob("*/*.json")) for one in _read_file(path)]


def _read_file(path: Path) -> list[Ingredients]:
    return [_read(one) for one in json.loads(path.read_text(encoding="utf-8"))]


def _plain(one: Ingredients) -> dict[str, Any]:
    return {
        name: [float(f"{v:.7g}") for v in value] if isinstance(value, np.ndarray) else value
        for name, value in vars(one).items()
    }


def _read(record: dict[str, Any]) -> Ingredients:
    arrays = {name: np.array(value) for name, value in record.items() if isinstance(value, list)}
    return Ingredients(**{**record, **arrays})


def log_ratio(one: Ingredients, prior: CorrectionPrior = CORRECTION_PRIOR) -> float:
    """The logarithm of the estimated error over the true one."""
    noise = np.full(len(one.residual), one.noise)
    factor = correction(one.residual, one.expected, noise, one.share, one.dim, prior)
    return math.log(one.own * factor / one.true)


def constants_table(
    found: Sequence[Ingredients], priors: Mapping[str, CorrectionPrior] = MappingProxyType({})
) -> str:
    """How the estimate compares with the truth, stage by stage, under several priors of the correction."""
    lines = []
    for name, prior in {"as it is": CORRECTION_PRIOR, **priors}.items():
        cells = [name]
        for stage in STAGES:
            ratio = np.array([log_ratio(one, prior) for one in found if one.rounds == stage])
            rms, low = float(np.sqrt(np.mean(ratio**2))), float(np.mean(ratio < math.log(0.7)))
            cells.append(f"{math.exp(ratio.mean()):.2f}, {rms:.2f}, {100 * low:.0f} %")
        lines.append(cells)
    return markdown_table(["prior", *(f"start + {stage}" for stage in STAGES)], lines)


#: What else was tried.
TRIED = {
    f"expected {expected:g}, spread {spread:g}, freedom {freedom:g}": CorrectionPrior(
        expected, spread, freedom
    )
    for expected, spread, freedom in itertools.product(
        (0.1, 0.2, 0.3), (0.3, 0.4, 0.5, 0.7), (6.0, 8.0, 10.0, 12.0)
    )
}
