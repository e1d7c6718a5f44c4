"""The paper's two tables, as published, to be set beside ours."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from equiwarp.bench.functions.catalogue import benchmarks

#: The paper's arms and our names for them. On a sphere g = 1, so its EIG + warp is the full method.
ARM_OF_PAPER = {
    "equalizer": "equalized",
    "equalizer+reconstruction_warp": "equiwarp",
    "equalizer+kumaraswamy_warp": "kumaraswamy",
    "eig+warp": "equiwarp",
    "eig": "eig",
    "sobol": "sobol",
    "random": "random",
}


@dataclass(frozen=True)
class Published:
    """Area reduction in percent, its standard error, over ten seeds."""

    mean: float
    sem: float


@cache
def published() -> dict[tuple[str, str, int], Published]:
    """(benchmark, arm, rounds) -> the paper's figure, 1-NN readout."""
    names = {b.title: b.name for b in benchmarks().values()}
    found = {}
    for table in ("paper_main.csv", "paper_sphere.csv"):
        text = files("equiwarp.bench").joinpath("data", table).read_text(encoding="utf-8")
        for row in csv.DictReader(text.splitlines()):
            if row["benchmark"] not in names:
                continue
            key = (names[row["benchmark"]], ARM_OF_PAPER[row["arm"]], int(row["rounds"]))
            found[key] = Published(float(row["ar_percent"]), float(row["sem"]))
    return found
