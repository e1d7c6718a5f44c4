"""Which pictures the results page has, and drawing those whose cells and scores are there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from equiwarp.bench.beyond import Contest
from equiwarp.bench.figures import FIGURES
from equiwarp.bench.readouts import score_path
from equiwarp.bench.sources import Sources

#: Computed from fixed seeds, from no cell: drawn once, kept until deleted.
LASTING = ("warp-overview", "equalizer", "warp-anatomy", "selection-bias")
#: Pictures with continuous colours, which a palette would show as steps.
SHADED = (*LASTING, "sphere-warp")
#: Of the paper's figures, the one that needs other readouts than 1-NN.
RESCORED = "readouts"
LOOKAHEAD = "lookahead"


def pictures(contests: Sequence[Contest]) -> list[str]:
    """The paper's figures, then error curves per contest."""
    return [*FIGURES, *(f"{LOOKAHEAD}-curves-{contest.found.readout}" for contest in contests)]


def drawn(name: str, results: Path, sources: Sources, out: Path) -> str | None:
    """Draw one picture; if that is impossible, say why and leave no outdated one behind."""
    if name in LASTING and out.exists():
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
        shrink(out)
    return None


def shrink(picture: Path) -> None:
    """Rewrite a drawing of lines and bands with a palette: a third of the size, fit for a repository."""
    from PIL import Image

    with Image.open(picture) as image:
        small = image.convert("RGB").quantize(colors=128, dither=Image.Dither.NONE)
    small.save(picture, optimize=True)


def copy_scored(sources: Sources, folder: Path) -> None:
    """Only cells with every score that the figure shows: it would score the others itself, for an hour."""
    from equiwarp.bench.figures.readouts import ARMS, READOUTS

    for cell in sources.cells:
        key = (cell.benchmark, cell.arm)
        scored = all(cell.seed in sources.found[readout].errors.get(key, {}) for readout in READOUTS)
        if (
            cell.path is None
            or not scored
            or cell.arm not in ("fps", *ARMS)
            or cell.lengthscale_factor != 1.0
        ):
            continue
        root = cell.path.parents[3]
        files = [cell.path, *(path for r in READOUTS if r != "1nn" and (path := score_path(cell, r)))]
        for file in files:
            target = folder / file.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            copyfile(file, target)
