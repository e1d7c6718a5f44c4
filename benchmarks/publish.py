"""Puts the numbers of a run into docs/performance.md: ``python benchmarks/publish.py out.json [...]``.

Several files, of `speed.py` and of `same_points.py`, are joined; a later one replaces the rows of an
earlier one that are of the same size.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "performance.md"
BEGIN, END = "<!-- numbers: benchmarks/publish.py -->", "<!-- end of numbers -->"


def size_table(size):
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
    lines += [
        "",
        f"A stateless `suggest()`: {base['stateless']:.0f} ms, "
        f"{base['dense_beside'] / base['stateless']:.2f} times faster than the dense reference.",
    ]
    if size["peers"]:
        lines += ["", "| peer | ms | over steady `equiwarp` |", "| --- | ---: | ---: |"]
    for name, value in size["peers"].items():
        lines.append(
            f"| {name} | {value} | - |"
            if isinstance(value, str)
            else f"| {name} | {value:.1f} | {value / base['steady']:.1f} |"
        )
    return lines


def scale_tables(report):
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
        lines += ["", "### The same points", "", same_sentence(**report["same"])]
    return lines


def same_sentence(dim, rounds, differ):
    """How often the fast and the dense path chose different points."""
    counts = ", ".join(f"`{name}` {count}" for name, count in differ.items())
    return (
        f"Of {rounds} rounds in {dim} dimensions, the fast and the dense path chose differently in: {counts}."
    )


def main(paths):
    reports = [json.loads(Path(path).read_text()) for path in paths]
    sizes = {(s["dim"], s["n"]): s for report in reports for s in report.get("sizes", [])}
    joined = {key: value for report in reports for key, value in report.items()}
    for table, columns in (("fresh", 2), ("many", 3)):
        rows = {tuple(row[:columns]): row for report in reports for row in report.get(table, [])}
        if rows:
            joined[table] = list(rows.values())
    lines = [BEGIN, "## Results", "", f"Machine: {joined['machine']}; {joined['versions']}.", ""]
    for key in sorted(sizes):
        lines += [*size_table(sizes[key]), ""]
    lines += [*scale_tables(joined), END]
    page = PAGE.read_text()
    head, tail = page.split(BEGIN)[0], page.split(END)[1]
    PAGE.write_text(head + "\n".join(lines) + tail)


if __name__ == "__main__":
    main(sys.argv[1:])
