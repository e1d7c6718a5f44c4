"""The table of area reductions: rows, and the ways to print them."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from equiwarp.bench import benchmarks as catalogue
from equiwarp.bench.area import BASELINE, Summary, paired
from equiwarp.bench.arms import arm_names
from equiwarp.bench.cell import Cell
from equiwarp.bench.paper import Published, published


@dataclass(frozen=True)
class Row:
    """One benchmark, arm and horizon.

    ``measure`` is ``ar`` (area reduction against FPS, percent) or ``rmse`` (error after the last of
    these rounds, percent of the function's deviation).
    """

    benchmark: str
    arm: str
    readout: str
    rounds: int
    summary: Summary
    measure: str = "ar"

    @property
    def paper(self) -> Published | None:
        """The paper's figure, where it has one."""
        if self.readout != "1nn" or self.measure != "ar":
            return None
        return published().get((self.benchmark, self.arm, self.rounds))

    def record(self) -> dict[str, Any]:
        """Flat, with NaN as None."""
        mean, sem = (None if math.isnan(v) else v for v in (self.summary.mean, self.summary.sem))
        return {
            "benchmark": self.benchmark,
            "arm": self.arm,
            "readout": self.readout,
            "rounds": self.rounds,
            f"{self.measure}_mean": mean,
            f"{self.measure}_sem": sem,
            "seeds": self.summary.seeds,
        }


def horizons(cells: Iterable[Cell], asked: Sequence[int] | None = None) -> dict[str, list[int]]:
    """Rounds to report per benchmark: those asked for, or the paper's, within what was run."""
    reached: dict[str, int] = {}
    for cell in cells:
        reached[cell.benchmark] = max(reached.get(cell.benchmark, 0), cell.rounds)
    found = {}
    for name, most in reached.items():
        wanted = asked or catalogue.find(name).checkpoints
        found[name] = [t for t in wanted if t <= most] or ([] if asked else [most])
    return found


def rows(
    cells: Sequence[Cell], readout: str = "1nn", rounds: Sequence[int] | None = None, measure: str = "ar"
) -> list[Row]:
    """The table, ordered as the paper's benchmarks, the registry's arms, and rounds."""
    values = absolute if measure == "rmse" else paired
    found = []
    by_round: dict[int, list[Cell]] = {}
    for name, marks in horizons(cells, rounds).items():
        for mark in marks:
            by_round.setdefault(mark, []).extend(c for c in cells if c.benchmark == name)
    for mark, selected in by_round.items():
        for (name, arm), seeds in values(selected, mark, readout).items():
            found.append(Row(name, arm, readout, mark, Summary.of(seeds.values()), measure))
    return sorted(found, key=_order)


def absolute(
    cells: Iterable[Cell], rounds: int, readout: str = "1nn"
) -> dict[tuple[str, str], dict[int, float]]:
    """RMSE after ``rounds`` in percent of the deviation, by (benchmark, arm label) and seed."""
    found: dict[tuple[str, str], dict[int, float]] = {}
    for cell in cells:
        if cell.rounds >= rounds:
            value = float(cell.rmse_percent(readout)[rounds])
            found.setdefault((cell.benchmark, cell.label), {})[cell.seed] = value
    return found


def _order(row: Row) -> tuple[int, str, int, str, int]:
    names, arms = list(catalogue.benchmarks()), list(arm_names())
    arm = row.arm.split("@")[0]
    return (
        names.index(row.benchmark) if row.benchmark in names else len(names),
        row.benchmark,
        arms.index(arm) if arm in arms else len(arms),
        row.arm,
        row.rounds,
    )


def as_json(table: Sequence[Row]) -> str:
    return json.dumps([row.record() for row in table], indent=1)


def as_csv(table: Sequence[Row]) -> str:
    out = io.StringIO()
    records = [row.record() for row in table]
    fields = list(records[0]) if records else list(Row("", "", "", 0, Summary(0, 0, 0)).record())
    writer = csv.DictWriter(out, fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue().rstrip("\n")


def as_text(table: Sequence[Row]) -> str:
    """Columns for people, the paper's figure beside ours."""
    if not table:
        return f"no row: every arm needs cells of {BASELINE!r} with the same seeds and as many rounds"
    head = ("benchmark", "arm", "rounds", "seeds", _TITLES[table[0].measure], "paper", "difference")
    lines: list[tuple[str, ...]] = [head]
    for row in table:
        paper = row.paper
        lines.append(
            (
                row.benchmark,
                row.arm,
                str(row.rounds),
                str(row.summary.seeds),
                _plus_minus(row.summary.mean, row.summary.sem),
                _plus_minus(paper.mean, paper.sem) if paper else "",
                _difference(row.summary, paper) if paper else "",
            )
        )
    if not any(row.paper for row in table):
        lines = [line[:5] for line in lines]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = ["  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines]
    note = "difference: ours minus the paper's, and in pooled standard errors (s)"
    return "\n".join([f"readout {table[0].readout}", *text, *([note] if any(r.paper for r in table) else [])])


def as_latex(table: Sequence[Row]) -> str:
    """A tabular: one line per benchmark and arm, one column per horizon."""
    marks = sorted({row.rounds for row in table})
    lines = [rf"\begin{{tabular}}{{ll{'c' * len(marks)}}}", r"\hline"]
    lines.append(" & ".join(["Benchmark", "Arm", *(f"{t} rounds" for t in marks)]) + r" \\ \hline")
    found = {(r.benchmark, r.arm, r.rounds): r.summary for r in table}
    for name, arm in dict.fromkeys((r.benchmark, r.arm) for r in table):
        values = []
        for mark in marks:
            summary = found.get((name, arm, mark))
            values.append("" if summary is None else _math(summary))
        title = _latex_text(catalogue.find(name).title)
        lines.append(" & ".join([title, _latex_text(arm), *values]) + r" \\")
    return "\n".join([*lines, r"\hline", r"\end{tabular}"])


FORMATS: dict[str, Callable[[Sequence[Row]], str]] = {
    "text": as_text,
    "json": as_json,
    "csv": as_csv,
    "latex": as_latex,
}
_PM = r" \pm "
_TITLES = {"ar": "AR %", "rmse": "RMSE % of deviation"}


def _plus_minus(mean: float, sem: float, sign: str = " ± ") -> str:
    return f"{mean:.1f}" if math.isnan(sem) else f"{mean:.1f}{sign}{sem:.1f}"


def _difference(ours: Summary, paper: Published) -> str:
    gap = ours.mean - paper.mean
    if math.isnan(ours.sem):
        return f"{gap:+.1f}"
    return f"{gap:+.1f} ({gap / math.hypot(ours.sem, paper.sem):+.1f} s)"


def _math(summary: Summary) -> str:
    return f"${_plus_minus(summary.mean, summary.sem, _PM)}$"


def _latex_text(text: str) -> str:
    return (
        text.replace("S^2", "$S^2$").replace("S^3", "$S^3$").replace("_", r"\_").replace("@", r" $\times$ ")
    )
