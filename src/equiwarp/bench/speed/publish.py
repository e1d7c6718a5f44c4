"""Puts the numbers of a run into docs/performance.md, between two markers.

Several reports, of ``speed run`` and of ``speed same-points``, are joined; a later one replaces the rows of
an earlier one that are of the same size.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from equiwarp.bench.speed.report import SameReport, SizeReport, SpeedReport
from equiwarp.exceptions import InvalidInput

BEGIN, END = "<!-- numbers: equiwarp bench speed publish -->", "<!-- end of numbers -->"


def publish(reports: Sequence[SpeedReport], page: Path) -> None:
    """Replace what stands between the markers of a page."""
    text = page.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise InvalidInput(f"{page} must have the lines {BEGIN!r} and {END!r}, once each, to write between")
    head, tail = text.split(BEGIN)[0], text.split(END)[1]
    page.write_text(head + numbers_text(joined(reports)) + tail, encoding="utf-8")


def joined(reports: Sequence[SpeedReport]) -> SpeedReport:
    """One report of several: sizes in order, rows of the other tables as they came."""
    whole: SpeedReport = {}
    for report in reports:
        whole.update(report)
    sizes = {(size["dim"], size["n"]): size for report in reports for size in report.get("sizes", [])}
    whole["sizes"] = [sizes[key] for key in sorted(sizes)]
    fresh = _latest([report.get("fresh", []) for report in reports], 2)
    many = _latest([report.get("many", []) for report in reports], 3)
    if fresh:
        whole["fresh"] = fresh
    if many:
        whole["many"] = many
    if "machine" not in whole:
        raise InvalidInput("none of these reports says on which machine it was made: give one of `speed run`")
    return whole


def _latest(tables: Sequence[list[list[Any]]], columns: int) -> list[list[Any]]:
    """Rows of several tables, the last one of those that begin with the same columns."""
    return list({tuple(row[:columns]): row for table in tables for row in table}.values())


def numbers_text(report: SpeedReport) -> str:
    """Markdown of a whole report, with its markers."""
    versions = ", ".join(f"{package} {number}" for package, number in report["versions"].items())
    lines = [BEGIN, "## Results", "", f"Machine: {report['machine']}; {versions}.", ""]
    for size in report["sizes"]:
        lines += [*size_table(size), ""]
    return "\n".join([*lines, *scale_tables(report), END])


def size_table(size: SizeReport) -> list[str]:
    """Markdown of one size."""
    ours = size["milliseconds"]
    lines = [
        f"### D = {size['dim']}, N = {size['n']}",
        "",
        "| strategy | steady, ms | over floor | dense over steady |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, row in ours.items():
        floor = f"{row['steady'] / row['floor']:.2f}" if "floor" in row else "-"
        dense = f"{row['dense'] / row['steady']:.1f}" if "dense" in row else "-"
        lines.append(f"| {name} | {row['steady']:.2f} | {floor} | {dense} |")
    base = ours["equiwarp"]
    faster = (
        f", {base['dense_beside'] / base['stateless']:.2f} times faster than the dense reference"
        if "dense_beside" in base
        else ""
    )
    lines += ["", f"A stateless `suggest()`: {base['stateless']:.0f} ms{faster}."]
    if size["peers"]:
        lines += ["", "| peer | ms | over steady `equiwarp` |", "| --- | ---: | ---: |"]
    for name, value in size["peers"].items():
        lines.append(
            f"| {name} | {value} | - |"
            if isinstance(value, str)
            else f"| {name} | {value:.1f} | {value / base['steady']:.1f} |"
        )
    return lines


def scale_tables(report: SpeedReport) -> list[str]:
    """Markdown of fresh processes and large problems, as far as the run got there."""
    lines = []
    if "fresh" in report:
        lines += [
            "### A fresh process",
            "",
            f"`import equiwarp` beyond NumPy's: {1e3 * report['import']:.0f} ms. "
            "First suggestion, imports of SciPy included:",
            "",
            "| D | N | cache empty, s | cache filled, s | our own part, s |",
            "| ---: | ---: | ---: | ---: | ---: |",
        ]
        for dim, n, empty, filled, own in report["fresh"]:
            lines.append(f"| {dim} | {n} | {empty:.2f} | {filled:.2f} | {own:.2f} |")
    if "many" in report:
        lines += ["", "### Many observations and long lists, D = 4, stateless", ""]
        lines += ["| strategy | N | pool | s | memory, GiB |", "| --- | ---: | ---: | ---: | ---: |"]
        for name, n, pool, seconds, memory in report["many"]:
            lines.append(f"| {name} | {n:,} | {pool:,} | {seconds:.2f} | {memory:.2f} |")
    if "same" in report:
        lines += ["", "### The same points", "", same_sentence(report["same"])]
    return lines


def same_sentence(same: SameReport) -> str:
    """How often the fast and the dense path chose different points."""
    counts = ", ".join(f"`{name}` {count}" for name, count in same["differ"].items())
    return (
        f"Of {same['rounds']} rounds in {same['dim']} dimensions, the fast and the dense path chose "
        f"differently in: {counts}."
    )
