"""Functions with a hidden region in which every experiment fails, and with accidents that happen anywhere.

Named ones have a region that can be said in a line. Random ones, to choose constants by, fail where a random
wave of its own is highest, on a tenth to two fifths of the domain: one patch or several, inside or at the
edge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.seeds import stream
from equiwarp.bench.functions import unseen
from equiwarp.bench.functions.formulas import Function
from equiwarp.bench.functions.random_families import random_function
from equiwarp.domains import Array, Box

Works = Callable[[Array], NDArray[np.bool_]]
#: Range of the share of the domain that fails, and points by which it is set.
SHARES, SCALE_POINTS = (0.1, 0.4), 4096
#: The chance of an accident where there are accidents.
ACCIDENT = 0.15
#: Region in which there is none, but accidents; and one that is drawn.
ACCIDENTS, DRAWN = "accidents", "drawn"


@dataclass(frozen=True)
class HiddenRegion:
    """A function on the unit cube, where experiments work, and the chance of an accident."""

    domain: Box
    function: Function
    works: Works
    accident: float = 0.0


FUNCTIONS: dict[str, Function] = {"branin": unseen.branin, "franke": unseen.franke, "front": unseen.front}
REGIONS: dict[str, Works] = {
    "disc": lambda x: ((x - [0.7, 0.6]) ** 2).sum(axis=1) > 0.09,
    "corner": lambda x: x.sum(axis=1) < 1.35,
    "band": lambda x: np.abs(x[:, 0] - 0.5) > 0.12,
}


def everywhere(x: Array) -> NDArray[np.bool_]:
    """Experiments work at all points ``(n, columns)``."""
    return np.ones(len(x), dtype=bool)


def drawn_region(dim: int, seed: int) -> Works:
    """Where experiments work: not where a wave is highest. The same for a seed today and tomorrow."""
    rng = stream(seed, "hidden region", dim)
    share, wave = rng.uniform(*SHARES), random_function("smooth", dim, int(rng.integers(10**6, 10**9)))
    highest = np.quantile(wave(Box.unit(dim).sample(SCALE_POINTS, rng)), 1 - share)
    return lambda x: wave(x) < highest


def find_hidden(name: str, region: str, seed: int) -> HiddenRegion:
    """A named function, or a random one such as ``regimes-2d``, drawn by the seed, and its region."""
    family, dash, dim = name.partition("-")
    if dash:
        domain = Box.unit(int(dim.removesuffix("d")))
        function: Function = random_function(family, domain.dim, seed)
    else:
        domain, function = Box.unit(2), FUNCTIONS[name]
    if region == ACCIDENTS:
        return HiddenRegion(domain, function, everywhere, ACCIDENT)
    return HiddenRegion(
        domain, function, drawn_region(domain.dim, seed) if region == DRAWN else REGIONS[region]
    )
