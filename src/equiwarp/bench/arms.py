"""Arms: whoever chooses points, behind one small protocol.

An :class:`Arm` is started once per seeded benchmark and gives a :class:`Stepper`, which is asked for one
point at a time and shown everything measured so far. Registry strategies are one implementation; another
library becomes an arm by subclassing both classes and being named in :data:`PEERS`, or by being given
as ``module:object``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from equiwarp.bench.functions.catalogue import Benchmark
from equiwarp.bench.loading import load_object
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.domains import Array
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import RunConfiguration, prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import RoundCache
from equiwarp.exceptions import InvalidInput
from equiwarp.strategy import OpenLoop, Strategy, find, package_of, strategies
from equiwarp.strategy.distance import Distance

#: Arms that are not strategies of this library: name -> ``module:object``, imported when asked for.
PEER_ARMS: dict[str, str] = {
    "lola": "equiwarp.bench.peers.lola:Lola",
    "learner-nd": "equiwarp.bench.peers.learner:Learner",
    "gpcam-gradient": "equiwarp.bench.peers.gpcam:GRADIENT",
    "botorch-std": "equiwarp.bench.peers.botorch:Deviation",
    "botorch-nipv": "equiwarp.bench.peers.botorch:Integrated",
    "botorch-mixed": "equiwarp.bench.peers.botorch_mixed:Mixed",
    "baybe": "equiwarp.bench.peers.baybe:Baybe",
    "vigf": "equiwarp.bench.peers.gradient_scores:VIGF",
    "guess": "equiwarp.bench.peers.gradient_scores:GUESS",
    "imspe": "equiwarp.bench.peers.imspe:Imspe",
    "qb-mgp": "equiwarp.bench.peers.mixture:Mixture",
    "oracle": "equiwarp.bench.peers.oracle:Oracle",
    "oracle-map": "equiwarp.bench.peers.oracle_map:MapOracle",
    "equiwarp-colatitude": "equiwarp.bench.variants:COLATITUDE",
    "kumaraswamy-rate-0.002": "equiwarp.bench.variants:RATE_002",
    "kumaraswamy-rate-0.005": "equiwarp.bench.variants:RATE_005",
    "kumaraswamy-rate-0.01": "equiwarp.bench.variants:RATE_01",
    "kumaraswamy-rate-0.02": "equiwarp.bench.variants:RATE_02",
    "kumaraswamy-rate-0.05": "equiwarp.bench.variants:RATE_05",
    "sobol-own": "equiwarp.bench.variants:OWN_SOBOL",
    "sobol-normal": "equiwarp.bench.variants:NORMAL_SOBOL",
}


class Stepper(ABC):
    """One run of an arm."""

    @abstractmethod
    def next(self, x: Array, y: Array) -> Array:
        """The next point ``(columns,)``, given all locations ``(n, columns)`` and noisy values ``(n,)``.

        Must depend on the seeded benchmark, x and y only: a run that is stopped and resumed starts a new
        stepper in the middle and has to go on as if nothing had happened.
        """

    def next_batch(self, x: Array, y: Array, n: int) -> Array:
        """The next n points ``(n, columns)``, chosen before any of their values is known, the best first.

        The first of n must not depend on n.
        """
        if n > 1:
            raise InvalidInput(f"{type(self).__name__} chooses one point at a time, {n} were asked for")
        return np.asarray(self.next(x, y), dtype=float).reshape(1, -1)


class Arm(ABC):
    """Someone who chooses points.

    Attributes
    ----------
    name : str
    uses_lengthscale : bool
        Whether the lengthscale factor means anything to it.
    batches : bool
        Whether it can choose several points at once.
    """

    name: str
    uses_lengthscale: bool = False
    batches: bool = False

    @abstractmethod
    def start(self, seeded: SeededBenchmark, lengthscale_factor: float = 1.0) -> Stepper:
        """A fresh run on this seeded benchmark."""

    def objection(self, benchmark: Benchmark) -> str | None:
        """Why this arm cannot run on a benchmark; None if it can."""
        return None


@dataclass
class StrategyStepper(Stepper):
    """A strategy of the registry; what it remembers between rounds only saves time."""

    configuration: RunConfiguration
    noise: float
    cache: RoundCache | None = field(default=None, repr=False)

    def next(self, x: Array, y: Array) -> Array:
        return self.next_batch(x, y, 1)[0]

    def next_batch(self, x: Array, y: Array, n: int) -> Array:
        domain = self.configuration.domain
        noise = np.full((len(x), 1), self.noise)
        measurements = Measurements(domain, x, y[:, None], noise, np.empty((0, domain.columns)))
        suggestion, self.cache = choose(self.configuration, measurements, n, self.cache)
        return suggestion.points


@dataclass(frozen=True)
class StrategyArm(Arm):
    """A strategy as the paper runs it: spacing lengthscale, pilot deviation, the seed's pool."""

    strategy: Strategy
    name: str
    batches: bool = True

    @property
    def uses_lengthscale(self) -> bool:  # type: ignore[override]
        return not isinstance(self.strategy.criterion, Distance | OpenLoop)

    def start(self, seeded: SeededBenchmark, lengthscale_factor: float = 1.0) -> Stepper:
        domain = seeded.benchmark.domain
        lengthscale = lengthscale_factor * domain.spacing(seeded.benchmark.n0)
        noise, deviation, pool = seeded.noise, seeded.deviation, seeded.pool
        configuration = prepare(
            domain,
            self.strategy,
            seeded.seed,
            lengthscale=lengthscale,
            pool=pool,
            response_scale=np.array([deviation]),
        )
        return StrategyStepper(configuration, noise)

    def objection(self, benchmark: Benchmark) -> str | None:
        if self.strategy.kernel == "neumann" and benchmark.sphere:
            return "its kernel reflects at the faces of a cube, and a sphere has none"
        return None


def is_variant(name: str) -> bool:
    """Whether an arm is one of :mod:`equiwarp.bench.variants`, for side studies, and a rival of nobody."""
    return PEER_ARMS.get(name, "").startswith("equiwarp.bench.variants:")


def arm_names() -> tuple[str, ...]:
    """Every arm that can be named without a module."""
    return (*strategies(), *PEER_ARMS)


def find_arm(name: str) -> Arm:
    """An arm by its name in the registry or among the peers, or ``module:object``."""
    if name in strategies() or package_of(name):  # one that cannot be loaded says why
        return StrategyArm(find(name), name)
    if name not in PEER_ARMS and ":" not in name:
        raise InvalidInput(
            f"unknown arm {name!r}; choose from {', '.join(arm_names())}, or give module:object"
        )
    found = load_object(PEER_ARMS.get(name, name))
    if isinstance(found, type):
        found = found()
    if isinstance(found, Strategy):
        return StrategyArm(found, name)
    if isinstance(found, Arm):
        return found
    raise InvalidInput(f"{name!r} is {type(found).__name__}: an arm is a Strategy or a bench.arms.Arm")
