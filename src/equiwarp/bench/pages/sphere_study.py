"""What differs on spheres, on the results page: what the warp may move, and three kinds of Sobol sequence."""

from __future__ import annotations

from pathlib import Path

from equiwarp.bench.pages.markdown import markdown_table, number_text, plus_minus
from equiwarp.bench.pages.paper_tables import published
from equiwarp.bench.pages.reductions import SPHERES, Reductions, title


def sphere_section(tables: Path) -> str:
    """Both equivariant warps, and three kinds of Sobol sequence."""
    at = Reductions.of(tables).at(100)
    arms = ("equiwarp", "equiwarp-colatitude", "sobol", "sobol-own", "sobol-normal")
    run = [name for name in SPHERES if any(at.get(name, arm).seeds for arm in arms[3:])]
    if not run:
        return ""
    lines = []
    for name in run:
        cells = []
        for arm in arms:
            found, paper = at.get(name, arm), published().get((name, arm.split("-")[0], 100))
            cells.append(f"{plus_minus(found)} ({found.seeds})")
            if arm in ("equiwarp", "sobol") and paper:
                cells.append(number_text(paper.mean))
        lines.append((title(name), *cells))
    head = ("100 rounds (seeds)", "`equiwarp`", "paper", "`equiwarp-colatitude`")
    return "\n\n".join(
        [
            SPHERE,
            markdown_table((*head, "`sobol`", "paper", "`sobol-own`", "`sobol-normal`"), lines),
            SPHERE_END,
        ]
    )


SPHERE = """### Spheres: what the warp may move

The paper's warp changes the colatitude about an axis that the data choose. Ours may move points along the
meridians' circles, too, and takes their origin from the density, so that turned data give the turned
choice. `equiwarp-colatitude` moves the colatitude only. Also here: the Sobol baseline, which of ours
*continues* the sequence of the start and so fills its gaps, beside one of its own (`sobol-own`) and the
paper's construction on S³ (`sobol-normal`):"""
SPHERE_END = """```
equiwarp bench run --benchmarks cap-s2,two-caps-s2,cap-s3,two-caps-s3 --seeds 10 --out out \\
  --arms fps,equiwarp,equiwarp-colatitude,sobol,sobol-own,sobol-normal
```"""
