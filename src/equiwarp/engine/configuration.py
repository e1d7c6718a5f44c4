"""``RunConfiguration``: what stays the same during a run, and how values reach the acquisition GP."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.arguments import number
from equiwarp._util.seeds import POOL, PROBES, TARGETS, stream
from equiwarp.domains import Array, Domain
from equiwarp.engine.exactness import Engine, checked
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.row_finder import RowFinder
from equiwarp.exceptions import InvalidInput
from equiwarp.geometry.warp import Lattice
from equiwarp.gp.noise import estimate_noise
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
    deviation : (k,) array or None
        Fixed scale of the responses; None takes the sample's.
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
    deviation: Array | None = None
    engine: Engine = "auto"

    @cached_property
    def lattice(self) -> Lattice:
        """Places of probes and pool in the warp's tables, the same in every round."""
        return Lattice(self.domain, self.probes, self.pool)

    @cached_property
    def _pool_finder(self) -> RowFinder:
        return RowFinder.of(_rounded(self.domain, self.pool))

    @cached_property
    def distinct(self) -> bool:
        """Whether no two rows of the pool are one place."""
        return self._pool_finder.distinct

    def taken(self, x: Array) -> NDArray[np.intp]:
        """Rows of the pool that are among ``(n, columns)`` points."""
        return self._pool_finder.rows(_rounded(self.domain, x))


def prepare(
    domain: Domain,
    strategy: str | Strategy,
    seed: int = 0,
    *,
    lengthscale: float | None = None,
    pool: Array | None = None,
    deviation: Array | None = None,
    engine: str = "auto",
) -> RunConfiguration:
    """Draw pool, probes and targets from the seed and fix the lengthscale (spacing rule by default)."""
    if lengthscale is not None and not 0 < number(lengthscale, "lengthscale") < np.inf:
        raise InvalidInput(
            f"lengthscale must be a positive number, got {lengthscale}; None takes the spacing"
        )
    return RunConfiguration(
        domain,
        find(strategy),
        seed,
        spacing_lengthscale(domain) if lengthscale is None else lengthscale,
        domain.pool(POOL_SIZE, stream(seed, POOL)) if pool is None else pool,
        domain.sample(probe_count(domain.dim), stream(seed, PROBES)),
        domain.sample(TARGET_COUNT, stream(seed, TARGETS)),
        deviation,
        checked(engine),
    )


def probe_count(dim: int) -> int:
    """The paper's number of gradient probes."""
    return 8192 if dim <= 3 else 16384


@dataclass(frozen=True)
class Standardised:
    """Values as the acquisition GP sees them.

    Attributes
    ----------
    y : (n, k) array
        Centred by the mean, divided by the deviation.
    noise_var : (n,) array
        Mean over responses of the squared noise, on that scale.
    typical_noise : float
        Noise deviation of a measurement yet to be made.
    estimated : bool
        Whether the noise was estimated rather than given.
    """

    y: Array
    noise_var: Array
    typical_noise: float
    estimated: bool


def standardise(configuration: RunConfiguration, measurements: Measurements) -> Standardised:
    """Centre and scale each response. A constant one is exactly zero, its noise in units of y."""
    n, k = measurements.y.shape
    level = np.abs(measurements.y).max(axis=0, initial=0.0)
    level = np.where(level > 0, level, 1.0)
    unit = measurements.y / level  # before anything is squared: values of 1e200 are no reason to fail
    mean, spread = (unit.mean(axis=0), unit.std(axis=0)) if n else (np.zeros(k), np.zeros(k))
    varies = spread > 1e-12  # less is rounding, and no variation at all
    deviation = np.where(varies, spread * level, 1.0)
    if configuration.deviation is not None:
        given = np.broadcast_to(np.asarray(configuration.deviation, dtype=float), (k,))
        deviation = np.where(given > 1e-12 * level, given, 1.0)
    y = np.where(varies, (unit - mean) * (level / deviation), 0.0)
    if measurements.noise is not None:
        noise_var = np.mean((measurements.noise / deviation) ** 2, axis=1)
        ordered = np.sort(noise_var)  # NumPy's median takes longer than any other step here
        typical = float(np.sqrt((ordered[(n - 1) // 2] + ordered[n // 2]) / 2)) if n else 0.05
        return Standardised(y, noise_var, typical, estimated=False)
    Z = configuration.domain.embed(measurements.x)
    shares = [estimate_noise(Z, y[:, j], configuration.lengthscale) for j in range(k)] if n else [0.05]
    typical = float(np.sqrt(np.mean(np.square(shares))))
    return Standardised(y, np.full(n, typical**2), typical, estimated=True)


def point_keys(domain: Domain, x: Array) -> list[bytes]:
    """A key per point ``(n, columns)`` that ignores differences below 1e-9 of the domain."""
    return [row.tobytes() for row in _rounded(domain, x)]


def _rounded(domain: Domain, x: Array) -> NDArray[np.int64]:
    return np.round(domain.embed(x) * 1e9).astype(np.int64)
