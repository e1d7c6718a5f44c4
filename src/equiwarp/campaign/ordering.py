"""The order of a batch in which changing the settings costs least: a small travelling-salesman problem.

The path is open: it begins where the instrument stands, if that is known, and may end anywhere. Up to
:data:`MOST_EXACT_ORDER` experiments the answer is exact (Held and Karp 1962); beyond that, the nearest
neighbour's path is improved by reversing and moving parts of it until nothing helps.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from equiwarp.domains import Array, Domain

#: Held and Karp's table has 2^n rows; ten take a hundredth of a second.
MOST_EXACT_ORDER = 10


def change_costs(domain: Domain, x: Array, costs: Mapping[str, float]) -> Array:
    """Cost ``(n, n)`` of going from each of the points ``(n, columns)`` to each other one.

    A parameter costs in proportion to how far it moves on the domain's scale, the whole range the whole cost.
    From one category to another is the whole range.
    """
    n = len(x)
    here, there = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
    total = np.zeros(n * n)
    before = domain.embed(x)[here]
    for name, cost in costs.items():
        column = domain.names.index(name)
        if name in domain.categories:
            total += cost * (x[here, column] != x[there, column])
            continue
        moved = x[here].copy()
        moved[:, column] = x[there, column]
        total += cost * np.linalg.norm(domain.embed(moved) - before, axis=1)
    return total.reshape(n, n)


def cheapest_order(costs: Array, first: bool) -> list[int]:
    """The order of the points of a cost matrix ``(n, n)``; ``first``: point 0 is where one stands."""
    n = len(costs)
    if n - first <= 1:
        return list(range(n))
    costs = costs / (costs.max() or 1.0)  # what counts as cheaper must not depend on the unit
    return _exact(costs, first) if n - first <= MOST_EXACT_ORDER else _improved(costs, first)


def path_cost(costs: Array, order: list[int]) -> float:
    """What a path costs."""
    return float(sum(costs[a, b] for a, b in pairwise(order)))


def _exact(costs: Array, first: bool) -> list[int]:
    """Held and Karp: the cheapest way to have visited a set and to stand at one of it, for every set."""
    places = list(range(int(first), len(costs)))
    n = len(places)
    C = costs[np.ix_(places, places)]
    begin = costs[0, places] if first else np.zeros(n)
    best = np.full((1 << n, n), np.inf)
    came = np.zeros((1 << n, n), dtype=int)
    for j in range(n):
        best[1 << j, j] = begin[j]
    for visited in range(1, 1 << n):
        inside = [j for j in range(n) if visited >> j & 1]
        for j in inside:
            rest = visited & ~(1 << j)
            if rest:
                ways = best[rest] + C[:, j]
                came[visited, j] = int(np.argmin(ways))
                best[visited, j] = ways[came[visited, j]]
    visited, j = (1 << n) - 1, int(np.argmin(best[-1]))
    path = [j]
    while visited & (visited - 1):
        visited, j = visited & ~(1 << j), int(came[visited, j])
        path.append(j)
    return [0] * first + [places[j] for j in reversed(path)]


def _improved(costs: Array, first: bool) -> list[int]:
    """The nearest neighbour's path, improved until no reversal and no move of a part makes it cheaper."""
    left = set(range(1, len(costs)))
    order = [0]
    while left:
        nearest = min(left, key=lambda j: (costs[order[-1], j], j))
        order.append(nearest)
        left.remove(nearest)
    cost, better = path_cost(costs, order), True
    while better:
        better = False
        for changed in _neighbours(order, int(first)):
            now = path_cost(costs, changed)
            if now < cost - 1e-12:
                order, cost, better = changed, now, True
                break
    return order


def _neighbours(order: list[int], start: int) -> list[list[int]]:
    """Paths with one part reversed (2-opt) or one experiment elsewhere (or-opt); the first may be fixed."""
    n = len(order)
    reversed_parts = [
        order[:i] + order[i : j + 1][::-1] + order[j + 1 :] for i in range(start, n) for j in range(i + 1, n)
    ]
    moved = []
    for i in range(start, n):
        rest = order[:i] + order[i + 1 :]
        moved += [[*rest[:j], order[i], *rest[j:]] for j in range(start, n) if j != i]
    return reversed_parts + moved
