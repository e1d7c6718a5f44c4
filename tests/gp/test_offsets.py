"""Offsets of blocks: found where they are, zero where they are not, and against the model written out."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from equiwarp.gp import offsets
from equiwarp.gp.offsets import block_offsets


def data(shift, n=48, noise=0.05, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.random((n, 2))
    days = np.array(["Mon", "Tue", "Wed"])[np.arange(n) % 3]
    f = np.sin(4 * Z[:, 0]) + Z[:, 1] ** 2
    y = f + np.array([shift[d] for d in days]) + noise * rng.standard_normal(n)
    return Z, f, y, days.tolist()


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("scale", [1.0, 1e-6])
def test_offsets_are_found_and_add_up_to_zero(known, scale):
    shift = {"Mon": 0.0, "Tue": 0.6, "Wed": -0.3}
    Z, _, y, days = data(shift)
    noise = np.full(48, 0.05 * scale) if known else None
    off, effects = block_offsets(Z, scale * y, noise, [days], 0.3)
    mean = sum(shift.values()) / 3
    for day, value in shift.items():
        assert effects[0, day] / scale == pytest.approx(value - mean, abs=0.06)
    np.testing.assert_allclose(off, [effects[0, d] for d in days])
    assert abs(off.sum()) < 1e-9 * scale * len(off)


@pytest.mark.parametrize("known", [True, False])
def test_where_there_are_none_next_to_nothing_is_taken_off(known):
    Z, _, y, days = data(dict.fromkeys(("Mon", "Tue", "Wed"), 0.0))
    off, _ = block_offsets(Z, y, np.full(48, 0.05) if known else None, [days], 0.3)
    assert np.abs(off).max() < 0.03


def test_two_columns_have_offsets_of_their_own():
    shift = {"Mon": 0.0, "Tue": 0.6, "Wed": -0.3}
    Z, _, y, days = data(shift)
    who = ["Ann" if i < 24 else "Ben" for i in range(48)]
    y = y + np.where(np.array(who) == "Ben", 0.4, 0.0)
    _, effects = block_offsets(Z, y, np.full(48, 0.05), [days, who], 0.3)
    assert effects[1, "Ben"] - effects[1, "Ann"] == pytest.approx(0.4, abs=0.08)
    assert effects[0, "Tue"] - effects[0, "Wed"] == pytest.approx(0.9, abs=0.08)


def test_one_block_and_no_block_have_no_offset():
    Z, _, y, days = data({"Mon": 0.0, "Tue": 0.6, "Wed": -0.3})
    for blocks in ([["Mon"] * 48], [[""] * 48], []):
        off, effects = block_offsets(Z, y, None, blocks, 0.3)
        assert not off.any()
        assert not any(effects.values())
    assert block_offsets(Z, np.ones(48), None, [days], 0.3)[0].tolist() == [0.0] * 48


def crowd(n, rng):
    """Many values of seven days; one of them has a single value."""
    Z = rng.random((n, 2))
    day = rng.integers(0, 6, n)
    day[n // 2] = 6
    y = np.sin(6 * Z[:, 0]) + Z[:, 1] ** 2 + np.array([0, 0.5, -0.5, 1, -1, 0.2, 3.0])[day]
    return Z, y + 0.05 * rng.standard_normal(n), [f"day {k}" for k in day]


@pytest.mark.parametrize("inducing", [100, 400])
@pytest.mark.parametrize("known", [True, False])
def test_many_values_have_the_offsets_that_an_exact_function_gives(inducing, known, rng, monkeypatch):
    Z, y, days = crowd(400, rng)
    noise = np.full(400, 0.05) if known else None
    _, exact = block_offsets(Z, y, noise, [days], 0.1)
    monkeypatch.setattr(offsets, "MOST_EXACT_OFFSETS", 100)
    monkeypatch.setattr(offsets, "INDUCING_OFFSETS", inducing)
    monkeypatch.setattr(offsets, "ROWS", 64)
    _, found = block_offsets(Z, y, noise, [days], 0.1)
    within = 1e-3 if inducing == 400 else 0.05
    assert found == pytest.approx(exact, abs=within)
    assert max(exact.values()) > 2  # of the day with a single value


def test_memory_grows_with_the_number_of_values_and_not_with_its_square(rng):
    needed = []
    for n in (2100, 4200, 8400):
        Z, y, days = crowd(n, rng)
        tracemalloc.start()
        _, found = block_offsets(Z, y, np.full(n, 0.05), [days], 0.1)
        needed.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert found[0, "day 3"] - found[0, "day 4"] == pytest.approx(2.0, abs=0.02)
    assert needed[2] < 80e6  # one matrix of all pairs has 564 MB
