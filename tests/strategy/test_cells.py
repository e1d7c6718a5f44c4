"""The pairs of pool points and probes, against a loop over all of them."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.gp.field import Field
from equiwarp.gp.kernels import Matern52
from equiwarp.strategy import cells as module
from equiwarp.strategy.cells import Cells

KERNEL, NOISE = Matern52(0.4), 1e-2


def places(dim: int, n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.random((60, dim)), rng.random((90, dim)), rng.random((n, dim))


def field_of(P: np.ndarray, Q: np.ndarray, Z: np.ndarray) -> Field:
    return Field.of(KERNEL, np.concatenate([P, Q]), Z, np.full(len(Z), NOISE))


def listed(cells: Cells) -> dict[tuple[int, int], tuple[float, float]]:
    """Distance and covariance of each pair that is alive, by pool point and probe."""
    pool = np.repeat(np.arange(len(cells.count)), cells.count)
    columns = (pool, cells.probe, cells.distance, cells.covariance)
    alive = zip(*(column[cells.alive] for column in columns), strict=True)
    return {(int(x), int(u)): (distance, covariance) for x, u, distance, covariance in alive}


def expected(P: np.ndarray, Q: np.ndarray, Z: np.ndarray) -> dict[tuple[int, int], tuple[float, float]]:
    """The same by the textbook: a loop over probes and pool points."""
    K = np.linalg.inv(KERNEL(Z, Z) + NOISE * np.eye(len(Z)))
    posterior = KERNEL(P, Q) - KERNEL(P, Z) @ K @ KERNEL(Z, Q)
    pairs = {}
    for u, q in enumerate(Q):
        radius = min(np.linalg.norm(q - z) for z in Z)
        for x, p in enumerate(P):
            if np.linalg.norm(q - p) < radius:
                pairs[x, u] = (float(np.linalg.norm(q - p)), posterior[x, u])
    return pairs


def same(cells: Cells, P: np.ndarray, Q: np.ndarray, Z: np.ndarray) -> None:
    ours, theirs = listed(cells), expected(P, Q, Z)
    assert ours.keys() == theirs.keys()
    keys = list(theirs)
    np.testing.assert_allclose([ours[k] for k in keys], [theirs[k] for k in keys], rtol=1e-7, atol=1e-9)
    to_Z = np.linalg.norm(Q[:, None] - Z, axis=2)
    np.testing.assert_array_equal(cells.owner, to_Z.argmin(axis=1))
    np.testing.assert_allclose(cells.radius, to_Z.min(axis=1), atol=1e-7)


@pytest.mark.parametrize("dim", [1, 2, 5])
@pytest.mark.parametrize("n", [1, 2, 30])
@pytest.mark.parametrize("chunk", [1, 7, 128])
def test_first_listing(dim: int, n: int, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COMPARED_TOGETHER", chunk)
    P, Q, Z = places(dim, n)
    same(Cells.of(KERNEL, P, Q, Z, field_of(P, Q, Z).V.rows), P, Q, Z)


@pytest.mark.parametrize("share", [0.0, 0.8, 1.0], ids=["never cleared", "now and then", "each time"])
@pytest.mark.parametrize("block", [1, 50, 1 << 16])
def test_point_by_point(share: float, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ALIVE_SHARE", share)
    monkeypatch.setattr(module, "PAIRS_TOGETHER", block)
    P, Q, Z = places(2, 25)
    known = 3
    field = field_of(P, Q, Z[:known])
    cells = Cells.of(KERNEL, P, Q, Z[:known], field.V.rows)
    first = len(cells.probe)
    for i in range(known, len(Z)):
        field = field.add(Z[i], NOISE)
        row = field.last_row
        cells = cells.add(np.linalg.norm(Q - Z[i], axis=1), i, row[: len(P)], row[len(P) :])
    same(cells, P, Q, Z)
    assert (len(cells.probe) == first) == (share == 0.0)
    assert np.all(cells.alive) or share < 1.0


def test_sums_over_blocks_are_sums_over_pool_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAIRS_TOGETHER", 40)
    P, Q, Z = places(2, 12)
    P[7] = Z[4]  # measured already: nothing to take over
    cells = Cells.of(KERNEL, P, Q, Z, field_of(P, Q, Z).V.rows)
    weight = np.random.default_rng(1).random((len(Q), 2))
    total = np.zeros(len(P))
    seen = 0
    for pool, pairs in cells.blocks():
        total[pool] = cells.sum_over(cells.at_probes(weight, pairs)[:, 1], pool)
        seen += pairs.stop - pairs.start
    assert seen == len(cells.probe)
    wanted = np.zeros(len(P))
    for x, u in listed(cells):
        wanted[x] += weight[u, 1]
    np.testing.assert_allclose(total, wanted)


def test_nobody_takes_over_probes_that_are_measured() -> None:
    P, _, Z = places(2, 9)
    cells = Cells.of(KERNEL, P, Z, Z, field_of(P, Z, Z).V.rows)
    assert len(listed(cells)) == 0
    assert list(cells.blocks()) == []
    row = np.zeros(len(P) + len(Z))
    assert len(cells.add(np.ones(len(Z)), 9, row[: len(P)], row[len(P) :]).probe) == 0
