"""Whether a list crowds: are its entries nearer to random ones of them than to farthest ones?

Farthest points fill the *space* of a list. Where entries crowd in some places, most of these points are
outliers that stand for few others, and the map, which is judged over the entries, learns less from them than
from random entries, which lie where the entries are.
"""

from __future__ import annotations

import numpy as np

from equiwarp.domains import Array

#: Points that are spread, and how often.
COUNT, DRAWS = 40, 5


def crowding(Z: Array, count: int = COUNT, draws: int = DRAWS) -> float:
    """Mean distance from an entry to the nearest of ``count`` farthest points, over that to random ones.

    ``Z`` is ``(m, e)``, entries in kernel coordinates. Below 1, spreading out serves the list; above 1, it
    crowds, and random entries are nearer to what is to be predicted.
    """
    spread, scattered = 0.0, 0.0
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        spread += float(farthest(Z, count, int(rng.integers(len(Z)))).mean())
        rows = rng.choice(len(Z), min(count, len(Z)), replace=False)
        scattered += float(np.min([distance(Z, i) for i in rows], axis=0).mean())
    return spread / scattered


def farthest(Z: Array, count: int, first: int) -> Array:
    """Distance of each entry to the nearest of ``count`` entries, each farthest from those before it."""
    nearest = distance(Z, first)
    for _ in range(min(count, len(Z)) - 1):
        nearest = np.minimum(nearest, distance(Z, int(nearest.argmax())))
    return nearest


def distance(Z: Array, i: int) -> Array:
    """From every entry to one of them."""
    return np.asarray(np.linalg.norm(Z - Z[i], axis=1))
