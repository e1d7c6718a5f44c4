"""Which pictures the results page has, and drawing those whose cells and scores are there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from equiwarp.bench.area import BASELINE
from equiwarp.bench.figures import FIGURES
from equiwarp.bench.pages.lookahead_contest import Contest
from equiwarp.bench.pages.sources import Sources
from equiwarp.bench.readouts.scoring import score_path

#: Computed from fixed seeds, from no cell: drawn once, kept until deleted.
DRAWN_ONCE = ("warp-overview", "equalizer", "warp-anatomy", "selection-bias")
#: Pictures with continuous colours, which a palette would show as steps.
SHADED = (*DRAWN_ONCE, "sphere-warp")
#: Of the paper's figures, the one that needs other readouts than 1-NN.
RESCORED = "readouts"
LOOKAHEAD = "lookahead"


def picture_names(contests: Sequence[Contest]) -> list[str]:
    """The paper's figures, then error curves per contest."""
    return [*FIGURES, *(f"{LOOKAHEAD}-curves-{contest.found.readout}" for contest in contests)]


def draw_picture(name: str, results: Path, sources: Sources, out: Path) -> str | None:
    """Draw one picture; if that is impossible, say why and leave no outdated one behind."""
    if name in DRAWN_ONCE and out.exists():
        return None
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        if name.startswith(LOOKAHEAD):
            from equiwarp.bench.figures.lookahead_curves import draw

            draw(next(c for c in sources.contests if name.endswith(f"-{c.found.readout}")), out)
        elif name == RESCORED:
            with TemporaryDirectory() as folder:
                copy_scored(sources, Path(folder))
                FIGURES[name](Path(folder), out)
        else:
            FIGURES[name](results, out)
    except (ValueError, ImportError) as error:
        out.unlink(missing_ok=True)
        return str(error)
    if name not in SHADED:
        shrink_picture(out)
    return None


def shrink_picture(picture: Path) -> None:
    """Rewrite a drawing of lines and bands with a palette: a third of the size, fit for a repository."""
    from PIL import Image

    with Image.open(picture) as image:
        small = image.convert("RGB").quantize(colors=128, dither=Image.Dither.NONE)
    small.save(picture, optimize=True)


def copy_scored(sources: Sources, folder: Path) -> None:
    """Only cells with every score that the figure shows: it would score the others itself, for an hour."""
    from equiwarp.bench.figures.readouts import COMPARED_ARMS, READOUT_LABELS

    for cell in sources.cells:
        key = (cell.benchmark, cell.arm)
        scored = all(cell.seed in sources.found[readout].errors.get(key, {}) for readout in READOUT_LABELS)
        if cell.path is None or not scored or cell.arm not in (BASELINE, *COMPARED_ARMS) or not cell.as_usual:
            continue
        root = cell.path.parents[3]
        files = [cell.path, *(path for r in READOUT_LABELS if r != "1nn" and (path := score_path(cell, r)))]
        for file in files:
            target = folder / file.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            copyfile(file, target)
