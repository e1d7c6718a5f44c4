"""``RunConfiguration``: what stays the same during a run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.arguments import number
from equiwarp._util.seeds import POOL, PROBES, TARGETS, stream
from equiwarp.domains import Array, Domain
from equiwarp.engine.large_data import Engine, checked_engine
from equiwarp.engine.pool import PoolIndex
from equiwarp.exceptions import InvalidInput
from equiwarp.geometry.warp import WarpGrid
from equiwarp.gp.spacing import spacing_lengthscale
from equiwarp.strategy import Strategy, find

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
        spacing_lengthscale(domain) if lengthscale is None else lengthscale,
        domain.pool(POOL_SIZE, for_pool) if pool is None else pool,
        domain.sample(probe_count(domain.dim), for_probes),
        domain.sample(TARGET_COUNT, for_targets),
        response_scale,
        checked_engine(engine),
    )


def probe_count(dim: int) -> int:
    """The paper's number of gradient probes."""
    return 8192 if dim <= 3 else 16384
