"""One arm on one case: it chooses from the list in batches, and its map is judged over the whole list.

All arms begin with the same few Sobol entries, but for `random`, which is random from its first
experiment, and for arms that are named so ("map, random start"). A measurement is one of the entry's
replicates. What failed is told as failed, and not tried again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp._util.seeds import DESIGN, stream
from equiwarp.bench.cases.measured_case import MeasuredCase
from equiwarp.bench.storage.csv_records import appended, kept_records
from equiwarp.domains import Array
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.maps.map import build_map

#: Who is compared; the first two are whom the others are compared with.
ARMS = ("random", "fps", "sobol", "lookahead-gp", "equiwarp", "map")
#: BoTorch's integrated posterior variance over the same list, where it is installed.
PEER = "botorch-nipv"
START, BATCH = 10, 4
#: What follows the name of an arm that begins with random entries.
RANDOM_START = ", random start"
#: Experiments, failed ones included, after which the map is judged.
STAGES = (14, 20, 28, 40, 56, 80)

#: Given what is known and how many are wanted, rows of the list to measure next.
Choosing = Callable[[Measurements, int], Array]


@dataclass(frozen=True)
class ReplayRecord:
    """The map of one arm after some experiments.

    ``error`` is over the whole list, in deviations of the table; ``failures`` are among the ``points``.
    """

    case: str
    digest: str
    seed: int
    arm: str
    points: int
    failures: int
    error: float


def replay(
    case: MeasuredCase,
    arm: str,
    seed: int,
    stages: Sequence[int] = STAGES,
    start: Array | None = None,
) -> Iterator[ReplayRecord]:
    """Let an arm choose, and judge its map at every stage; ``start`` is what it begins with."""
    domain, values = case.domain, case.measured(seed)
    chooser = _chooser(case, arm, seed)
    if arm == "random" or arm.endswith(RANDOM_START):
        start = domain.scatter(START, lambda block: stream(seed, "random start", block))
    x = domain.sample(START, stream(seed, DESIGN)) if start is None else start
    for stage in stages:
        while len(x) < stage:
            x = np.vstack([x, chooser(_known(case, x, values), min(BATCH, stage - len(x)))])
        y = values[domain.nearest(x)]
        worked = np.isfinite(y).all(axis=1)
        found = build_map(domain, x[worked], y[worked])
        predicted = np.column_stack([model.predict(domain.embed(domain.points)) for model in found.models])
        failures = int((~worked).sum())
        yield ReplayRecord(
            case.name, case.digest, seed, arm, len(x), failures, round(case.error(predicted), 6)
        )


def _known(case: MeasuredCase, x: Array, values: Array) -> Measurements:
    """What an arm is told: values where the experiment worked, and where it failed."""
    y = values[case.domain.nearest(x)]
    worked = np.isfinite(y).all(axis=1)
    lost = x[~worked]
    return Measurements(case.domain, x[worked], y[worked], None, lost, lost if len(lost) else None)


def _chooser(case: MeasuredCase, arm: str, seed: int) -> Choosing:
    """The way in which an arm chooses; scores count by what they explain, so they share one scale."""
    if arm == PEER:
        from equiwarp.bench.cases.botorch_list import BotorchList

        return BotorchList(case.domain, seed)
    scale = np.full(len(case.shares), np.sqrt(np.nanvar(case.truth, axis=0).max()))
    configuration = prepare(
        case.domain, arm.removesuffix(RANDOM_START), seed, lengthscale=case.domain.spacing(START),
        response_scale=scale if len(scale) > 1 else None,
    )  # fmt: skip
    remembered = None

    def next_points(known: Measurements, n: int) -> Array:
        nonlocal remembered
        suggestion, remembered = choose(configuration, known, n, remembered)
        return suggestion.points

    return next_points


def replay_cases(
    path: Path,
    cases: Sequence[MeasuredCase],
    arms: Sequence[str],
    seeds: Sequence[int],
    progress: Callable[[list[tuple[MeasuredCase, str, int]]], Any] = iter,
) -> None:
    """Replay what the file lacks, and append it run by run."""
    done = {_key(r) for r in known_records(path, cases)}
    wanted = [(case, arm, seed) for seed in seeds for case in cases for arm in arms]
    with appended(path, [f.name for f in fields(ReplayRecord)]) as append:
        for case, arm, seed in progress([w for w in wanted if (w[0].name, *w[1:]) not in done]):
            append([asdict(record) for record in replay(case, arm, seed)])


def known_records(path: Path, cases: Sequence[MeasuredCase]) -> list[dict[str, Any]]:
    """The records of all finished runs of these cases.

    A table that has changed since is another table: its old records do not count.
    """
    digests = {case.name: case.digest for case in cases}
    found = [r for r in kept_records(path) if digests.get(r["case"]) == r["digest"]]
    finished = {_key(r) for r in found if r["points"] == STAGES[-1]}
    return [r for r in found if _key(r) in finished]


def _key(record: Mapping[str, Any]) -> tuple[str, str, int]:
    return record["case"], record["arm"], record["seed"]
