"""Do the fast and the dense path choose the same points? Two hundred rounds at full size.

python benchmarks/same_points.py [--dim 2] [--rounds 200] [strategy ...]
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
from pathlib import Path

import click
import numpy as np
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.case import Run
from tests.reference.dense import dense_choose


@click.command(help=__doc__.splitlines()[0])
@click.argument("names", nargs=-1)
@click.option("--dim", default=2, show_default=True)
@click.option("--rounds", default=200, show_default=True)
def main(names, dim, rounds):
    differ = 0
    for name in names or ("eig", "equalized", "equiwarp", "nipv", "epig"):
        run = Run.of(name, dim, 20 * (dim - 1))
        for number in tqdm(range(rounds), desc=name):
            expected = run.setting.pool[dense_choose(run.setting, run.design)]
            run.advance()
            if not np.array_equal(run.x[-1], expected):
                differ += 1
                print(f"{name}, round {number}: fast {run.x[-1]}, dense {expected}")
    print(f"{differ} rounds differ")
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
