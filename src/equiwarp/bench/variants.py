"""Arms that change one thing which the paper leaves open or does otherwise: what side studies compare.

They are arms like all others, so their cells are computed, resumed, packed and verified as any are.

``equiwarp-colatitude``
    the full method whose warp moves points along great circles through the pole only, as the paper's
``kumaraswamy-rate-0.002``, ``-0.005``, ``-0.01``, ``-0.02``, ``-0.05``
    the trained warp with another step size of Adam, which the paper does not give
``sobol-own``
    a Sobol sequence scrambled independently of the start, instead of the start's own, continued
``sobol-normal``
    the paper's Sobol baseline on S^3: points of the cube through the inverse normal CDF, normalised
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp.bench.arms import Arm, Stepper, StrategyStepper, find_arm
from equiwarp.bench.functions.catalogue import Benchmark
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.domains import Array, Sphere
from equiwarp.domains.chart import INTERVAL, ChartAxis
from equiwarp.domains.sobol import scrambled
from equiwarp.engine.configuration import prepare

#: Random streams of sequences that have nothing to do with the start's.
OWN, NORMAL = "own sequence", "normal sequence"
NOT_A_SPHERE = "it is about spheres, and this is none"


class ColatitudeSphere(Sphere):
    """A sphere on which the reconstruction warp changes the colatitude and leaves every azimuth as it is.

    The transport neither moves nor looks at an axis of more categories than it can tell apart.
    """

    continuous = property(lambda self: self.dim)
    strata = property(lambda self: 1)

    @property
    def chart_axes(self) -> tuple[ChartAxis, ...]:
        return (INTERVAL, *(ChartAxis("categories", 1 << 20) for _ in range(self.dim - 1)))


@dataclass(frozen=True)
class ColatitudeArm(Arm):
    """The full method with the warp of :class:`ColatitudeSphere`."""

    name = "equiwarp-colatitude"
    uses_lengthscale = True

    def start(self, seeded: SeededBenchmark, lengthscale_factor: float = 1.0) -> Stepper:
        domain = ColatitudeSphere(seeded.benchmark.dim)
        configuration = prepare(
            domain,
            "equiwarp",
            seeded.seed,
            lengthscale=lengthscale_factor * domain.spacing(seeded.benchmark.n0),
            pool=seeded.pool,
            response_scale=np.array([seeded.deviation]),
        )
        return StrategyStepper(configuration, seeded.noise)

    def objection(self, benchmark: Benchmark) -> str | None:
        return None if benchmark.sphere else NOT_A_SPHERE


@dataclass(frozen=True)
class TrainingRateArm(Arm):
    """The equalizer and a Kumaraswamy warp that is trained in steps of another size."""

    rate: float
    uses_lengthscale = True

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"kumaraswamy-rate-{self.rate:g}"

    def start(self, seeded: SeededBenchmark, lengthscale_factor: float = 1.0) -> Stepper:
        usual = find_arm("kumaraswamy").start(seeded, lengthscale_factor)
        assert isinstance(usual, StrategyStepper)
        return replace(usual, configuration=replace(usual.configuration, training_rate=self.rate))


@dataclass(frozen=True)
class Sequence(Stepper):
    """Points ``(rounds, columns)`` that were fixed before anything was measured."""

    points: Array
    n0: int

    def next(self, x: Array, y: Array) -> Array:
        return self.points[len(x) - self.n0]


@dataclass(frozen=True)
class OwnSobolArm(Arm):
    """A Sobol sequence of its own, whose first points take no notice of the start."""

    name = "sobol-own"

    def start(self, seeded: SeededBenchmark, lengthscale_factor: float = 1.0) -> Stepper:
        benchmark = seeded.benchmark
        points = benchmark.domain.sample(benchmark.rounds, stream(seeded.seed, OWN))
        return Sequence(points, benchmark.n0)


@dataclass(frozen=True)
class NormalSobolArm(Arm):
    """Scrambled Sobol points of the (d + 1)-cube, through the inverse normal CDF, normalised."""

    name = "sobol-normal"

    def start(self, seeded: SeededBenchmark, lengthscale_factor: float = 1.0) -> Stepper:
        from scipy.special import ndtri

        benchmark = seeded.benchmark
        u = scrambled(benchmark.domain.columns, benchmark.rounds.bit_length(), stream(seeded.seed, NORMAL))
        normal = ndtri(np.clip(u, 1e-9, 1 - 1e-9))
        return Sequence(normal / np.linalg.norm(normal, axis=1, keepdims=True), benchmark.n0)

    def objection(self, benchmark: Benchmark) -> str | None:
        return None if benchmark.sphere else NOT_A_SPHERE


COLATITUDE, OWN_SOBOL, NORMAL_SOBOL = ColatitudeArm(), OwnSobolArm(), NormalSobolArm()
RATE_002, RATE_005, RATE_01, RATE_02, RATE_05 = (
    TrainingRateArm(rate) for rate in (0.002, 0.005, 0.01, 0.02, 0.05)
)
