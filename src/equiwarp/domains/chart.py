"""What the axes of a chart's unit cube are: intervals with two ends, circles without, or categories.

Whoever bends the cube (the warp) or counts its dimensions (powers, spacings) has to know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from equiwarp.domains.view import Array

#: Golden ratio, whose multiples fill a circle evenly however many there are.
GOLDEN = 0.6180339887498949


@dataclass(frozen=True)
class ChartAxis:
    """One axis of the unit cube.

    Attributes
    ----------
    kind : "interval", "circle" or "categories"
        A circle begins where it ends. Categories are equal parts of the axis, and nothing lies between them.
    count : int
        Number of categories; 0 for the others.
    """

    kind: Literal["interval", "circle", "categories"] = "interval"
    count: int = 0


INTERVAL, CIRCLE = ChartAxis(), ChartAxis("circle")


def block_size(count: int) -> int:
    """Points of a Sobol sequence in which every one of so many categories appears: a power of two."""
    return 1 << (count - 1).bit_length()


def cover_categories(u: Array, axes: tuple[ChartAxis, ...], start: int) -> Array:
    """Rows ``start`` and further of a Sobol sequence ``(n, D)``, changed so that no category is left out.

    Each block of 2^p rows has one coordinate in each of 2^p cells of an axis. If all of them stand at the
    same place within their cells, then every category's part of the axis, which is wider than a cell, has
    one of them. That place moves from block to block, so that all appear equally often in the long run.
    """
    kept = [i for i, axis in enumerate(axes) if axis.kind == "categories"]
    if not kept:
        return u
    u = u.copy()
    rows = np.arange(start, start + len(u))
    for i in kept:
        size = block_size(axes[i].count)
        within = (0.5 + GOLDEN * (rows // size)) % 1.0
        u[:, i] = (np.floor(u[:, i] * size) + within) / size
    return u
