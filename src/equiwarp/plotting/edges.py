"""The edge that constraints draw through a picture: found by bisection, so that it is no staircase.

A picture has values at the nodes of a grid. Between a node that is allowed and a neighbour that is not, the
edge is sought along the line that joins them; what lies beyond it is covered by polygons (marching squares).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.plotting.slices import Slice

#: Each halves the interval in which the edge lies: after so many it is far narrower than a pixel.
BISECTIONS = 10
#: Corners of a cell in the order in which its outline passes them: rows and columns from the first node.
CORNERS = ((0, 0), (0, 1), (1, 1), (1, 0))

Polygon = list[tuple[float, float]]


def beyond_the_edge(slice: Slice) -> list[Polygon]:
    """Polygons in picture coordinates that cover what constraints forbid; none where nothing is cut."""
    view, whole = slice.view, slice.domain.whole is slice.domain
    if whole or view.charted or view.kind not in ("plane", "ternary") or any(a.settings for a in slice.axes):
        return []
    allowed = slice.domain.contains(slice.points).reshape(slice.shape)
    if allowed.all():
        return []
    right, up = _crossings(slice, allowed, 1), _crossings(slice, allowed, 0)
    return [*_whole_runs(slice, allowed), *_cut_cells(slice, allowed, right, up)]


def _crossings(slice: Slice, allowed: NDArray[np.bool_], axis: int) -> Array:
    """How far from each node towards the next one along an axis the edge lies; NaN where there is none."""
    points = slice.points.reshape(*slice.shape, -1)
    ahead = tuple(np.s_[1:] if k == axis else np.s_[:] for k in range(2))
    here = tuple(np.s_[:-1] if k == axis else np.s_[:] for k in range(2))
    cut = allowed[here] != allowed[ahead]
    share = np.full(cut.shape, np.nan)
    if not cut.any():
        return share
    start, end, inside_first = points[here][cut], points[ahead][cut], allowed[here][cut]
    low, high = np.zeros(len(start)), np.ones(len(start))
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        same = slice.domain.contains(start + middle[:, None] * (end - start)) == inside_first
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    share[cut] = (low + high) / 2
    return share


def _whole_runs(slice: Slice, allowed: NDArray[np.bool_]) -> list[Polygon]:
    """Rectangles over cells with no allowed corner, joined along each row."""
    none = ~(allowed[:-1, :-1] | allowed[:-1, 1:] | allowed[1:, :-1] | allowed[1:, 1:])
    across, up = slice.grid
    found: list[Polygon] = []
    for row, forbidden in enumerate(none):
        ends = np.flatnonzero(np.diff(np.concatenate([[0], forbidden.astype(int), [0]])))
        for first, last in ends.reshape(-1, 2):
            x, y = (float(across[first]), float(across[last])), (float(up[row]), float(up[row + 1]))
            found.append([(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])])
    return found


def _cut_cells(slice: Slice, allowed: NDArray[np.bool_], right: Array, up: Array) -> list[Polygon]:
    """The forbidden part of each cell that the edge passes."""
    corners = [allowed[i : i + allowed.shape[0] - 1, j : j + allowed.shape[1] - 1] for i, j in CORNERS]
    count = np.sum(corners, axis=0)
    return [_outline(slice, allowed, right, up, r, c) for r, c in np.argwhere((count > 0) & (count < 4))]


def _outline(slice: Slice, allowed: NDArray[np.bool_], right: Array, up: Array, r: int, c: int) -> Polygon:
    """Around one cell: its forbidden corners, and where the edge crosses its sides."""
    xs, ys, found = slice.grid[0], slice.grid[1], []
    for k, (i, j) in enumerate(CORNERS):
        if not allowed[r + i, c + j]:
            found.append((float(xs[c + j]), float(ys[r + i])))
        m, n = CORNERS[(k + 1) % 4]
        if allowed[r + i, c + j] != allowed[r + m, c + n]:
            if i == m:
                x = xs[c] + right[r + i, c] * (xs[c + 1] - xs[c])
                found.append((float(x), float(ys[r + i])))
            else:
                y = ys[r] + up[r, c + j] * (ys[r + 1] - ys[r])
                found.append((float(xs[c + j]), float(y)))
    return found
