"""``SeededBenchmark``: one benchmark under one seed, as the paper's protocol sets it up for every arm alike.

Initial design, noise and pool depend on the seed and not on the arm, so arms are compared in pairs.
The pilot sample and the test set are drawn once per benchmark.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from equiwarp._util.seeds import DESIGN, POOL, stream
from equiwarp.bench.functions.catalogue import Benchmark
from equiwarp.domains import Array
from equiwarp.engine.configuration import POOL_SIZE
from equiwarp.exceptions import InvalidInput

#: Names of the random streams.
PILOT, TEST, NOISE = "pilot", "test", "noise"
PILOT_SIZE = 4096
TEST_SIZE = 16384
#: Of these, a map that takes long to evaluate is judged at the first.
FEWER_TESTS = 4096
#: Noise numbers drawn at once; a run with more measurements draws its own, which begin with the same.
NOISE_DRAWN = 1024


@dataclass(frozen=True)
class Pilot:
    """What is known of a benchmark's scale before anything is measured.

    Attributes
    ----------
    x, values : (4096, columns) and (4096,) arrays
    mean, deviation : float
    """

    x: Array
    values: Array
    mean: float
    deviation: float


@lru_cache(maxsize=32)
def pilot(benchmark: Benchmark) -> Pilot:
    """The benchmark's pilot sample: Sobol points, noise-free."""
    x = benchmark.domain.sample(PILOT_SIZE, stream(0, PILOT))
    values = benchmark(x)
    deviation = float(values.std())
    if not deviation > 0:
        raise InvalidInput(f"benchmark {benchmark.name!r} is constant: there is nothing to map")
    return Pilot(x, values, float(values.mean()), deviation)


@lru_cache(maxsize=8)
def held_out(benchmark: Benchmark) -> tuple[Array, Array]:
    """Where reconstructions are judged: kernel coordinates ``(16384, e)`` and noise-free values."""
    x = benchmark.domain.sample(TEST_SIZE, stream(0, TEST))
    return benchmark.domain.embed(x), benchmark(x)


def held_out_part(benchmark: Benchmark) -> tuple[Array, Array]:
    """The first quarter of the test set, for what takes long to evaluate.

    Not every fourth point: those of a Sobol sequence all lie in one corner of the cube.
    """
    Z, values = held_out(benchmark)
    return Z[:FEWER_TESTS], values[:FEWER_TESTS]


@lru_cache(maxsize=32)
def shared_pool(benchmark: Benchmark, seed: int, size: int) -> Array:
    """The candidates of a seed, drawn once for all of its arms; nobody may change them."""
    pool = benchmark.domain.pool(size, stream(seed, POOL)).view()  # a list hands out its own points
    pool.setflags(write=False)
    return pool


@dataclass(frozen=True)
class SeededBenchmark:
    """What an arm is given: a domain, a start, a way to measure."""

    benchmark: Benchmark
    seed: int
    pool_size: int = POOL_SIZE

    @cached_property
    def deviation(self) -> float:
        """Standard deviation of the function, from the pilot sample."""
        return pilot(self.benchmark).deviation

    @property
    def noise(self) -> float:
        """Standard deviation of a measurement, in the units of y."""
        return self.benchmark.noise * self.deviation

    @cached_property
    def start(self) -> Array:
        """Initial design ``(n0, columns)``: the beginning of the seed's Sobol sequence."""
        return self.benchmark.domain.sample(self.benchmark.n0, stream(self.seed, DESIGN))

    @property
    def pool(self) -> Array:
        """Candidates ``(m, columns)`` shared by all arms of the seed."""
        return shared_pool(self.benchmark, self.seed, self.pool_size)

    def measure(self, x: Array, first: int = 0) -> Array:
        """Noisy values ``(n,)`` at ``(n, columns)``, as measurements number ``first`` and following."""
        count = first + len(x)
        # Measurement t gets the t-th number of one stream, whoever asks and however far it goes.
        drawn = self._first_noise if count <= NOISE_DRAWN else self._noise_numbers(count)
        noise = self.noise * drawn[first:count]
        return self.benchmark(x) + noise

    @cached_property
    def _first_noise(self) -> Array:
        return self._noise_numbers(NOISE_DRAWN)

    def _noise_numbers(self, count: int) -> Array:
        """The first numbers ``(count,)`` of the seed's noise, with deviation 1."""
        return stream(self.seed, NOISE).standard_normal(count)

    def replay(self, x: Array) -> Array:
        """The values ``(n,)`` a run measured: its start at once, then point by point, to the last bit."""
        n0 = self.benchmark.n0
        later = [self.measure(x[t : t + 1], t) for t in range(n0, len(x))]
        return np.concatenate([self.measure(x[:n0]), *later])
