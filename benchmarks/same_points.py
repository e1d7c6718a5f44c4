"""Do the fast and the dense path choose the same points? Two hundred rounds at full size.

python benchmarks/same_points.py [--dim 2] [--rounds 200] [--json same.json] [strategy ...]
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import json
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
@click.option("--json", "path", type=click.Path(dir_okay=False), help="Also write the counts here.")
def main(names, dim, rounds, path):
    differ = dict.fromkeys(names or ("eig", "equalized", "equiwarp", "nipv", "epig"), 0)
    for name in differ:
        run = Run.of(name, dim, 20 * (dim - 1))
        for number in tqdm(range(rounds), desc=name):
            expected = run.configuration.pool[dense_choose(run.configuration, run.measurements)]
            run.advance()
            if not np.array_equal(run.measurements.x[-1], expected):
                differ[name] += 1
                print(f"{name}, round {number}: fast {run.design.x[-1]}, dense {expected}")
    print(f"{sum(differ.values())} rounds differ")
    if path:
        Path(path).write_text(json.dumps({"same": {"dim": dim, "rounds": rounds, "differ": differ}}) + "\n")
    sys.exit(any(differ.values()))


if __name__ == "__main__":
    main()
