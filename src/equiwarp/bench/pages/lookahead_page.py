"""The page on look-ahead strategies: the tables of a contest, and words around them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

from equiwarp.bench.cell import Cell
from equiwarp.bench.functions.catalogue import CUBE_CHECKPOINTS
from equiwarp.bench.pages.lookahead_contest import ORACLE, PAPER_METHOD, Contest, verdicts, worse_than_fps
from equiwarp.bench.pages.lookahead_tables import (
    TABLE_ROUNDS,
    arms_table,
    every_arm_table,
    means_table,
    method_table,
)
from equiwarp.bench.pages.markdown import markdown_table, number_text

TIMED_ARMS = (PAPER_METHOD, "lookahead-nn", "lookahead-gp")


def lookahead_page(
    contests: Sequence[Contest], cells: Sequence[Cell], out: Path, stamp: str, notes: str
) -> str:
    """``lookahead.md``; with no cells, a page that says so."""
    parts = ["# Looking one experiment ahead: results", stamp, _LEGEND]
    if not contests:
        parts.append("No cell of a look-ahead arm has been run and scored yet.")
    parts.append(notes)
    for contest in contests:
        parts += _section(contest, out)
    parts += [_times(cells), "[Back to the results](README.md)"]
    return "\n\n".join(part for part in parts if part) + "\n"


def renewed_page(page: str, contests: Sequence[Contest], out: Path) -> str:
    """A page with the sections of these contests made anew and all others as they are."""
    for contest in contests:
        before, title, rest = page.partition(_title(contest) + "\n")
        if title:
            _, heading, after = rest.partition("\n## ")
            page = (
                before + "\n\n".join(_section(contest, out)) + ("\n" + heading + after if heading else "\n")
            )
    return page


def _title(contest: Contest) -> str:
    return f"## `{contest.arm}` under {_READOUT_TITLES[contest.found.readout]}"


def _section(contest: Contest, out: Path) -> list[str]:
    readout = contest.found.readout
    parts = [
        _title(contest),
        "### Means over benchmarks",
        means_table(contest),
    ]
    parts += ["### Against the paper's method", _summary(contest), method_table(contest)]
    parts += [
        "### Against every other arm",
        "Benchmarks on which the difference over common seeds is more than one SEM above zero, within one, "
        "and more than one below; and the smallest difference in terms of its SEM.",
        arms_table(contest),
    ]
    parts += [
        f"### Every arm at {TABLE_ROUNDS} rounds",
        "Area reduction against FPS, %:",
        every_arm_table(contest, "ar"),
    ]
    parts += ["Root mean squared error, % of the function's deviation:", every_arm_table(contest, "rmse")]
    parts += ["Area reduction against the better of FPS and Sobol, %:", every_arm_table(contest, "better")]
    if readout == "1nn" and ORACLE in contest.arms:
        parts += [
            f"Share of the area reduction of `{ORACLE}` where it ran:",
            every_arm_table(contest, "share"),
        ]
    elif readout == "1nn":
        parts.append(f"Share of the oracle's gain: no cells of `{ORACLE}` yet.")
    picture = out / "figures" / f"lookahead-curves-{readout}.png"
    if picture.exists():
        parts.append(f"![error over rounds](figures/{picture.name})")
    return parts


def _summary(contest: Contest) -> str:
    """Counts, and the benchmarks that are not won."""
    lines = []
    for rounds in CUBE_CHECKPOINTS:
        found = verdicts(contest, rounds)
        if not any(found.values()):
            continue
        text = f"- {rounds} rounds: ahead by more than one SEM on {len(found['ahead'])}"
        for kind in ("tied", "behind"):
            if found[kind]:
                text += f"; {kind} on {len(found[kind])} ({', '.join(found[kind])})"
        if found["one seed"]:
            text += f"; untold on {len(found['one seed'])} with one common seed"
        worse = worse_than_fps(contest, contest.arm, rounds)
        text += f". Below FPS by more than two SEM: {', '.join(worse) if worse else 'none'}."
        lines.append(text)
    return "\n".join(lines)


def _times(cells: Sequence[Cell]) -> str:
    """Seconds a round beside the paper's method on the same benchmark and seed."""
    seconds = {
        (cell.benchmark, cell.seed, cell.arm): cell.duration / cell.rounds
        for cell in cells
        if cell.arm in TIMED_ARMS and cell.as_usual and cell.rounds and not cell.spec.sphere
    }
    lines = []
    for arm in TIMED_ARMS[1:]:
        pairs = {
            key: value
            for key, value in seconds.items()
            if key[2] == arm and (*key[:2], PAPER_METHOD) in seconds
        }
        for dim in sorted({_dim(cells, key[0]) for key in pairs}):
            mine = [(v, seconds[*k[:2], PAPER_METHOD]) for k, v in pairs.items() if _dim(cells, k[0]) == dim]
            ours, theirs = (median(pair[i] for pair in mine) for i in (0, 1))
            ratio = median(a / b for a, b in mine)
            line = (
                f"`{arm}`",
                f"{dim}D",
                str(len(mine)),
                number_text(1e3 * ours),
                number_text(1e3 * theirs),
                number_text(ratio, 2),
            )
            lines.append(line)
    if not lines:
        return ""
    head = ("arm", "dimension", "cells", "ms a round", f"`{PAPER_METHOD}`, ms a round", "median ratio")
    note = "Medians over cells, recorded while other work shared the machine: the ratio is a rough one."
    return "\n\n".join(["## Time per round", note, markdown_table(head, lines)])


def _dim(cells: Sequence[Cell], benchmark: str) -> int:
    return next(cell.spec.dim for cell in cells if cell.benchmark == benchmark)


_READOUT_TITLES = {
    "1nn": "the 1-NN readout",
    "gp": "the GP readout with a fixed lengthscale (`gp`)",
    "gp-map": "the GP readout with a refitted lengthscale (`gp-map`)",
}
_LEGEND = """AR is the area reduction against FPS in percent over the rounds named, mean ± standard error over
seeds; RMSE is the error after these rounds in percent of the function's deviation. Differences are taken seed
by seed, on the seeds that both arms have, and means over benchmarks likewise; tables with a column per arm
use all seeds of each. A **bold** difference is not ahead by more than one standard error. The noise is
5 % of the deviation: where the RMSE is of that size, area reductions say little. A dash means not run or not
scored."""
