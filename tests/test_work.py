"""A coarse guard against slow code that counts work instead of seconds, which no busy machine can upset."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.design import Design
from equiwarp.gp import kernels
from equiwarp.setting import prepare
from equiwarp.suggest import choose
from tests.cases import design_of, extend, setting_of, values
from tests.reference.dense import dense_choose


@contextmanager
def kernel_entries(monkeypatch):
    """Counts the entries of all kernel and slope matrices that are computed inside, and of their rows."""
    counted, blocks, mirrored = [0], kernels._distance_blocks, kernels._mirrored
    of_point, slopes_from = kernels.Matern52.of_point, kernels.Matern52.slopes_from

    def counting(A, B, scale, out):
        counted[0] += len(A) * len(B)
        return blocks(A, B, scale, out)

    def counting_mirrored(n, block):
        def counted_block(rows, columns):
            found = block(rows, columns)
            counted[0] += found.size
            return found

        return mirrored(n, counted_block)

    def counting_row(method):
        def row(self, z, A, *known):
            counted[0] += len(A)
            return method(self, z, A, *known)

        return row

    with monkeypatch.context() as patch:
        patch.setattr(kernels, "_distance_blocks", counting)
        patch.setattr(kernels, "_mirrored", counting_mirrored)
        patch.setattr(kernels.Matern52, "of_point", counting_row(of_point))
        patch.setattr(kernels.Matern52, "slopes_from", counting_row(slopes_from))
        yield counted


def steady(name, dim, n, rounds=3):
    """Setting, design and memory after some rounds."""
    domain = ew.Box.unit(dim)
    setting, design, memory = prepare(domain, name, deviation=np.array([0.7])), design_of(domain, n=n), None
    for _ in range(rounds):
        suggestion, memory = choose(setting, design, 1, memory)
        design = extend(design, suggestion.points, values(domain, suggestion.points))
    return setting, design, memory


def test_the_counter_counts(monkeypatch):
    with kernel_entries(monkeypatch) as counted:
        kernels.Matern52(0.5)(np.zeros((3, 2)), np.ones((5, 2)))
    assert counted == [15]
    with kernel_entries(monkeypatch) as counted:
        kernels.Matern52(0.5).of_point(np.zeros(2), np.ones((5, 2)))
        kernels.Matern52(0.5).gram(np.ones((4, 2)))
    assert counted == [5 + 16]


@pytest.mark.parametrize(
    ("name", "rows"), [("eig", 1), ("equalized", 1), ("epig", 2), ("nipv", 1.25), ("lookahead-nn", 3)]
)
def test_a_round_under_a_fixed_kernel_computes_a_row_per_field(name, rows, monkeypatch):
    setting, design, memory = steady(name, 2, 60)
    with kernel_entries(monkeypatch) as counted:
        choose(setting, design, 1, memory)
    new_points = 1  # the point measured since; the chosen one becomes a row as well
    assert len(setting.pool) <= counted[0]
    assert counted[0] <= (new_points + 1) * rows * (len(setting.pool) + 4 * design.n + 1000)


@pytest.mark.parametrize("dim", [2, 4])
def test_a_warped_round_computes_a_fraction_of_the_dense_entries(dim, monkeypatch):
    setting, design, memory = steady("equiwarp", dim, 150)
    with kernel_entries(monkeypatch) as counted:
        _, memory = choose(setting, design, 1, memory)
    dense = design.n * (len(setting.pool) + len(setting.probes))
    assert len(setting.probes) <= counted[0] < 0.1 * dense
    assert memory.state.field.evaluated < 0.2 * len(setting.pool)


def test_a_first_round_stores_no_slopes_and_a_second_computes_them_once(monkeypatch):
    domain = ew.Box.unit(3)
    setting, design = prepare(domain, "warp", deviation=np.array([0.7])), design_of(domain, n=40)
    _, memory = choose(setting, design)
    assert memory.slopes is None
    _, memory = choose(setting, design, 1, memory)
    assert memory.slopes is not None
    with kernel_entries(monkeypatch) as counted:
        choose(setting, design, 1, memory)
    assert counted[0] < 0.3 * design.n * len(setting.probes)


def test_the_work_of_the_local_engine_does_not_grow_with_the_observations(monkeypatch):
    domain, work = ew.Box.unit(2), []
    for n in (3_000, 12_000):
        x = domain.sample(n, np.random.default_rng(0))
        design = Design(domain, x, values(domain, x), np.full((n, 1), 0.05), np.empty((0, 2)))
        with kernel_entries(monkeypatch) as counted:
            choose(prepare(domain, "warp"), design)
        work.append(counted[0])
    assert work[1] < 1.05 * work[0]


@pytest.mark.parametrize("name", ["equiwarp", "equalized", "nipv"])
def test_two_hundred_rounds_of_the_fast_and_the_dense_path_are_the_same(name):
    domain = ew.Box.unit(2)
    setting = setting_of(name, domain, pool=400, probes=512, deviation=np.array([0.7]))
    design, memory = design_of(domain), None
    for _ in range(200):
        suggestion, memory = choose(setting, design, 1, memory)
        np.testing.assert_array_equal(suggestion.points[0], setting.pool[dense_choose(setting, design)])
        design = extend(design, suggestion.points, values(domain, suggestion.points))
