"""Which strategy serves the averaged map best: its true error after 20, 40 and 80 measurements, arm by arm.

Each case is a function and a seed. All arms begin with the same few Sobol points and choose from one pool in
batches. The map that a campaign draws is fitted to what each arm measured, and compared with the noise-free
function. Random functions chose the constants of `map`; named ones that nobody chose by confirm. Records are
appended to a CSV file as they come; what is in it is not computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp.bench.arms import Arm, find_arm
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.functions.random_families import FAMILIES
from equiwarp.bench.seeded import SeededBenchmark, held_out_part
from equiwarp.bench.storage.csv_records import appended, kept_records, read_records
from equiwarp.bench.studies.choosing_variants import VARIANTS
from equiwarp.bench.studies.unseen_functions import unseen_titles
from equiwarp.domains import Array
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import POOL_SIZE, prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import RoundCache
from equiwarp.maps.map import build_map
from equiwarp.strategy import Strategy, find, strategies

RANDOM, NAMED = "random", "named"
#: Who is compared; the first is what the others are compared with.
ARMS = ("fps", "lookahead-gp", "equalized", "equiwarp", "map")
#: And published criteria, on the map's plain model.
PEERS = ("vigf", "guess", "imspe", "qb-mgp")
#: Measurements after which the map is judged.
POINTS = (20, 40, 80)
START = 10
DIMENSIONS = (2, 4, 6)
#: Knows the function; its gain is what can be gained. It measures one point at a time.
ORACLE = "oracle-map"
#: A point is near a face if a coordinate is closer to one than this.
NEAR_FACE = 0.05


#: From points and values so far, and how many are wanted: the next points.
ChooseNext = Callable[[Array, Array, int], Array]


@dataclass(frozen=True)
class Protocol:
    """How arms choose: in batches, from a pool.

    Attributes
    ----------
    batch : int
        Points of a batch, at least.
    share : float
        A batch has at least this share of the points so far: later ones say less each.
    pool : int
        How many points there are to choose from.
    """

    batch: int = 4
    share: float = 0.0
    pool: int = POOL_SIZE

    def next_batch(self, known: int) -> int:
        """The size of the batch after so many points."""
        return max(self.batch, int(self.share * known))


FULL = Protocol()
#: A third of the price: for the choice between variants, on random functions.
SCREENING = Protocol(share=0.2, pool=1024)
SCREENING_DIMENSIONS = (2, 3, 4)


@dataclass(frozen=True)
class ChoosingCase:
    """A function by its benchmark name, and a seed."""

    group: str
    benchmark: str
    seed: int


@dataclass(frozen=True)
class Judged:
    """The map of one arm after some measurements.

    ``error`` is its root mean square error in deviations of the function, ``near_faces`` the share of the
    chosen points near a face of the cube.
    """

    group: str
    benchmark: str
    family: str
    dim: int
    seed: int
    arm: str
    batch: int
    points: int
    error: float
    near_faces: float


def choosing_cases(
    group: str, seeds: Sequence[int], dimensions: Sequence[int] = DIMENSIONS
) -> list[ChoosingCase]:
    """Every function of a group under every seed; a seed of random functions is another function."""
    if group == NAMED:
        return [ChoosingCase(group, name, seed) for seed in seeds for name in unseen_titles()]
    names = [(family, dim) for dim in dimensions for family in FAMILIES]
    return [
        ChoosingCase(group, f"random:{family}-{dim}d-{seed}", seed) for seed in seeds for family, dim in names
    ]


def judge(case: ChoosingCase, arm: str, protocol: Protocol = FULL) -> Iterator[Judged]:
    """Let an arm choose, and judge its map at every stage."""
    seeded = SeededBenchmark(find_benchmark(case.benchmark), case.seed, protocol.pool)
    domain = seeded.benchmark.domain
    family = (
        case.benchmark.removeprefix("random:").split("-")[0]
        if case.group == RANDOM
        else unseen_titles()[case.benchmark]
    )
    for x, y in designs(seeded, arm, protocol):
        u = domain.to_cube(x[START:])
        near = float(np.mean((np.minimum(u, 1.0 - u) < NEAR_FACE).any(axis=1)))
        yield Judged(
            case.group, case.benchmark, family, domain.dim, case.seed, arm, protocol.batch, len(x),
            round(map_error(seeded, x, y), 6), round(near, 4),
        )  # fmt: skip


def designs(seeded: SeededBenchmark, arm: str, protocol: Protocol = FULL) -> Iterator[tuple[Array, Array]]:
    """What an arm has measured at each stage: points and noisy values."""
    peer = None if arm in VARIANTS or arm in strategies() else find_arm(arm)
    choice = _strategy_choice(seeded, find_variant(arm)) if peer is None else _peer_choice(seeded, peer)
    one_by_one = peer is not None and not peer.batches
    x = seeded.start[:START]
    y = seeded.measure(x)
    for stage in POINTS:
        while len(x) < stage:
            count = 1 if one_by_one else protocol.next_batch(len(x))
            points = choice(x, y, min(count, stage - len(x)))
            y = np.append(y, seeded.measure(points, len(x)))
            x = np.vstack([x, points])
        yield x, y


def _strategy_choice(seeded: SeededBenchmark, strategy: Strategy) -> ChooseNext:
    domain = seeded.benchmark.domain
    configuration = prepare(
        domain, strategy, seeded.seed, lengthscale=domain.spacing(START), pool=seeded.pool
    )
    cache: RoundCache | None = None

    def choice(x: Array, y: Array, count: int) -> Array:
        nonlocal cache
        known = Measurements.of(domain, x, y, seeded.noise)
        suggestion, cache = choose(configuration, known, count, cache)
        return suggestion.points

    return choice


def _peer_choice(seeded: SeededBenchmark, peer: Arm) -> ChooseNext:
    """Other people's criteria, and someone who knows the function."""
    return peer.start(seeded).next_batch


def map_error(seeded: SeededBenchmark, x: Array, y: Array) -> float:
    """Root mean square error of the averaged map, in deviations of the function."""
    Z, truth = held_out_part(seeded.benchmark)
    known = build_map(seeded.benchmark.domain, x, y, seeded.noise)
    missed = known.models[0].predict(Z) - truth
    return float(np.sqrt(np.mean(missed**2))) / seeded.deviation


def find_variant(arm: str) -> Strategy:
    """A strategy by its name in the registry or among the variants that were tried."""
    return VARIANTS.get(arm) or find(arm)


def run_choosing(
    path: Path,
    cases: Sequence[ChoosingCase],
    arms: Sequence[str] = ARMS,
    protocol: Protocol = FULL,
    progress: Callable[[list[tuple[ChoosingCase, str]]], Any] = iter,
) -> list[dict[str, Any]]:
    """Judge what the file lacks, append it, and return all records of these cases and arms."""
    names = [f.name for f in fields(Judged)]
    done = {_key(r) for r in kept_records(path) if r["points"] == POINTS[-1]}
    wanted = {(case.benchmark, case.seed, arm, protocol.batch) for case in cases for arm in arms}
    todo = [(c, a) for c in cases for a in arms if (c.benchmark, c.seed, a, protocol.batch) not in done]
    with appended(path, names) as append:
        for case, arm in progress(todo):
            append(asdict(judged) for judged in judge(case, arm, protocol))
    return [r for r in read_records(path) if _key(r) in wanted]


def finished(path: Path, arms: Sequence[str]) -> list[dict[str, Any]]:
    """The records of these arms in every case that all of them have finished, in the order of the arms."""
    records = [r for r in read_records(path) if r["arm"] in arms]
    last = {_key(r) for r in records if r["points"] == POINTS[-1]}
    whole = [r for r in records if all((r["benchmark"], r["seed"], arm, r["batch"]) in last for arm in arms)]
    return sorted(whole, key=lambda r: list(arms).index(r["arm"]))


def _key(record: Mapping[str, Any]) -> tuple[str, int, str, int]:
    return record["benchmark"], record["seed"], record["arm"], record["batch"]
