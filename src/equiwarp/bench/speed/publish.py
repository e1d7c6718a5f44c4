"""Puts the numbers of a run on docs/performance.md: one table and one figure, the rest as data beside them.

Several reports, of ``speed run`` and of ``speed same-points``, are joined; a later one replaces the rows of
an earlier one that are of the same size.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from equiwarp.bench.pages.markdown import markdown_table
from equiwarp.bench.speed.report import SameReport, SizeReport, SpeedReport
from equiwarp.bench.storage.csv_records import write_records
from equiwarp.exceptions import InvalidInput

BEGIN, END = "<!-- numbers: equiwarp bench speed publish -->", "<!-- end of numbers -->"
#: Where the numbers and the figure go, from the page's folder on.
DATA, FIGURE = Path("results/tables/speed.csv"), Path("images/speed.png")
#: Dimension of the table on the page, where it was measured.
SHOWN_DIM = 4


def publish(reports: Sequence[SpeedReport], page: Path) -> None:
    """Replace what stands between the markers of a page; write data and figure beside it."""
    from equiwarp.bench.speed.figure import draw_speed

    text = page.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise InvalidInput(f"{page} must have the lines {BEGIN!r} and {END!r}, once each, to write between")
    head, tail = text.split(BEGIN)[0], text.split(END)[1]
    report = joined(reports)
    records = speed_records(report)
    write_records(page.parent / DATA, records, 4)
    draw_speed(records, page.parent / FIGURE)
    page.write_text(head + numbers_text(report) + tail, encoding="utf-8")


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


def speed_records(report: SpeedReport) -> list[dict[str, Any]]:
    """Every number of the sizes, one strategy or peer a line; milliseconds, empty where not measured."""
    kinds = ("steady", "floor", "dense", "stateless", "dense_beside")
    records = []
    for size in report["sizes"]:
        place = {"dim": size["dim"], "n": size["n"]}
        for name, row in size["milliseconds"].items():
            records.append({**place, "who": name, **{kind: row.get(kind) for kind in kinds}})
        for name, value in size["peers"].items():
            known = None if isinstance(value, str) else value
            records.append({**place, "who": name, **dict.fromkeys(kinds), "steady": known})
    return records


def numbers_text(report: SpeedReport) -> str:
    """Markdown of a whole report, with its markers."""
    versions = ", ".join(f"{package} {number}" for package, number in report["versions"].items())
    lines = [BEGIN, "## Results", "", f"Machine: {report['machine']}; {versions}.", ""]
    dims = sorted({size["dim"] for size in report["sizes"]})
    if dims:
        dim = SHOWN_DIM if SHOWN_DIM in dims else dims[0]
        sizes = [size for size in report["sizes"] if size["dim"] == dim]
        lines += [
            f"Milliseconds for one more suggestion, {dim} dimensions; in brackets, how many times the floor:",
            "",
            size_table(sizes),
            "",
            f"![Milliseconds for one more suggestion over the number of measurements]({FIGURE})",
            "",
            f"All sizes, with the dense reference, are in [{DATA.name}]({DATA}).",
            "",
        ]
    return "\n".join([*lines, *scale_sentences(report), END])


def size_table(sizes: Sequence[SizeReport]) -> str:
    """Strategies and peers by number of measurements, in one dimension."""
    strategies = list(dict.fromkeys(name for size in sizes for name in size["milliseconds"]))
    peers = list(dict.fromkeys(name for size in sizes for name in size["peers"]))
    lines = [
        (f"`{name}`", *(_strategy_cell(size["milliseconds"].get(name)) for size in sizes))
        for name in strategies
    ]
    lines += [(name, *(_peer_cell(size["peers"].get(name)) for size in sizes)) for name in peers]
    return markdown_table(("", *(f"N = {size['n']:,}" for size in sizes)), lines)


def _strategy_cell(row: dict[str, float] | None) -> str:
    if row is None:
        return "–"
    floor = f" ({row['steady'] / row['floor']:.1f})" if "floor" in row else ""
    return significant(row["steady"]) + floor


def _peer_cell(value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or "–"
    return significant(value) if value else "too little to time"


def significant(value: float) -> str:
    """Two digits at least, whatever the size: 0.024, 3.7, 37, 1,838,461."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def scale_sentences(report: SpeedReport) -> list[str]:
    """Fresh processes, large problems and the comparison of choices, as far as the run got there."""
    lines = []
    if "fresh" in report:
        cases = "; ".join(
            f"{filled:.2f} s ({empty:.2f} with an empty cache) for D = {dim}, N = {n}"
            for dim, n, empty, filled, _ in report["fresh"]
        )
        lines += [
            f"The first suggestion of a fresh process, imports included, takes {cases}. "
            f"`import equiwarp` adds {1e3 * report['import']:.0f} ms to NumPy's.",
            "",
        ]
    if "many" in report:
        cases = "; ".join(
            f"{seconds:.2f} s and {memory:.2f} GiB for N = {n:,} and a pool of {pool:,}"
            for _, n, pool, seconds, memory in report["many"]
        )
        lines += [f"A single suggestion of `equiwarp` in four dimensions takes {cases}.", ""]
    return [*lines, same_sentence(report["same"])] if "same" in report else lines


def same_sentence(same: SameReport) -> str:
    """How often the fast and the dense path chose different points."""
    counts = ", ".join(f"`{name}` {count}" for name, count in same["differ"].items())
    return (
        f"Of {same['rounds']} rounds in {same['dim']} dimensions, the fast and the dense path chose "
        f"differently in: {counts}."
    )
