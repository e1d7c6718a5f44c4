"""Twelve functions that nothing was chosen by: do the look-ahead strategies hold up there?

    .venv/bin/python benchmarks/further.py --seeds 5 --out out

Runs what is missing in the results folder, scores it and prints the table of docs/results/lookahead.md.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import click
import numpy as np
from equiwarp.bench.engine import rescore, run
from equiwarp.bench.markdown import plus_minus, table
from equiwarp.bench.table import rows

from equiwarp.bench.cell import Job
from equiwarp.bench.results import load_cells

ARMS = ("sobol", "equiwarp", "lookahead-nn", "lookahead-gp")
READOUTS = ("1nn", "gp-map")
ROUNDS = 100


def branin(u):
    a, b = 15 * u[:, 0] - 5, 15 * u[:, 1]
    bowl = b - 5.1 / (4 * np.pi**2) * a**2 + 5 / np.pi * a - 6
    return bowl**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(a) + 10


def franke(u):
    a, b = 9 * u[:, 0], 9 * u[:, 1]
    return (
        0.75 * np.exp(-((a - 2) ** 2) / 4 - (b - 2) ** 2 / 4)
        + 0.75 * np.exp(-((a + 1) ** 2) / 49 - (b + 1) / 10)
        + 0.5 * np.exp(-((a - 7) ** 2) / 4 - (b - 3) ** 2 / 4)
        - 0.2 * np.exp(-((a - 4) ** 2) - (b - 7) ** 2)
    )


def ackley(u):
    x = 10 * u - 5
    waves = np.exp(np.cos(2 * np.pi * x).mean(axis=1))
    return -20 * np.exp(-0.2 * np.sqrt((x**2).mean(axis=1))) - waves + 20 + np.e


def rosenbrock(u):
    x = 4 * u - 2
    return (100 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1 - x[:, :-1]) ** 2).sum(axis=1)


def front(u):
    """A steep front across the square, on a gentle wave."""
    return np.tanh(20 * (u[:, 0] + u[:, 1] - 1.1)) + 0.3 * np.sin(4 * u[:, 0])


def peak(u):
    """A narrow peak on a plain."""
    return np.exp(-((u - 0.3) ** 2).sum(axis=1) / 0.02)


def plane(u):
    return u.sum(axis=1)


def ishigami(u):
    x = np.pi * (2 * u - 1)
    return np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])


def michalewicz(u):
    x, i = np.pi * u, np.arange(1, u.shape[1] + 1)
    return -(np.sin(x) * np.sin(i * x**2 / np.pi) ** 20).sum(axis=1)


def borehole(u):
    low = np.array([0.05, 100, 63070, 990, 63.1, 700, 1120, 9855])
    high = np.array([0.15, 50000, 115600, 1110, 116, 820, 1680, 12045])
    rw, r, tu, hu, tl, hl, length, kw = (low + (high - low) * u).T
    ln = np.log(r / rw)
    return 2 * np.pi * tu * (hu - hl) / (ln * (1 + 2 * length * tu / (ln * rw**2 * kw) + tu / tl))


FUNCTIONS = (
    *((name, 2) for name in ("branin", "franke", "ackley", "front", "peak", "plane", "michalewicz")),
    *((name, 3) for name in ("rosenbrock", "ishigami")),
    *((name, 4) for name in ("ackley", "plane")),
    ("borehole", 8),
)


@click.command(help=__doc__.splitlines()[0])
@click.option("--seeds", default=5, show_default=True)
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False))
def main(seeds, out):
    sys.path.insert(0, str(Path(__file__).parent))  # workers know the functions as further:NAME
    titles = {f"further:{name}@{dim}": f"{name.capitalize()} ({dim}D)" for name, dim in FUNCTIONS}
    jobs = [
        Job(benchmark, arm, seed, ROUNDS)
        for benchmark, seed, arm in product(titles, range(seeds), ("fps", *ARMS))
    ]
    run(jobs, out)
    cells = [cell for cell in load_cells(out, benchmarks=titles) if cell.seed < seeds]
    rescore(cells, READOUTS)
    for readout in READOUTS:
        found = {(row.benchmark, row.arm): row.summary for row in rows(cells, readout, [ROUNDS])}
        lines = (
            [title, *(plus_minus(found.get((benchmark, arm))) for arm in ARMS)]
            for benchmark, title in titles.items()
        )
        print(f"\n{readout}\n\n{table(['function', *(f'`{arm}`' for arm in ARMS)], lines)}")


if __name__ == "__main__":
    main()
