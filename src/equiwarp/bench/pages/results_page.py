"""``equiwarp bench page``: a folder with ours beside the paper's, tables, figures and packed designs.

Everything but the explanations is generated from stored cells: ``notes.md`` and
``notes-lookahead.md`` in the target folder are written by hand and included as they are. What was
not run is shown as not run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from equiwarp._util.text import several
from equiwarp.bench.cell import Cell
from equiwarp.bench.figures import FIGURES
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.pages import paper_comparison
from equiwarp.bench.pages.area_table import rows_at
from equiwarp.bench.pages.caps_study import caps_section
from equiwarp.bench.pages.design_shares import SHARES_TABLE, share_records
from equiwarp.bench.pages.differences import where_we_differ
from equiwarp.bench.pages.lookahead_contest import Contest, contest_records
from equiwarp.bench.pages.lookahead_page import lookahead_page, renewed_page
from equiwarp.bench.pages.markdown import markdown_table, seed_ranges
from equiwarp.bench.pages.pictures import draw_picture, picture_names
from equiwarp.bench.pages.pool_study import POOL_TABLE, pool_records, pool_section
from equiwarp.bench.pages.remarks import above_remark, surrogate_remark
from equiwarp.bench.pages.sources import Sources
from equiwarp.bench.pages.sphere_study import sphere_section
from equiwarp.bench.pages.training_rate import RATE_TABLE, rate_records, rate_section
from equiwarp.bench.storage.csv_records import read_records, write_records
from equiwarp.bench.storage.provenance import provenance

NOTES, LOOKAHEAD, LOOKAHEAD_NOTES = "notes.md", "lookahead.md", "notes-lookahead.md"
#: Decimals of the tables that are read by people; those of all arms keep every digit.
DIGITS = 4


def build_results_page(
    results: Path, out: Path, *, figures: bool = True, lookahead: bool = True, progress: bool = True
) -> list[str]:
    """Write the whole folder; returns what could not be drawn, in words.

    The look-ahead's page needs scores under every readout; without it only its sections under 1-NN are made
    anew.
    """
    from tqdm import tqdm

    from equiwarp.bench.storage.packed import pack_designs

    sources = Sources.of(results)
    out.mkdir(parents=True, exist_ok=True)
    names = picture_names(sources.contests if lookahead else []) if figures else []
    missing = []
    with tqdm(total=len(names) + 3, unit="part", disable=not progress) as bar:
        write_tables(sources, out / "tables", lookahead)
        bar.update()
        for name in names:
            bar.set_postfix_str(name)
            reason = draw_picture(name, results, sources, out / "figures" / f"{name}.png")
            missing += [f"{name}: {reason}"] if reason else []
            bar.update()
        bar.set_postfix_str("designs")
        pack_designs(sources.cells, out / "designs")
        bar.update()
        (out / "README.md").write_text(front_page(sources, out), encoding="utf-8")
        if not lookahead and (out / LOOKAHEAD).exists():
            page = renewed_page(_text(out / LOOKAHEAD) + "\n", unscored(sources), out)
            (out / LOOKAHEAD).write_text(page, encoding="utf-8")
        elif lookahead:
            notes = _text(out / LOOKAHEAD_NOTES)
            page = lookahead_page(sources.contests, sources.cells, out, _stamp(sources), notes)
            (out / LOOKAHEAD).write_text(page, encoding="utf-8")
        bar.update()
    return missing


def write_tables(sources: Sources, folder: Path, lookahead: bool = True) -> None:
    """As CSV: the comparison, every arm under every readout that was scored, the look-ahead, the cells."""
    lines = paper_comparison.compare_with_paper(sources.found["1nn"])
    contests = [
        r for one in (sources.contests if lookahead else unscored(sources)) for r in contest_records(one)
    ]
    won, key = folder / "lookahead.csv", ("lookahead", "readout", "arm", *KEY)
    write_records(folder / "paper-comparison.csv", [line.record() for line in lines], DIGITS)
    write_records(won, contests if lookahead else with_known_rows(won, contests, key), DIGITS)
    write_records(folder / POOL_TABLE, pool_records(sources.cells), DIGITS)
    shares = folder / SHARES_TABLE
    write_records(shares, with_known_rows(shares, share_records(sources.found), ("readout", *KEY)))
    write_records(folder / RATE_TABLE, rate_records(sources.cells), DIGITS)
    write_records(folder / "cells.csv", _cell_records(sources.cells), DIGITS)
    for readout, found in sources.found.items():
        horizons = {name: find_benchmark(name).checkpoints for name in found.benchmarks()}
        for measure in ("ar", "rmse"):
            rows = [row.record() for row in rows_at(found, horizons, measure)]
            path = folder / f"{measure}-{readout}.csv"
            write_records(path, rows if readout == "1nn" else with_known_rows(path, rows))


def unscored(sources: Sources) -> list[Contest]:
    """The contests that need no further score."""
    return [contest for contest in sources.contests if contest.found.readout == "1nn"]


#: What tells the rows of a table by readout apart.
KEY = ("benchmark", "rounds")


def with_known_rows(
    path: Path, rows: list[dict[str, Any]], key: Sequence[str] = (*KEY, "arm")
) -> list[dict[str, Any]]:
    """New rows of a table, in the place of the old ones where there are some, and all other old rows.

    Packed designs carry 1-NN errors only. Whoever extends them scores what is new under the other readouts,
    not everything again.
    """
    if not path.exists() or not rows:
        return rows
    own = itemgetter(*key)
    fresh = {own(row): row for row in rows}
    old = [fresh.pop(own(row), row) for row in read_records(path)]
    return [*old, *fresh.values()]


def front_page(sources: Sources, out: Path) -> str:
    """Ours beside the paper's."""
    lines = paper_comparison.compare_with_paper(sources.found["1nn"])
    below = [line for line in lines if line.verdict == paper_comparison.BELOW]
    parts = [
        "# Results: ours beside the paper's",
        _stamp(sources),
        _LEGEND,
        "## Overview",
        paper_comparison.overview(lines),
        "## Cubes",
    ]
    for sphere in (False, True):
        parts += ["## Spheres"] if sphere else []
        for arm in dict.fromkeys(line.arm for line in lines if _on_sphere(line) == sphere):
            parts += [f"### `{arm}`: {_ARM_TITLES[arm]}", paper_comparison.by_arm(lines, arm, sphere)]
    parts.append("## Rows that fall short")
    if below:
        parts += [f"{several(len(below), 'row')} more than 3 pooled SEM below the paper:"]
        parts.append(paper_comparison.shortfalls(lines))
    else:
        parts.append("No row that was run is more than 3 pooled SEM below the paper.")
    parts += [
        pool_section(out / "tables"),
        sphere_section(out / "tables"),
        caps_section(out / "tables"),
        rate_section(out / "tables"),
        surrogate_remark(lines),
        above_remark(lines),
        _text(out / NOTES),
        where_we_differ(out / "tables"),
        "## Look-ahead strategies",
        "See [lookahead.md](lookahead.md).",
    ]
    parts += [_figures(out), "## Cells", _cells_table(sources.cells), _EXTEND]
    return "\n\n".join(part for part in parts if part) + "\n"


def _stamp(sources: Sources) -> str:
    """What the page rests on, and when and from what code it was made."""
    made = provenance()
    commits = Counter(cell.origin.get("commit", "") for cell in sources.cells)
    listed = ", ".join(f"`{_short(commit)}` ({n})" for commit, n in commits.most_common(6))
    more = f" and {several(len(commits) - 6, 'other')}" if len(commits) > 6 else ""
    seeds = seed_ranges(cell.seed for cell in sources.cells)
    return (
        f"Generated {made['date'][:16].replace('T', ' ')} UTC at commit `{_short(made['commit'])}` by "
        f"`equiwarp bench page` from {several(len(sources.cells), 'cell')}, seeds {seeds}; each row says "
        f"which. Cells were computed at {listed}{more}; `+` means that the tree had changes."
    )


def _short(commit: str) -> str:
    return (commit[:9] + ("+" if commit.endswith("-dirty") else "")) or "unknown"


def _figures(out: Path) -> str:
    """The paper's figures that are there, in its order, and the names of the others."""
    there = {name: (out / "figures" / f"{name}.png").exists() for name in FIGURES}
    parts = [f"### {name}\n\n![{name}](figures/{name}.png)" for name in there if there[name]]
    absent = [f"`{name}`" for name in there if not there[name]]
    if absent:
        parts.append(
            "Not drawn, because cells or scores they need are missing (`equiwarp bench figure NAME DIR` says "
            f"which): {', '.join(absent)}."
        )
    return "\n\n".join(["## Figures", *parts])


def _cells_table(cells: Sequence[Cell]) -> str:
    """Per arm, on how many benchmarks and seeds; the file has every one."""
    lines = []
    for label in sorted({cell.label for cell in cells}):
        mine = [cell for cell in cells if cell.label == label]
        by_benchmark = Counter(cell.benchmark for cell in mine)
        fewest, most = min(by_benchmark.values()), max(by_benchmark.values())
        seeds = str(most) if fewest == most else f"{fewest} to {most}"
        lines.append((f"`{label}`", str(len(by_benchmark)), seeds, str(len(mine))))
    return markdown_table(("arm", "benchmarks", "seeds each", "cells"), lines)


def _cell_records(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    return [
        {
            "benchmark": cell.benchmark,
            "arm": cell.label,
            "seed": cell.seed,
            "rounds": cell.rounds,
            "seconds": round(cell.duration, 1),
            "commit": cell.origin.get("commit", ""),
            "date": cell.origin.get("date", ""),
        }
        for cell in cells
    ]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip() if path.exists() else ""


def _on_sphere(line: paper_comparison.PaperLine) -> bool:
    return find_benchmark(line.benchmark).sphere


_ARM_TITLES = {
    "equalized": "variance × equalizer",
    "equiwarp": "the full method",
    "kumaraswamy": "equalizer and Kumaraswamy warp",
    "eig": "variance alone",
    "sobol": "the Sobol sequence, continued",
    "random": "uniformly at random",
}
_LEGEND = """Area reduction against FPS in percent, 1-NN readout, mean ± standard error over seeds; the
paper's are over ten seeds. *s* is ours minus the paper's in pooled standard errors, √(ours² + paper²); **▼**
marks a row more than 3 below, ▲ one more than 3 above. A dash means not run, or for *s* that one seed has no
standard error. With few seeds our standard error is itself uncertain: a mark is a reason to look."""
_EXTEND = """## Files, and how to extend them

`tables/` has all of this as CSV: `paper-comparison`, `ar-READOUT` and `rmse-READOUT` for every arm,
`lookahead`, and `cells` with seed, seconds and commit of each. `designs/` has the designs themselves.

```
equiwarp bench unpack docs/results/designs out
equiwarp bench run --seeds 10 --out out
equiwarp bench score out --readouts 3nn,5nn,gp,gp-map
equiwarp bench page out --out docs/results
```

Finished cells are not computed again. See [the bench](../bench.md) for protocol, readouts and benchmarks."""
