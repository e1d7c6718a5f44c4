"""``RunConfiguration``: what stays the same during a run; and which points of its pool are taken.

Two points are one place if their kernel coordinates agree to a billionth. Places are integers, and are
found in the pool by hashing, sorting and comparing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.arguments import number
from equiwarp._util.seeds import POOL, PROBES, TARGETS, stream
from equiwarp.aims.bound import BoundAim
from equiwarp.domains import Array, Domain
from equiwarp.exceptions import InvalidInput
from equiwarp.geometry.kumaraswamy import ADAM_RATE
from equiwarp.geometry.warp import WarpGrid
from equiwarp.gp.fast.growing import begins_with
from equiwarp.strategy import Strategy, find

Engine = Literal["auto", "exact", "local"]
Integers = NDArray[np.int64]
#: Odd multiplier of the row hash (2^64 over the golden ratio).
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
POOL_SIZE = 4096
TARGET_COUNT = 1024


@dataclass(frozen=True)
class RunConfiguration:
    """A domain, a strategy and the points at which it is evaluated.

    Attributes
    ----------
    lengthscale : float
        Of the acquisition GP, in kernel coordinates.
    pool, probes, targets : (m, columns), (q, columns), (t, columns) arrays
    response_scale : (k,) array or None
        Fixed scale of the responses; None takes the sample's deviations.
    engine : "auto", "exact" or "local"
        Whether all observations are used everywhere; "auto" does so up to about 2,000 of them.
    aim : BoundAim or None
        Where the map has to be good; None is everywhere.
    training_rate : float
        Step size of Adam for the trained warp; other warps are not trained.
    """

    domain: Domain
    strategy: Strategy
    seed: int
    lengthscale: float
    pool: Array
    probes: Array
    targets: Array
    response_scale: Array | None = None
    engine: Engine = "auto"
    aim: BoundAim | None = None
    training_rate: float = ADAM_RATE

    @cached_property
    def warp_grid(self) -> WarpGrid:
        """Where probes and pool fall in the warp's tables, the same in every round."""
        return WarpGrid(self.domain, self.probes, self.pool)

    @cached_property
    def pool_index(self) -> PoolIndex:
        """The pool, ready to be searched for points."""
        return PoolIndex.of(self.domain, self.pool)

    def taken(self, x: Array) -> NDArray[np.intp]:
        """Rows of the pool that are among ``(n, columns)`` points."""
        return self.pool_index.rows(x)


def prepare(
    domain: Domain,
    strategy: str | Strategy,
    seed: int = 0,
    *,
    lengthscale: float | None = None,
    pool: Array | None = None,
    response_scale: Array | None = None,
    engine: str = "auto",
    aim: BoundAim | None = None,
) -> RunConfiguration:
    """Draw pool, probes and targets from the seed and fix the lengthscale (spacing rule by default)."""
    if lengthscale is not None and not 0 < number(lengthscale, "lengthscale") < np.inf:
        raise InvalidInput(
            f"lengthscale must be a positive number, got {lengthscale}; None takes the spacing"
        )
    for_pool, for_probes, for_targets = [stream(seed, purpose) for purpose in (POOL, PROBES, TARGETS)]
    return RunConfiguration(
        domain,
        find(strategy),
        seed,
        domain.spacing() if lengthscale is None else lengthscale,
        domain.pool(POOL_SIZE, for_pool) if pool is None else pool,
        domain.sample(probe_count(domain.dim), for_probes),
        domain.everywhere(TARGET_COUNT, for_targets),
        response_scale,
        checked_engine(engine),
        aim,
    )


def probe_count(dim: int) -> int:
    """The paper's number of gradient probes."""
    return 8192 if dim <= 3 else 16384


def checked_engine(engine: str) -> Engine:
    """One of the three names, or an error that lists them."""
    for name in get_args(Engine):
        if engine == name:
            return name
    raise InvalidInput(f"engine must be one of {', '.join(get_args(Engine))}, got {engine!r}")


@dataclass(frozen=True)
class PoolIndex:
    """The places ``(m, e)`` of a pool, in the order of their hashes.

    A million rows take a tenth of a second to prepare, and a look-up touches a few of them. Equal
    hashes are no more than a hint: places are compared before they count as equal.
    """

    domain: Domain
    places: Integers
    powers: NDArray[np.uint64]
    order: NDArray[np.intp]
    hashes: NDArray[np.uint64]

    @classmethod
    def of(cls, domain: Domain, pool: Array) -> PoolIndex:
        """For a pool ``(m, columns)``."""
        places = _places(domain, pool)
        powers = np.cumprod(np.full(places.shape[1], MULTIPLIER), dtype=np.uint64)
        hashes = _hash(places, powers)
        order = np.argsort(hashes, kind="stable")
        return cls(domain, places, powers, order, hashes[order])

    def rows(self, x: Array) -> NDArray[np.intp]:
        """All rows of the pool that are at the place of one of the points ``(n, columns)``."""
        wanted = _places(self.domain, x)
        hashes = _hash(wanted, self.powers)
        place, stop = self.hashes.searchsorted(hashes), self.hashes.searchsorted(hashes, side="right")
        left = (place < stop).nonzero()[0]
        found = [np.empty(0, dtype=np.intp)]
        while len(left):
            rows = self.order[place[left]]
            found.append(rows[(self.places[rows] == wanted[left]).all(axis=1)])
            place[left] += 1
            left = left[place[left] < stop[left]]
        together = np.concatenate(found)
        return together if len(together) < 2 else np.unique(together)


@dataclass(frozen=True)
class Taken:
    """Points ``(N, columns)`` that were measured or handed out, and the rows of the pool among them."""

    x: Array
    rows: NDArray[np.intp]

    @classmethod
    def of(cls, index: PoolIndex, x: Array, known: Taken | None = None) -> Taken:
        """Look the points up in the pool, or only those that come after the known ones."""
        if known is None or not begins_with(x, known.x):
            return cls(x, index.rows(x))
        return cls(x, np.concatenate([known.rows, index.rows(x[len(known.x) :])]))


def point_keys(domain: Domain, x: Array) -> list[bytes]:
    """A key per point ``(n, columns)``; points at one place have the same."""
    return [row.tobytes() for row in _places(domain, x)]


def _places(domain: Domain, x: Array) -> Integers:
    return np.round(domain.embed(x) * 1e9).astype(np.int64)


def _hash(places: Integers, powers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """One number per row: a sum of its entries times powers of the multiplier, wrapping round at 2^64."""
    value: NDArray[np.uint64] = places.astype(np.uint64) @ powers
    return value
