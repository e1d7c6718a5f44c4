"""What a measurement of speed found: plain data, written as JSON, and shown on a terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypedDict

#: Milliseconds by kind: steady, floor, dense, and for ``equiwarp`` also stateless and dense_beside.
StrategyTimes = dict[str, float]
#: Milliseconds of a peer, or why there are none.
PeerTimes = dict[str, float | str]


class SizeReport(TypedDict):
    """One dimension and number of measurements."""

    dim: int
    n: int
    milliseconds: dict[str, StrategyTimes]
    peers: PeerTimes


class SameReport(TypedDict):
    """How often fast and dense path chose differently, by strategy."""

    dim: int
    rounds: int
    differ: dict[str, int]


#: ``import`` is a key, so this is written as a call. Rows are those of ``fresh_process``.
SpeedReport = TypedDict(
    "SpeedReport",
    {
        "machine": str,
        "versions": dict[str, str],
        "sizes": list[SizeReport],
        "import": float,
        "fresh": list[list[float]],
        "many": list[list[Any]],
        "same": SameReport,
    },
    total=False,
)


def write_report(path: Path | None, report: SpeedReport) -> None:
    """As JSON; nothing where no file was asked for."""
    if path is not None:
        path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def read_report(path: Path) -> SpeedReport:
    found: SpeedReport = json.loads(path.read_text(encoding="utf-8"))
    return found


def size_text(size: SizeReport) -> str:
    """One size as a table of ratios."""
    lines = [
        f"\nD = {size['dim']}, N = {size['n']}: milliseconds for one more suggestion",
        f"{'strategy':<14}{'steady':>10}{'floor':>10}{'x floor':>9}{'dense':>11}{'dense / steady':>16}",
    ]
    for name, row in size["milliseconds"].items():
        steady, floor, dense = row["steady"], row.get("floor"), row.get("dense")
        lines.append(
            f"{name:<14}{steady:>10.2f}"
            + (f"{floor:>10.2f}{steady / floor:>9.2f}" if floor else f"{'-':>10}{'-':>9}")
            + (f"{dense:>11.1f}{dense / steady:>16.1f}" if dense else f"{'-':>11}{'-':>16}")
        )
    base = size["milliseconds"]["equiwarp"]
    beside = base.get("dense_beside")
    ratio = f", dense / stateless {beside / base['stateless']:.2f}" if beside else ""
    lines.append(f"stateless equiwarp {base['stateless']:.1f} ms{ratio}")
    for name, value in size["peers"].items():
        if isinstance(value, str):
            lines.append(f"{name:<26}{value}")
        else:
            lines.append(f"{name:<26}{value:>12.2f} ms{value / base['steady']:>10.1f} x steady equiwarp")
    return "\n".join(lines)


def scale_text(report: SpeedReport) -> str:
    """Fresh processes, many observations and long lists."""
    lines = [f"\nimport equiwarp, beyond numpy: {1e3 * report['import']:.0f} ms"]
    lines.append(
        "first suggestion of a fresh process, seconds: cache empty, cache filled, our own part of it"
    )
    for dim, n, empty, filled, own in report["fresh"]:
        lines.append(f"  D = {dim}, N = {n}: {empty:.2f}  {filled:.2f}  {own:.2f}")
    lines.append("many observations and long lists, D = 4, stateless: seconds, GiB")
    for name, n, pool, seconds, memory in report["many"]:
        lines.append(f"  {name}, N = {n}, pool {pool}: {seconds:.2f}  {memory:.2f}")
    return "\n".join(lines)
