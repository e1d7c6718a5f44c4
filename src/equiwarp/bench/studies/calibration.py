"""The constants of the map's error: what the map says and what is true, on random functions only.

Maps are fitted once, at several stages of designs of three strategies, and what enters the error estimate is
kept in one file. Any constants can then be judged within seconds, without fitting anything again.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from equiwarp.bench.cell import Cell, Job, compute
from equiwarp.bench.pages.markdown import markdown_table
from equiwarp.bench.seeded import held_out_part
from equiwarp.bench.storage.csv_records import kept_records
from equiwarp.bench.studies.map_quality import AHEAD, BANDS, STAGES, MapCase, Truth, map_cases
from equiwarp.bench.studies.resumed import run_cases
from equiwarp.domains import Array
from equiwarp.maps.error import CORRECTION_PRIOR, CorrectionPrior, correction, shares
from equiwarp.maps.forecast import FORECAST_POINTS, LEARNING_RATE, points_ahead
from equiwarp.maps.map import Map, build_map
from equiwarp.maps.prediction import FREEDOM, half_width

#: The group of these cases: they choose.
CHOOSING = "choosing"
RECORDS, ARRAYS = "calibration.csv", ("residual", "expected", "share", "missed")
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
    fall, later : float
        By how much the rolled-forward model expects the logarithm of the error to fall with the next
        :data:`AHEAD` experiments, and the true error after them.
    missed : (101,) array
        Quantiles of how many of the model's deviations the map is off, over the domain.
    """

    benchmark: str
    seed: int
    design: str
    rounds: int
    dim: int
    residual: Array
    expected: Array
    share: Array
    noise: float
    own: float
    true: float
    fall: float
    later: float
    missed: Array


def calibration_cases(seeds: Iterable[int]) -> list[MapCase]:
    """Random functions and the smooth boxes."""
    return map_cases(CHOOSING, seeds)


def examine(case: MapCase) -> list[Ingredients]:
    """Fit the map at every stage of one design of a case."""
    design = DESIGNS[case.seed % len(DESIGNS)]
    cell = compute(Job(case.benchmark, design, case.seed, max(STAGES) + AHEAD))
    truth = Truth(*held_out_part(cell.seeded.benchmark), cell.seeded.deviation)
    maps = {rounds: _map(cell, rounds) for rounds in {*STAGES, *(s + AHEAD for s in STAGES)}}
    later = {rounds: truth.error_of(known) for rounds, known in maps.items()}
    return [
        Ingredients(
            case.benchmark,
            case.seed,
            design,
            rounds,
            **_known(maps[rounds], truth),
            later=later[rounds + AHEAD],
        )
        for rounds in STAGES
    ]


def _map(cell: Cell, rounds: int) -> Map:
    n, seeded = cell.n0 + rounds, cell.seeded
    domain, noise = seeded.benchmark.domain, seeded.noise
    return build_map(domain, cell.x[:n], cell.y[:n], noise, strategy=cell.arm, seed=cell.seed)


def _known(known: Map, truth: Truth) -> dict[str, Any]:
    """What the estimate and the forecast of a map are made from."""
    model, unit, noise = known.models[0], truth.deviation, known.noise
    assert noise is not None
    residual, expected = model.leave_one_out()
    judged, ahead = known.judged_points[:FORECAST_POINTS], points_ahead(known, AHEAD)
    rolled = model.rolled_forward(known.coordinates(judged), known.coordinates(ahead))
    mean, deviation = model.predict(truth.Z, return_std=True)
    missed = np.abs(mean - truth.values) / deviation
    return {
        "dim": known.domain.dim, "residual": residual / unit, "expected": expected / unit,
        "share": shares(known.domain.embed(known.x), known.everywhere), "noise": float(noise[0, 0]) / unit,
        "own": known.error()[0].model / unit, "true": truth.error_of(known),
        "fall": float(np.log(rolled[0] / rolled[-1])), "missed": np.percentile(missed, np.arange(101)),
    }  # fmt: skip


def collect(cases: Sequence[MapCase], out: Path, progress: Callable[..., Any] = iter) -> list[Ingredients]:
    """Examine the cases that the file in ``out`` lacks, append them, and return all of these cases."""

    def case_of(record: Mapping[str, Any]) -> MapCase:
        return MapCase(CHOOSING, record["benchmark"], record["seed"])

    records = run_cases(out / RECORDS, Ingredients, cases, examine, case_of, progress, _plain)
    return [_read(record) for record in records]


def known_ingredients(out: Path) -> list[Ingredients]:
    """Those of every case that the file in ``out`` has."""
    return [_read(record) for record in kept_records(out / RECORDS)]


def _plain(one: Ingredients) -> dict[str, Any]:
    """Numbers of an array stand in one field."""
    return {
        name: " ".join(f"{v:.4g}" for v in value) if isinstance(value, np.ndarray) else value
        for name, value in vars(one).items()
    }


def _read(record: dict[str, Any]) -> Ingredients:
    arrays = {name: np.array(str(record[name]).split(), dtype=float) for name in ARRAYS}
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


def bands_table(found: Sequence[Ingredients]) -> str:
    """Per cent of all places inside bands for 50, 80 and 95, by the freedom of the t distribution."""
    lines = []
    for freedom in FREEDOMS:
        cells = [f"{freedom:g}" + (", as it is" if freedom == FREEDOM else "")]
        widths = [half_width(share, freedom) for share in BANDS.values()]
        for stage in STAGES:
            here = [one for one in found if one.rounds == stage]
            factors = [math.exp(log_ratio(one)) * one.true / one.own for one in here]
            inside = [
                np.mean([_share_below(one.missed, width * c) for one, c in zip(here, factors, strict=True)])
                for width in widths
            ]
            cells.append(" / ".join(f"{100 * share:.0f}" for share in inside))
        lines.append(cells)
    return markdown_table(["degrees of freedom", *(f"start + {stage}" for stage in STAGES)], lines)


def _share_below(quantiles: Array, limit: float) -> float:
    """Which share of a sample with these percentiles ``(101,)`` lies below a limit."""
    return float(np.interp(limit, quantiles, np.linspace(0.0, 1.0, len(quantiles))))


def rates_table(found: Sequence[Ingredients]) -> str:
    """The forecast over the truth, stage by stage, under several rates beyond the rolled-forward model's."""
    lines = []
    for rate in RATES:
        cells = [f"{rate:g}" + (", as it is" if rate == LEARNING_RATE else "")]
        for stage in STAGES:
            here = [one for one in found if one.rounds == stage]
            missed = np.array([log_ratio(one) + math.log(one.true / one.later) - one.fall for one in here])
            missed -= rate * np.log1p(AHEAD / np.array([len(one.residual) for one in here]))
            cells.append(f"{math.exp(missed.mean()):.2f}, {float(np.sqrt(np.mean(missed**2))):.2f}")
        lines.append(cells)
    return markdown_table(["rate", *(f"start + {stage}" for stage in STAGES)], lines)


#: Rates of the forecast that are compared.
RATES = (0.0, 0.2, 0.4, 0.6)
#: Degrees of freedom of the bands that are compared; the last is nearly a normal distribution.
FREEDOMS = (3, 4, 5, 6, 8, 1000)
#: What else was tried.
TRIED = {
    f"expected {expected:g} to {amid_noise:g}, spread {spread:g}, freedom {freedom:g}": CorrectionPrior(
        expected, amid_noise, spread, freedom
    )
    for expected, amid_noise, spread, freedom in itertools.product(
        (0.15, 0.2, 0.25), (-0.3, -0.2, -0.1, 0.2), (0.2, 0.25, 0.3, 0.4), (8.0, 10.0, 12.0)
    )
}
