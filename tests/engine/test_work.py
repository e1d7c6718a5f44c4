"""A coarse guard against slow code that counts work instead of seconds, which no busy machine can upset."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.gp import kernels
from tests.cases import configuration_of, extend, measurements_of, values
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
    """Configuration, measurements and cache after some rounds."""
    domain = ew.Box.unit(dim)
    configuration, measurements, cache = (
        prepare(domain, name, response_scale=np.array([0.7])),
        measurements_of(domain, n=n),
        None,
    )
    for _ in range(rounds):
        suggestion, cache = choose(configuration, measurements, 1, cache)
        measurements = extend(measurements, suggestion.points, values(domain, suggestion.points))
    return configuration, measurements, cache


def test_the_counter_counts(monkeypatch):
    with kernel_entries(monkeypatch) as counted:
        kernels.Matern52(0.5)(np.zeros((3, 2)), np.ones((5, 2)))
    assert counted == [15]
    with kernel_entries(monkeypatch) as counted:
        kernels.Matern52(0.5).of_point(np.zeros(2), np.ones((5, 2)))
        kernels.Matern52(0.5).gram(np.ones((4, 2)))
    assert counted == [5 + 16]


@pytest.mark.parametrize(
    ("name", "rows"),
    [("eig", 1), ("equalized", 1), ("epig", 1.25), ("epig-joint", 2), ("nipv", 1.25), ("lookahead-nn", 3)],
)
def test_a_round_under_a_fixed_kernel_computes_a_row_per_field(name, rows, monkeypatch):
    configuration, measurements, cache = steady(name, 2, 60)
    with kernel_entries(monkeypatch) as counted:
        choose(configuration, measurements, 1, cache)
    new_points = 1  # the point measured since; the chosen one becomes a row as well
    assert len(configuration.pool) <= counted[0]
    assert counted[0] <= (new_points + 1) * rows * (len(configuration.pool) + 4 * measurements.n + 1000)


@pytest.mark.parametrize("dim", [2, 4])
def test_a_warped_round_computes_a_fraction_of_the_dense_entries(dim, monkeypatch):
    configuration, measurements, cache = steady("equiwarp", dim, 150)
    with kernel_entries(monkeypatch) as counted:
        _, cache = choose(configuration, measurements, 1, cache)
    dense = measurements.n * (len(configuration.pool) + len(configuration.probes))
    assert len(configuration.probes) <= counted[0] < 0.1 * dense
    assert cache.state.field.evaluated < 0.2 * len(configuration.pool)


def test_a_first_round_stores_no_slopes_and_a_second_computes_them_once(monkeypatch):
    domain = ew.Box.unit(3)
    configuration, measurements = (
        prepare(domain, "warp", response_scale=np.array([0.7])),
        measurements_of(domain, n=40),
    )
    _, cache = choose(configuration, measurements)
    assert cache.slopes is None
    _, cache = choose(configuration, measurements, 1, cache)
    assert cache.slopes is not None
    with kernel_entries(monkeypatch) as counted:
        choose(configuration, measurements, 1, cache)
    assert counted[0] < 0.3 * measurements.n * len(configuration.probes)


def test_the_work_of_the_local_engine_does_not_grow_with_the_observations(monkeypatch):
    domain, work = ew.Box.unit(2), []
    for n in (3_000, 12_000):
        x = domain.sample(n, np.random.default_rng(0))
        measurements = Measurements(domain, x, values(domain, x), np.full((n, 1), 0.05), np.empty((0, 2)))
        with kernel_entries(monkeypatch) as counted:
            choose(prepare(domain, "warp"), measurements)
        work.append(counted[0])
    assert work[1] < 1.05 * work[0]


@pytest.mark.parametrize("name", ["equiwarp", "equalized", "nipv"])
def test_two_hundred_rounds_of_the_fast_and_the_dense_path_are_the_same(name):
    domain = ew.Box.unit(2)
    configuration = configuration_of(name, domain, pool=400, probes=512, response_scale=np.array([0.7]))
    measurements, cache = measurements_of(domain), None
    for _ in range(200):
        suggestion, cache = choose(configuration, measurements, 1, cache)
        np.testing.assert_array_equal(
            suggestion.points[0], configuration.pool[dense_choose(configuration, measurements)]
        )
        measurements = extend(measurements, suggestion.points, values(domain, suggestion.points))
