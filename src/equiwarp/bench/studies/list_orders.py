"""How a list should be begun and sampled: four orders of its entries, on random lists.

An order gives the start of a campaign on a list, and the targets over which a strategy expects the error
to fall. An arm such as ``balanced / box`` names the one of the start and that of the targets; `map` chooses
after the start. The arm ``random`` never chooses. The map is judged over the whole list, as in the replays
of real tables, which confirm what random lists have chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.seeds import DESIGN, stream
from equiwarp.bench.cases.measured_case import MeasuredCase
from equiwarp.bench.cases.registry import CASES, find_case
from equiwarp.bench.cases.replay import START, ReplayRecord, replay
from equiwarp.bench.functions.random_lists import KINDS, random_list
from equiwarp.bench.storage.csv_records import appended, kept_records, read_records
from equiwarp.domains import Array, Candidates
from equiwarp.domains.balanced_order import balanced_order, leaves
from equiwarp.domains.base import sobol

Order = Callable[[Array, int, np.random.Generator], NDArray[np.intp]]
RANDOM = "random"
ARMS = (
    RANDOM,
    "box / box",
    "random / box",
    "balanced / box",
    "box / balanced",
    "balanced / balanced",
    "energy / balanced",
)
DIMENSIONS = (2, 4, 6)
STAGES = (10, 14, 20, 28, 40)


def box_order(Z: Array, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Unused entries that are nearest to Sobol points of the box around the list."""
    unused = np.ones(len(Z), dtype=bool)
    order = []
    for u in sobol(Z.shape[1], min(n, len(Z)), rng):
        left = np.flatnonzero(unused)
        order.append(left[np.argmin(((Z[left] - u) ** 2).sum(axis=1))])
        unused[order[-1]] = False
    return np.array(order, dtype=np.intp)


def random_order(Z: Array, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Entries as they come."""
    return rng.permutation(len(Z))[:n]


def halved_order(Z: Array, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """One entry of each half of the list, of each quarter, and so on."""
    return balanced_order(leaves(Z), n, rng)


def energy_order(Z: Array, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """After a random first entry, each brings the energy distance to the list down most (support points)."""
    to_all = np.array([np.linalg.norm(Z - z, axis=1).mean() for z in Z])
    order = [int(rng.integers(len(Z)))]
    away, unused = np.zeros(len(Z)), np.ones(len(Z), dtype=bool)
    while len(order) < min(n, len(Z)):
        unused[order[-1]] = False
        away += np.linalg.norm(Z - Z[order[-1]], axis=1)
        order.append(int(np.where(unused, to_all - away / (len(order) + 1), np.inf).argmin()))
    return np.array(order, dtype=np.intp)


ORDERS: dict[str, Order] = {
    "box": box_order,
    "random": random_order,
    "balanced": halved_order,
    "energy": energy_order,
}


class OrderedList(Candidates):
    """A list that is stood for by its entries in an order of choice."""

    def __init__(self, rows: Array, names: Sequence[str], order: Order) -> None:
        super().__init__(rows, names)
        self.order = order

    def everywhere(self, n: int, rng: np.random.Generator) -> Array:
        return self.points[self.order(self.embed(self.points), n, rng)]


@dataclass(frozen=True, eq=False)
class OrderedCase(MeasuredCase):
    """A case whose list is sampled in an order of choice."""

    order: Order

    @cached_property
    def domain(self) -> Candidates:
        return OrderedList(self.X, self.names, self.order)


def judge(case: MeasuredCase, arm: str, seed: int) -> Iterator[ReplayRecord]:
    """Let an arm begin and choose, and judge its map at every stage."""
    if arm == RANDOM:
        yield from replay(case, RANDOM, seed, STAGES)
        return
    begin, targets = arm.split(" / ")
    ordered = OrderedCase(**{f.name: getattr(case, f.name) for f in fields(case)}, order=ORDERS[targets])
    points = ordered.domain.points
    start = points[ORDERS[begin](ordered.domain.embed(points), START, stream(seed, DESIGN))]
    for record in replay(ordered, "map", seed, STAGES, start):
        yield ReplayRecord(**{**asdict(record), "arm": arm})


def list_cases(seeds: Sequence[int], real: bool) -> list[tuple[str, int]]:
    """Names and seeds: random lists of every kind and dimension, or the real tables."""
    if real:
        return [(name, seed) for seed in seeds for name in CASES]
    return [(f"{kind}-{dim}d", seed) for seed in seeds for dim in DIMENSIONS for kind in KINDS]


def find_list(name: str, seed: int) -> MeasuredCase:
    """A real table by its name, or the random list of a kind, a dimension and this seed."""
    if name in CASES:
        return find_case(name)
    kind, _, dim = name.removesuffix("d").partition("-")
    return random_list(kind, int(dim), seed)


def run_orders(
    path: Path,
    cases: Sequence[tuple[str, int]],
    arms: Sequence[str] = ARMS,
    progress: Callable[[list[tuple[str, int, str]]], Any] = iter,
) -> list[dict[str, Any]]:
    """Judge what the file lacks, append it, and return the records of these cases and arms."""
    done = {_key(r) for r in kept_records(path) if r["points"] == STAGES[-1]}
    wanted = [(name, seed, arm) for name, seed in cases for arm in arms]
    with appended(path, [f.name for f in fields(ReplayRecord)]) as append:
        for name, seed, arm in progress([w for w in wanted if w not in done]):
            append([{**asdict(r), "case": name} for r in judge(find_list(name, seed), arm, seed)])
    return [r for r in read_records(path) if _key(r) in set(wanted)]


def _key(record: Mapping[str, Any]) -> tuple[str, int, str]:
    return record["case"], record["seed"], record["arm"]
