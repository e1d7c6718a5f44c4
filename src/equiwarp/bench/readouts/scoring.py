"""How a stored design is scored: 1-NN, 3-NN, 5-NN, GP, the averaged map; all from the same designs.

1-NN trajectories are in the cell. The others are computed when first asked for and kept beside the
cells, under ``scores/``, with a digest of the design they belong to. A score may cover the first rounds only.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.bench.functions.catalogue import Benchmark
from equiwarp.bench.readouts.average_map import average_trajectory
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

READOUTS = ("1nn", "3nn", "5nn", "gp", "gp-spacing", "gp-map", "map")
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


def error_trajectory(cell: Cell, readout: str, rounds: int | None = None) -> Array:
    """Error trajectory of a cell, from its file, from the scores, or computed.

    It has ``rounds + 1`` entries or more; None means as many rounds as the cell has.
    """
    if known_readout(readout) == "1nn":
        return cell.error_1nn
    found = stored_trajectory(cell, readout, rounds)
    if found is None:
        return keep_trajectory(cell, readout, score_design(cell, readout, rounds))
    return found


def stored_trajectory(cell: Cell, readout: str, rounds: int | None = None) -> Array | None:
    """The trajectory if it is known for this very design and reaches these rounds (None: all of them)."""
    if readout == "1nn":
        return cell.error_1nn
    found = longest_stored(cell, readout)
    return found if found is not None and len(found) > rounds_of(cell, rounds) else None


def longest_stored(cell: Cell, readout: str) -> Array | None:
    """What is known of the trajectory for this very design, however short."""
    path = score_path(cell, readout)
    if readout == "1nn":
        return cell.error_1nn
    return None if path is None else _read(path, cell)


def rounds_of(cell: Cell, rounds: int | None) -> int:
    """The rounds asked for, as far as the cell has them."""
    return cell.rounds if rounds is None else min(rounds, cell.rounds)


def keep_trajectory(cell: Cell, readout: str, errors: Array) -> Array:
    """Write a trajectory beside its cell, if the cell has a file."""
    path = score_path(cell, readout)
    if path is not None:
        write_npz(path, error=errors, digest=np.array(_digest(cell, len(errors) - 1)))
    return errors


def score_design(cell: Cell, readout: str, rounds: int | None = None) -> Array:
    """Error trajectory ``(rounds + 1,)``, computed from the design."""
    benchmark, n = cell.spec, cell.n0 + rounds_of(cell, rounds)
    x, y = cell.x[:n], cell.y[:n]
    if known_readout(readout).endswith("nn"):
        test, truth = held_out(benchmark)
        Z = benchmark.domain.embed(x)
        return nearest_trajectory(test, truth, Z, benchmark(x), cell.n0, k=int(readout[:-2]))
    if readout in FIXED_LENGTHSCALES:
        return fixed_trajectory(benchmark, x, y, cell.n0, FIXED_LENGTHSCALES[readout](benchmark))
    trajectory = map_trajectory if readout == "gp-map" else average_trajectory
    return trajectory(benchmark, x, y, cell.n0)


def score_path(cell: Cell, readout: str) -> Path | None:
    """Where a score is kept; None for a cell that has no file."""
    if cell.path is None:
        return None
    root = cell.path.parents[3]
    return root / "scores" / readout / cell.path.relative_to(root / "cells")


def _digest(cell: Cell, rounds: int) -> str:
    """Of the first rounds of a design."""
    n = cell.n0 + rounds
    return hashlib.sha256(cell.x[:n].tobytes() + cell.y[:n].tobytes()).hexdigest()


def _read(path: Path, cell: Cell) -> Array | None:
    try:
        with np.load(path, allow_pickle=False) as kept:
            errors = kept["error"]
            sound = len(errors) <= cell.rounds + 1 and str(kept["digest"]) == _digest(cell, len(errors) - 1)
            return errors if sound else None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
