# ruff: noqa: E402  (threads and paths are set before NumPy and the package are imported)
"""Seconds for one more suggestion, beside the dense reference, the floor and the peers, in one run.

    python benchmarks/speed.py             everything, about ten minutes
    python benchmarks/speed.py --quick     D = 4, N = 300 only
    python benchmarks/speed.py --json out.json

Peers live in an environment of their own (``--peers-python``; see docs/performance.md). A peer that is
not installed there is said to be absent.
"""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before NumPy is imported: one thread for everyone

import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import click
import numpy as np
import scipy
from tqdm import tqdm

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import equiwarp as ew
from benchmarks import scale
from benchmarks.case import DEVIATION, NOISE, Run, side_by_side
from benchmarks.floor import floor_of
from tests.reference.dense import dense_choose

#: Strategies that the dense reference knows.
DENSE = ("fps", "eig", "equalized", "equiwarp", "warp", "kumaraswamy", "nipv", "epig", "refit", "neumann")
#: Dense rounds that take minutes and say nothing new.
TOO_SLOW = {("kumaraswamy", 1000), ("neumann", 1000)}


def measure_strategy(name, dim, n, budget):
    """Milliseconds of a steady round, of the floor, of a dense round and of a stateless suggestion."""
    run = Run.of(name, dim, n)
    for _ in range(0 if name == "kumaraswamy" else 2):
        run.advance()
    works = {"steady": run.advance}
    floor = floor_of(run.configuration, len(run.measurements.x))
    if floor is not None:
        works["floor"] = floor
    if name in DENSE and (name, n) not in TOO_SLOW:
        works["dense"] = lambda: dense_choose(run.configuration, run.measurements)
    row = {key: 1e3 * value for key, value in side_by_side(works, budget).items()}
    if name == "equiwarp":
        row["stateless"], row["dense_beside"] = scale.stateless(dim, n, budget)
    return row


def measure_peers(dim, n, python):
    """Milliseconds, or a reason, by peer."""
    run = Run.of("eig", dim, n)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.npz"
        np.savez(
            path,
            x=run.measurements.x,
            y=run.measurements.y[:, 0] / DEVIATION,
            noise=NOISE / DEVIATION,
            ell=run.configuration.lengthscale,
            pool=run.configuration.pool,
            targets=run.configuration.targets,
        )
        command = [python, str(ROOT / "benchmarks" / "peers.py"), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"peers": f"failed: {done.stderr.strip().splitlines()[-1:]}"}
    found = json.loads(done.stdout.splitlines()[-1])
    return {name: 1e3 * value if isinstance(value, float) else value for name, value in found.items()}


def show(dim, n, ours, peers):
    """One size as a table of ratios."""
    print(f"\nD = {dim}, N = {n}: milliseconds for one more suggestion")
    print(f"{'strategy':<14}{'steady':>10}{'floor':>10}{'x floor':>9}{'dense':>11}{'dense / steady':>16}")
    for name, row in ours.items():
        steady, floor, dense = row["steady"], row.get("floor"), row.get("dense")
        print(
            f"{name:<14}{steady:>10.2f}"
            + (f"{floor:>10.2f}{steady / floor:>9.2f}" if floor else f"{'-':>10}{'-':>9}")
            + (f"{dense:>11.1f}{dense / steady:>16.1f}" if dense else f"{'-':>11}{'-':>16}")
        )
    base = ours["equiwarp"]
    ratio = base["dense_beside"] / base["stateless"]
    print(f"stateless equiwarp {base['stateless']:.1f} ms, dense / stateless {ratio:.2f}")
    for name, value in peers.items():
        if isinstance(value, str):
            print(f"{name:<26}{value}")
        else:
            print(f"{name:<26}{value:>12.2f} ms{value / base['steady']:>10.1f} x steady equiwarp")


def show_scale(report):
    print(f"\nimport equiwarp, beyond numpy: {1e3 * report['import']:.0f} ms")
    print("first suggestion of a fresh process, seconds: cache empty, cache filled, our own part of it")
    for dim, n, empty, filled, own in report["fresh"]:
        print(f"  D = {dim}, N = {n}: {empty:.2f}  {filled:.2f}  {own:.2f}")
    print("many observations and long lists, D = 4, stateless: seconds, GiB")
    for name, n, pool, seconds, memory in report["many"]:
        print(f"  {name}, N = {n}, pool {pool}: {seconds:.2f}  {memory:.2f}")


def measure_scale(report, quick):
    """Fresh processes, many observations and long lists, into the report."""
    report["import"] = scale.import_seconds()
    sizes = [(4, 60), (4, 300)] if quick else [(2, 20), (3, 40), (4, 60), (4, 300)]
    report["fresh"] = scale.fresh_process(sizes)
    cases = [("equiwarp", 1000, 0), ("equiwarp", 100_000, 0)]
    if not quick:
        cases += [("equiwarp", 10_000, 0), ("equiwarp", 300, 100_000), ("equiwarp", 300, 1_000_000)]
    report["many"] = scale.many(cases)


def default_python():
    own = ROOT / ".venv-peers" / "bin" / "python"
    return str(own) if own.exists() else sys.executable


@click.command(help=__doc__.splitlines()[0])
@click.option("--quick", is_flag=True, help="D = 4, N = 300 only.")
@click.option("--dim", "dims", type=int, multiple=True, default=(2, 4, 6), show_default=True)
@click.option("--n", "counts", type=int, multiple=True, default=(50, 100, 300, 1000), show_default=True)
@click.option("--json", "path", type=click.Path(dir_okay=False), help="Also write the numbers here.")
@click.option("--peers-python", default=default_python, help="Interpreter that has the peers.")
@click.option("--strategy", "names", multiple=True, default=tuple(ew.strategies()), help="Only these.")
@click.option("--ours-only", is_flag=True, help="No peers, no fresh processes.")
@click.option("--budget", default=1.5, show_default=True, help="Seconds for a strategy at one size.")
def main(quick, dims, counts, path, peers_python, names, ours_only, budget):
    sizes = [(4, 300)] if quick else [(d, n) for d in dims for n in counts]
    names = list(dict.fromkeys(["equiwarp", *names]))  # the others are compared with it
    report = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
        },
        "sizes": [],
    }
    with tqdm(total=len(sizes) * (len(names) + 1) + 1, unit="case") as bar:
        for dim, n in sizes:
            ours = {}
            for name in names:
                bar.set_postfix_str(f"D={dim} N={n} {name}")
                ours[name] = measure_strategy(name, dim, n, budget)
                bar.update()
            bar.set_postfix_str(f"D={dim} N={n} peers")
            peers = {} if ours_only else measure_peers(dim, n, peers_python)
            bar.update()
            with bar.external_write_mode():
                show(dim, n, ours, peers)
            report["sizes"].append({"dim": dim, "n": n, "milliseconds": ours, "peers": peers})
            _write(path, report)
        if not ours_only:
            bar.set_postfix_str("fresh processes and large ones")
            measure_scale(report, quick)
        bar.update()
    if not ours_only:
        show_scale(report)
    _write(path, report)


def _write(path, report):
    if path:
        Path(path).write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
