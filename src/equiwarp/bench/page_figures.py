"""Which pictures the results page has, and drawing those whose cells and scores are there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from equiwarp.bench.beyond import Contest
from equiwarp.bench.figures import FIGURES
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
        else:
            if name == RESCORED:
                _require_scores(sources)
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


def _require_scores(sources: Sources) -> None:
    """The figure would score what is missing itself, for an hour."""
    from equiwarp.bench.figures.readouts import ARMS, READOUTS

    for readout in READOUTS:
        for cell in sources.cells:
            if cell.arm not in ("fps", *ARMS) or cell.lengthscale_factor != 1.0 or cell.spec.sphere:
                continue
            if cell.seed not in sources.found[readout].errors.get((cell.benchmark, cell.arm), {}):
                raise ValueError(
                    f"{cell.benchmark} {cell.arm} seed {cell.seed} lacks {readout}: run `bench score`"
                )
