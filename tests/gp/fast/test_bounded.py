"""The lazy search finds the exact argmax, and its bounds are bounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equiwarp.gp.fast.bounded import CLOSE, NEIGHBOUR_STEPS, SHARPENED_TOGETHER, BoundedField
from equiwarp.gp.fast.neighbours import MOST_NEIGHBOURS, ROW_MASK, Neighbours
from equiwarp.gp.kernels import Matern52
from tests.reference.gp import matern52, posterior


def problem(rng, n, dim, m=600, ell=0.3):
    Z, P, noise_var = rng.random((n, dim)), rng.random((m, dim)), rng.uniform(1e-4, 0.1, n)
    field = BoundedField.of(Matern52(ell), P, Z, noise_var, Neighbours.of(P, Z))
    exact = posterior(lambda A, B: matern52(A, B, ell), Z, np.zeros((n, 1)), noise_var, P)[1].diagonal()
    return field, exact


@pytest.mark.parametrize("dim", [1, 2, 4])
@pytest.mark.parametrize("n", [1, 3, 10, 60])
def test_bounds_are_never_below_the_exact_variance(n, dim, rng):
    field, exact = problem(rng, n, dim)
    rows, weight = np.arange(len(exact)), rng.uniform(0.1, 1, len(exact))
    for share in (0.9, 0.5, -np.inf):
        score = share * np.max(weight * exact)
        sharper, left = field.sharpen(rows, weight, score, NEIGHBOUR_STEPS)
        assert (exact - 1e-9 <= sharper.upper).all()
        assert (sharper.upper <= field.upper).all()
        dropped = np.setdiff1d(rows, left)
        assert (weight * sharper.upper)[dropped].max(initial=-np.inf) <= score
        assert sharper.sharp[left].all()
    np.testing.assert_allclose(field.variance, exact, atol=1e-9)


@pytest.mark.parametrize("n", [1, 5, 40])
def test_a_bound_is_the_variance_given_the_neighbours_so_far(n, rng):
    """Grown from step to step, and the same in lots that do not divide the rows."""
    lot = SHARPENED_TOGETHER
    field, _ = problem(rng, n, 3, m=lot + 7)
    rows, kernel = np.arange(lot + 7), lambda A, B: matern52(A, B, field.kernel.ell)
    for last in range(1, len(NEIGHBOUR_STEPS) + 1):
        sharper, left = field.sharpen(rows, np.ones(len(rows)), -np.inf, NEIGHBOUR_STEPS[:last])
        np.testing.assert_array_equal(left, rows)
        for row in (0, lot - 1, lot, lot + 6):
            near = field.near[: NEIGHBOUR_STEPS[last - 1], row] & ROW_MASK
            noise_var = field.C[near, near] - 1.0
            point, nothing = field.P[row : row + 1], np.zeros((len(near), 1))
            expected = posterior(kernel, field.Z[near], nothing, noise_var, point)[1]
            assert sharper.upper[row] == pytest.approx(expected[0, 0], abs=1e-9)


@pytest.mark.parametrize("dim", [1, 2, 4])
@pytest.mark.parametrize("n", [1, 10, 60])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_best_is_the_best(n, dim, weighted, rng):
    for _ in range(5):
        field, exact = problem(rng, n, dim)
        weights = rng.uniform(0.1, 1, len(exact)) if weighted else None
        free = rng.random(len(exact)) < 0.5
        expected = np.argmax(np.where(free, exact * (1 if weights is None else weights), -np.inf))
        assert field.best(weights, free)[1] == expected


def test_any_hint_of_where_to_look_first_leads_to_the_best(rng):
    field, exact = problem(rng, 30, 2)
    free = rng.random(len(exact)) < 0.5
    expected = np.argmax(np.where(free, exact, -np.inf))
    worst, taken = np.argsort(exact)[:50], np.flatnonzero(~free)[:20]
    for shortlist in (worst, taken, np.array([expected]), np.arange(len(exact)), np.array([], dtype=int)):
        found, best = replace(field, shortlist=shortlist).best(None, free)
        assert best == expected
        assert expected in found.shortlist
        assert free[found.shortlist].all()
        assert (exact[found.shortlist] >= CLOSE * exact[expected] - 1e-9).all()


def test_leaders_say_where_to_look_first_and_change_nothing(rng):
    field, exact = problem(rng, 80, 2, m=4000, ell=0.15)
    everywhere = np.ones(4000, dtype=bool)
    best, worst = np.argsort(-exact)[:64], np.argsort(exact)[:64]
    counts = []
    for shortlist in (best, worst):
        found, chosen = replace(field, shortlist=shortlist).best(None, everywhere)
        assert chosen == best[0]
        assert chosen in found.shortlist
        assert set(found.shortlist) <= set(np.flatnonzero(found.exact))
        counts.append(found.evaluated)
    assert counts[0] < counts[1]
    gone = everywhere.copy()
    gone[best] = False  # all of them have been measured meanwhile
    assert replace(field, shortlist=best).best(None, gone)[1] == np.argsort(-exact)[64]


def test_few_candidates_are_evaluated_exactly(rng):
    """The point of it: counted, not timed."""
    field, exact = problem(rng, 80, 2, m=4000, ell=0.15)
    found, best = field.best(None, np.ones(4000, dtype=bool))
    assert best == np.argmax(exact)
    assert found.evaluated < 400
    again, same = replace(field, shortlist=found.shortlist).best(None, np.ones(4000, dtype=bool))
    assert same == best
    assert again.evaluated <= found.evaluated


def test_adding_points_keeps_bounds_and_finds_the_next_best(rng):
    ell, noise = 0.3, 0.01
    Z, P = rng.random((12, 2)), rng.random((500, 2))
    field = BoundedField.of(Matern52(ell), P, Z, np.full(12, noise), Neighbours.of(P, Z))
    free = np.ones(500, dtype=bool)
    for _ in range(6):
        C = matern52(Z, Z, ell) + noise * np.eye(len(Z))
        exact = 1 - np.einsum("np,np->p", matern52(Z, P, ell), np.linalg.solve(C, matern52(Z, P, ell)))
        field, best = field.best(None, free)
        assert best == np.argmax(np.where(free, exact, -np.inf))
        assert (field.upper >= exact - 1e-9).all()
        free[best] = False
        field, Z = field.add(P[best], noise), np.vstack([Z, P[best]])


@pytest.mark.parametrize("n", [0, 3, 8, 30])
def test_neighbours_are_the_nearest_and_stay_so(n, rng):
    P, Z = rng.random((100, 3)), rng.random((30, 3))
    distance = np.linalg.norm(P[:, None] - Z[None], axis=2)
    near = Neighbours.of(P, Z[:n])
    k = len(near.keys & ROW_MASK)
    assert k == min(n, MOST_NEIGHBOURS)
    for column in range(100):
        expected = set(np.argsort(distance[column, :n])[:k])
        assert set((near.keys & ROW_MASK)[:, column]) == expected
    grown = near.extend(Z)
    if grown is not None:
        for column in range(100):
            assert set((grown.keys & ROW_MASK)[:, column]) == set(
                np.argsort(distance[column])[:MOST_NEIGHBOURS]
            )
    assert near.extend(Z[::-1][: max(n - 1, 0)]) is None


@pytest.mark.parametrize("n", [1, 2, 16, 17, 400])
def test_neighbours_are_the_nearest_in_their_order(n: int) -> None:
    rng = np.random.default_rng(n)
    Z = rng.random((n, 3))
    P = np.concatenate([rng.random((50, 3)), Z[:5]])  # some of them measured already
    near = Neighbours.of(P, Z)
    square = ((P[:, None] - Z) ** 2).sum(axis=2)
    np.testing.assert_array_equal((near.keys & ROW_MASK).T, np.argsort(square, axis=1)[:, :16])
    grown = Neighbours.of(P, Z[:16]).extend(Z)
    assert grown is None if n < 16 else np.array_equal((grown.keys & ROW_MASK), (near.keys & ROW_MASK))


def test_among_coincident_points_the_first_are_neighbours() -> None:
    Z = np.repeat(np.array([[0.2, 0.3], [0.6, 0.6]]), 12, axis=0)
    near = Neighbours.of(np.array([[0.6, 0.6]]), Z)
    np.testing.assert_array_equal((near.keys & ROW_MASK)[:, 0], [*range(12, 24), *range(4)])
