"""The density of the pool, on the results page: what 2^(10 + D) candidates change.

Its cells are packed with all others; what is said here is made from the table written beside the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import Any

from equiwarp.bench.area import BASELINE, Summary, error_area
from equiwarp.bench.cell import Cell, arm_label
from equiwarp.bench.functions.catalogue import benchmarks, find_benchmark
from equiwarp.bench.pages.markdown import markdown_table, number_text, plus_minus
from equiwarp.bench.pages.paper_tables import published
from equiwarp.bench.pages.reductions import title
from equiwarp.bench.storage.csv_records import none_if_nan, read_records
from equiwarp.bench.trajectories import Trajectories

POOL_TABLE = "pool.csv"
#: Those of the paper's tables that were run on both pools.
PAPERS_ARMS = ("equalized", "equiwarp")


#: Under which another pool is judged; `gp` is scored where it has not been, a second a cell at most.
POOL_READOUTS = ("1nn", "gp")


def pool_records(cells: Sequence[Cell], readouts: Sequence[str] = POOL_READOUTS) -> list[dict[str, Any]]:
    """Each arm on another pool beside itself on the usual one, over the seeds that both have."""
    other = [cell for cell in cells if cell.lengthscale_factor == 1.0 and not cell.as_usual]
    names, arms = {cell.benchmark for cell in other}, {cell.arm for cell in other}
    usual = [c for c in cells if c.as_usual and c.benchmark in names and c.arm in arms]
    records = []
    for readout in readouts:
        found = Trajectories.scored(usual + other, readout)
        for name, arm, pool in sorted({(cell.benchmark, cell.arm, cell.pool) for cell in other}):
            for rounds in find_benchmark(name).checkpoints:
                record = _pool_record(found, name, arm, pool, rounds)
                records += [record] if record and arm != BASELINE else []
    return records


def _pool_record(found: Trajectories, name: str, arm: str, pool: int, rounds: int) -> dict[str, Any] | None:
    label, baseline = arm_label(arm, pool=pool), arm_label(BASELINE, pool=pool)
    seeds = found.shared(name, (arm, BASELINE, label, baseline), rounds)
    if not seeds:
        return None
    here, there = (
        Summary.of(v for seed, v in found.reductions(name, one, rounds).items() if seed in seeds)
        for one in (arm, label)
    )

    def area(one: str) -> float:
        return sum(error_area(found.errors[name, one][seed], rounds) for seed in seeds)

    return {
        "readout": found.readout,
        "benchmark": name,
        "arm": arm,
        "pool": pool,
        "rounds": rounds,
        "seeds": len(seeds),
        "usual_mean": here.mean,
        "usual_sem": none_if_nan(here.sem),
        "ar_mean": there.mean,
        "ar_sem": none_if_nan(there.sem),
        "fps_area_ratio": area(baseline) / area(BASELINE),
        "arm_area_ratio": area(label) / area(arm),
    }


def pool_section(tables: Path) -> str:
    """What a denser pool does to FPS, to an arm, and to the area reduction."""
    records = [r for arm in PAPERS_ARMS for r in pool_rows(tables, arm, 100)]
    if not records:
        return ""
    lines = []
    for r in records:
        paper = published().get((r["benchmark"], r["arm"], r["rounds"]))
        lines.append(
            (
                title(r["benchmark"]),
                f"`{r['arm']}`",
                f"{r['pool']:,}",
                str(r["seeds"]),
                _summary(r, "usual"),
                _summary(r, "ar"),
                "–" if paper is None else plus_minus(Summary(paper.mean, paper.sem, 10)),
                number_text(100 * (r["fps_area_ratio"] - 1), sign=True),
                number_text(100 * (r["arm_area_ratio"] - 1), sign=True),
            )
        )
    head = (
        "100 rounds",
        "arm",
        "pool",
        "seeds",
        "4,096",
        "this pool",
        "paper",
        "area of FPS, %",
        "of the arm, %",
    )
    return "\n\n".join([POOL, markdown_table(head, lines), distance_sentence(tables), POOL_COMMAND])


def pool_rows(tables: Path, arm: str, rounds: int, readout: str = "1nn") -> list[dict[str, Any]]:
    """What the table has of an arm after so many rounds, in the paper's order of benchmarks."""
    path = tables / POOL_TABLE
    if not path.exists():
        return []
    wanted = [
        r for r in read_records(path) if (r["arm"], r["rounds"], r["readout"]) == (arm, rounds, readout)
    ]
    return sorted(wanted, key=lambda r: list(benchmarks()).index(r["benchmark"]))


def distance_sentence(tables: Path) -> str:
    """How far both pools are from the paper, over every row that it prints."""
    pairs = [
        (r["usual_mean"] - paper.mean, r["ar_mean"] - paper.mean)
        for (name, arm, rounds), paper in published().items()
        for r in pool_rows(tables, arm, rounds)
        if r["benchmark"] == name
    ]
    if not pairs:
        return ""
    usual, other = (sqrt(sum(d * d for d in column) / len(pairs)) for column in zip(*pairs, strict=True))
    nearer = sum(abs(there) < abs(here) for here, there in pairs)
    supported = 2 * nearer > len(pairs) and other < usual
    return (
        f"Over the {len(pairs)} rows of the paper that were run with both, the root mean square difference "
        f"from it is {usual:.1f} points with 4,096 candidates and {other:.1f} with 2^(10 + D), which is "
        f"nearer in {nearer} of them. {POOL_SUPPORTED if supported else POOL_REFUTED}"
    )


def _summary(record: dict[str, Any], what: str) -> str:
    sem = record[f"{what}_sem"]
    return plus_minus(Summary(record[f"{what}_mean"], float("nan") if sem is None else sem, record["seeds"]))


POOL = """### The density of the pool

The paper chooses from "the same Sobol candidate pool" and does not give its size; ours has 4,096 points.
In higher dimensions that matters to the *baseline*: FPS takes the pool's most extreme points, and a denser
pool has more extreme ones. Everything but the pool being equal, with 2^(10 + D) candidates:"""
POOL_SUPPORTED = """So the paper's pool was probably the denser one. In two dimensions both are the same."""
POOL_REFUTED = """So the numbers do not speak for the denser pool."""
POOL_COMMAND = """The last two columns say by how much the error's area changes with the pool, for FPS and
for the arm. Only this table and what is said of it below (`tables/pool.csv`) uses 2^(10 + D) candidates; all
others on this page and on the pages beside it use 4,096: a user's campaign has that many, and every arm would
have to be computed anew. An area reduction on such functions says as much about FPS as about the method;
[lookahead.md](lookahead.md) therefore also gives the gain over the better of FPS and Sobol.

```
equiwarp bench run --arms fps,eig,equalized,equiwarp,sobol --pool dim --seeds 10 --out out
```"""
