"""The table of area reductions: rows, and the ways to print them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equiwarp.bench.area import BASELINE, Summary
from equiwarp.bench.cell import Cell
from equiwarp.bench.experiments import AFTER, SavedSummary
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.pages.paper_tables import Published, published
from equiwarp.bench.storage.csv_records import csv_text, none_if_nan
from equiwarp.bench.trajectories import Trajectories, baseline_label


@dataclass(frozen=True)
class AreaRow:
    """One benchmark, arm and horizon.

    ``measure`` is ``ar`` (area reduction against FPS, percent), ``rmse`` (error after the last of
    these rounds, percent of the function's deviation) or ``experiments`` (how many fewer reach the error that
    FPS has after these rounds; of ``censored`` runs only a bound is known, see
    :mod:`equiwarp.bench.experiments`).
    """

    benchmark: str
    arm: str
    readout: str
    rounds: int
    summary: Summary
    measure: str = "ar"
    censored: int = 0

    @property
    def paper(self) -> Published | None:
        """The paper's figure, where it has one."""
        if self.readout != "1nn" or self.measure != "ar":
            return None
        return published().get((self.benchmark, self.arm, self.rounds))

    def record(self) -> dict[str, Any]:
        """Flat, with NaN as None."""
        return {
            "benchmark": self.benchmark,
            "arm": self.arm,
            "readout": self.readout,
            "rounds": self.rounds,
            f"{self.measure}_mean": none_if_nan(self.summary.mean),
            f"{self.measure}_sem": none_if_nan(self.summary.sem),
            "seeds": self.summary.seeds,
            **({"censored": self.censored} if self.measure == "experiments" else {}),
        }

    @property
    def text(self) -> str:
        """Mean and standard error; an upper bound where runs are censored."""
        if self.measure == "experiments":
            return str(SavedSummary(self.summary, self.censored))
        return _plus_minus(self.summary.mean, self.summary.sem)


def reached_horizons(found: Trajectories, asked: Sequence[int] | None = None) -> dict[str, list[int]]:
    """Rounds to report per benchmark: those asked for, or the paper's, within what was run."""
    reached: dict[str, int] = {}
    for (name, _), by_seed in found.errors.items():
        reached[name] = max([reached.get(name, 0), *(len(errors) - 1 for errors in by_seed.values())])
    horizons = {}
    for name, most in reached.items():
        wanted = asked or find_benchmark(name).checkpoints
        horizons[name] = sorted({t for t in wanted if t <= most}) or ([] if asked else [most])
    return horizons


def area_rows(
    cells: Sequence[Cell], readout: str = "1nn", rounds: Sequence[int] | None = None, measure: str = "ar"
) -> list[AreaRow]:
    """The table of these cells, scored where they are not, at the horizons asked for or the paper's."""
    long_enough = [cell for cell in cells if not rounds or cell.rounds >= min(rounds)]
    # To see that an arm needs more experiments than FPS, one has to look beyond the rounds of FPS.
    found = Trajectories.scored(
        long_enough, readout, max(rounds) if rounds and measure != "experiments" else None
    )
    if measure == "experiments" and not rounds:
        rounds = [AFTER]
    return rows_at(found, reached_horizons(found, rounds), measure)


def rows_at(found: Trajectories, horizons: Mapping[str, Sequence[int]], measure: str = "ar") -> list[AreaRow]:
    """The table, ordered as the paper's benchmarks, the registry's arms, and rounds."""
    table = []
    for name in found.benchmarks():
        for arm in found.arms():
            for rounds in horizons[name]:
                if measure == "experiments":
                    saved = {} if arm == baseline_label(arm) else found.saved(name, arm, rounds)
                    if saved:
                        both = SavedSummary.of(saved.values())
                        row = AreaRow(name, arm, found.readout, rounds, both.summary, measure, both.censored)
                        table.append(row)
                    continue
                if measure == "rmse":
                    values = found.percents(name, arm, rounds)
                else:
                    values = {} if arm == baseline_label(arm) else found.reductions(name, arm, rounds)
                if values:
                    summary = Summary.of(values.values())
                    table.append(AreaRow(name, arm, found.readout, rounds, summary, measure))
    return table


def as_json(table: Sequence[AreaRow]) -> str:
    return json.dumps([row.record() for row in table], indent=1)


def as_csv(table: Sequence[AreaRow]) -> str:
    empty = AreaRow("", "", "", 0, Summary(0, 0, 0))
    columns = list((table[0] if table else empty).record())
    return csv_text([row.record() for row in table], columns).rstrip("\n")


def as_text(table: Sequence[AreaRow]) -> str:
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
                row.text,
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


def as_latex(table: Sequence[AreaRow]) -> str:
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
        title = _latex_text(find_benchmark(name).title)
        lines.append(" & ".join([title, _latex_text(arm), *values]) + r" \\")
    return "\n".join([*lines, r"\hline", r"\end{tabular}"])


TABLE_FORMATS: dict[str, Callable[[Sequence[AreaRow]], str]] = {
    "text": as_text,
    "json": as_json,
    "csv": as_csv,
    "latex": as_latex,
}
_PM = r" \pm "
_TITLES = {"ar": "AR %", "rmse": "RMSE % of deviation", "experiments": "experiments saved"}


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
