"""How a stored design is scored: 1-NN, 3-NN, 5-NN, GP. All are functions of the same designs.

1-NN trajectories are in the cell. The others are computed when first asked for and kept beside the
cells, under ``scores/``, with a digest of the design they belong to.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.bench.functions.catalogue import Benchmark
from equiwarp.bench.readouts.gaussian_process import (
    fixed_trajectory,
    map_trajectory,
    pilot_lengthscale,
    spacing_lengthscale,
)
from equiwarp.bench.readouts.nearest import nearest_trajectory
from equiwarp.bench.seeded import held_out
from equiwarp.bench.storage.files import write_npz
from equiwarp.domains import Array
from equiwarp.exceptions import InvalidInput

if TYPE_CHECKING:
    from equiwarp.bench.cell import Cell

READOUTS = ("1nn", "3nn", "5nn", "gp", "gp-spacing", "gp-map")
#: Lengthscale of the readouts whose lengthscale is fixed.
FIXED_LENGTHSCALES: dict[str, Callable[[Benchmark], float]] = {
    "gp": pilot_lengthscale,
    "gp-spacing": spacing_lengthscale,
}


def known_readout(readout: str) -> str:
    """The readout's name, or an error that lists the names."""
    if readout not in READOUTS:
        raise InvalidInput(f"unknown readout {readout!r}; choose from {', '.join(READOUTS)}")
    return readout


def error_trajectory(cell: Cell, readout: str) -> Array:
    """Error trajectory ``(rounds + 1,)`` of a cell, from its file, from the scores, or computed."""
    if known_readout(readout) == "1nn":
        return cell.error_1nn
    found = stored_trajectory(cell, readout)
    return keep_trajectory(cell, readout, score_design(cell, readout)) if found is None else found


def stored_trajectory(cell: Cell, readout: str) -> Array | None:
    """The trajectory if it is known for this very design."""
    path = score_path(cell, readout)
    return cell.error_1nn if readout == "1nn" else None if path is None else _read(path, _digest(cell))


def keep_trajectory(cell: Cell, readout: str, errors: Array) -> Array:
    """Write a trajectory beside its cell, if the cell has a file."""
    path = score_path(cell, readout)
    if path is not None:
        write_npz(path, error=errors, digest=np.array(_digest(cell)))
    return errors


def score_design(cell: Cell, readout: str) -> Array:
    """Error trajectory ``(rounds + 1,)``, computed from the design."""
    benchmark = cell.spec
    if known_readout(readout).endswith("nn"):
        test, truth = held_out(benchmark)
        Z = benchmark.domain.embed(cell.x)
        return nearest_trajectory(test, truth, Z, benchmark(cell.x), cell.n0, k=int(readout[:-2]))
    if readout in FIXED_LENGTHSCALES:
        return fixed_trajectory(benchmark, cell.x, cell.y, cell.n0, FIXED_LENGTHSCALES[readout](benchmark))
    return map_trajectory(benchmark, cell.x, cell.y, cell.n0)


def score_path(cell: Cell, readout: str) -> Path | None:
    """Where a score is kept; None for a cell that has no file."""
    if cell.path is None:
        return None
    root = cell.path.parents[3]
    return root / "scores" / readout / cell.path.relative_to(root / "cells")


def _digest(cell: Cell) -> str:
    return hashlib.sha256(cell.x.tobytes() + cell.y.tobytes()).hexdigest()


def _read(path: Path, digest: str) -> Array | None:
    try:
        with np.load(path, allow_pickle=False) as kept:
            return kept["error"] if str(kept["digest"]) == digest else None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
