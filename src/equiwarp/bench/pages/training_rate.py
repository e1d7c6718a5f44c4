"""The study of the trained warp's step size: which rate comes nearest to the paper on the smooth boxes.

The paper trains by a hundred steps of Adam and gives no rate. Constants are tuned on the smooth boxes only.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan, sqrt
from pathlib import Path
from typing import Any

from equiwarp.bench.area import BASELINE, Summary
from equiwarp.bench.cell import Cell
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.pages.markdown import markdown_table, number_text, plus_minus
from equiwarp.bench.pages.paper_tables import published
from equiwarp.bench.pages.reductions import Reductions, title
from equiwarp.bench.storage.csv_records import kept_records, none_if_nan
from equiwarp.bench.trajectories import Trajectories
from equiwarp.geometry.kumaraswamy import ADAM_RATE

RATE_TABLE = "training-rate.csv"
BOXES = ("smooth-box-2d", "smooth-box-3d", "smooth-box-4d")
#: Step size -> the arm that has it.
RATES = {
    rate: "kumaraswamy" if rate == ADAM_RATE else f"kumaraswamy-rate-{rate:g}"
    for rate in sorted({0.002, 0.005, 0.01, 0.02, 0.05, ADAM_RATE})
}


def rate_records(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """Every rate on every box and horizon, over the seeds that all of them have."""
    arms = (BASELINE, *RATES.values())
    mine = [cell for cell in cells if cell.as_usual and cell.benchmark in BOXES and cell.arm in arms]
    found = Trajectories.scored(mine, "1nn")
    records = []
    for name in BOXES:
        for rounds in find_benchmark(name).checkpoints:
            seeds = found.shared(name, arms, rounds)
            for rate, arm in RATES.items() if seeds else ():
                reductions = found.reductions(name, arm, rounds)
                summary = Summary.of(reductions[seed] for seed in seeds)
                records.append(
                    {
                        "benchmark": name,
                        "rounds": rounds,
                        "rate": rate,
                        "seeds": len(seeds),
                        "ar_mean": summary.mean,
                        "ar_sem": none_if_nan(summary.sem),
                    }
                )
    return records


def rate_section(tables: Path) -> str:
    """The table of the study, how far each rate is from the paper, and what is used."""
    path = tables / RATE_TABLE
    records = kept_records(path)
    if not records:
        trained = Reductions.of(tables).at(100).cubes("kumaraswamy")
        return "\n\n".join([RATE, NOT_STUDIED, RATE_COMMAND]) if trained else ""
    lines, squares, errors = [], dict.fromkeys(RATES, 0.0), 0.0
    keys = dict.fromkeys((r["benchmark"], r["rounds"]) for r in records)
    for name, rounds in keys:
        row = {r["rate"]: r for r in records if (r["benchmark"], r["rounds"]) == (name, rounds)}
        paper = published()[name, "kumaraswamy", rounds]
        for rate in RATES:
            squares[rate] += (row[rate]["ar_mean"] - paper.mean) ** 2
        some = row[ADAM_RATE]
        errors += paper.sem**2 + (some["ar_sem"] or 0.0) ** 2
        texts = [plus_minus(_summary(row[rate])) for rate in RATES]
        shown = plus_minus(Summary(paper.mean, paper.sem, 10))
        lines.append((f"{title(name)}, {rounds}", str(some["seeds"]), *texts, shown))
    apart = {rate: sqrt(total / len(keys)) for rate, total in squares.items()}
    head = ("benchmark, rounds", "seeds", *(f"{rate:g}" for rate in RATES), "paper")
    said = verdict(apart, len(keys), sqrt(errors / len(keys)))
    return "\n\n".join([RATE, markdown_table(head, lines), said, RATE_COMMAND])


def verdict(apart: dict[float, float], rows: int, error: float) -> str:
    """How far each rate is from the paper in the root mean square, and whether that is a reason to change."""
    listed = ", ".join(f"{number_text(apart[rate])} points with {rate:g}" for rate in apart)
    nearest = min(apart, key=apart.__getitem__)
    if nearest == ADAM_RATE:
        used = "which is the nearest"
    elif apart[ADAM_RATE] - apart[nearest] < error:
        used = f"although {nearest:g} is nearer: within these errors the study does not decide"
    else:
        used = f"although {nearest:g} is nearer by more than these errors"
    return (
        f"Over these {rows} rows the root mean square difference from the paper is {listed}; the rows' own "
        f"standard errors, ours and the paper's together, are {number_text(error)}. "
        f"The arm `kumaraswamy` uses {ADAM_RATE:g}, {used}."
    )


def _summary(record: dict[str, Any]) -> Summary:
    return Summary(record["ar_mean"], nan if record["ar_sem"] is None else record["ar_sem"], record["seeds"])


RATE = """### Kumaraswamy: how far it is trained

The paper trains the warp with a hundred steps of Adam and gives no rate, which decides how far the training
gets. It maximises the likelihood at a fixed lengthscale, and may contract the whole domain to get it.
Constants are tuned on smooth boxes only:"""
NOT_STUDIED = f"""The study of the rates has not been run: that the arm `kumaraswamy` uses {ADAM_RATE:g}
rests on cells that were not kept."""
RATE_COMMAND = f"""```
equiwarp bench run --benchmarks {",".join(BOXES)} --rounds 100 --seeds 10 --out out \\
  --arms fps,{",".join(RATES.values())}
```"""
