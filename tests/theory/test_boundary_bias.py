"""The two faults that the method repairs, and the repair, measured end to end."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

import equiwarp as ew
from equiwarp._util.seeds import DESIGN, stream
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements


def share_near_faces(name, seed):
    """Of 60 points chosen in three dimensions, those within 0.05 of a face."""
    domain = ew.Box.unit(3)
    x = domain.sample(40, stream(seed, DESIGN))
    configuration, cache = prepare(domain, name, seed, response_scale=np.array([1.0])), None
    for _ in range(60):
        y = np.zeros((len(x), 1))
        measurements = Measurements(domain, x, y, np.full(y.shape, 0.05), np.empty((0, 3)))
        suggestion, cache = choose(configuration, measurements, 1, cache)
        x = np.vstack([x, suggestion.points])
    chosen = x[40:]
    return np.mean(np.minimum(chosen, 1 - chosen).min(axis=1) < 0.05)


def test_plain_variance_crowds_the_faces_and_the_equalizer_frees_it():
    plain = np.mean([share_near_faces("eig", seed) for seed in range(2)])
    equalized = np.mean([share_near_faces("equalized", seed) for seed in range(2)])
    assert plain > 0.5  # the shell holds 27 % of the volume
    assert equalized < plain / 2


def gramacy_lee(u):
    x = -2 + 8 * u
    return x[:, 0] * np.exp(-(x**2).sum(axis=1))


def summed_error(name, seed, rounds=50):
    """The protocol: 20 noisy points, then one a round; nearest-neighbour error on a fixed test set."""
    domain = ew.Box.unit(2)
    deviation = gramacy_lee(domain.sample(4096, stream(seed, "pilot"))).std()
    test = domain.sample(8192, stream(0, "test"))
    noise = np.random.default_rng(seed)
    x = domain.sample(20, stream(seed, DESIGN))
    y = gramacy_lee(x) + 0.05 * deviation * noise.standard_normal(20)
    configuration, cache, total = prepare(domain, name, seed, response_scale=np.array([deviation])), None, 0.0
    for _ in range(rounds):
        sd = np.full((len(x), 1), 0.05 * deviation)
        suggestion, cache = choose(
            configuration, Measurements(domain, x, y[:, None], sd, np.empty((0, 2))), 1, cache
        )
        x = np.vstack([x, suggestion.points])
        y = np.append(y, gramacy_lee(suggestion.points) + 0.05 * deviation * noise.standard_normal(1))
        nearest = cKDTree(x).query(test)[1]
        total += np.mean((gramacy_lee(x)[nearest] - gramacy_lee(test)) ** 2)
    return total


def test_the_full_method_beats_farthest_points_on_gramacy_lee_by_a_quarter():
    reductions = [100 * (1 - summed_error("equiwarp", seed) / summed_error("fps", seed)) for seed in range(3)]
    assert np.mean(reductions) >= 25, reductions
    assert min(reductions) > 0, reductions


@pytest.mark.parametrize("name", ["equiwarp", "warp"])
def test_the_warp_puts_points_where_the_function_varies(name):
    """Gramacy-Lee varies in one quarter of the square and is flat in the others."""
    domain = ew.Box.unit(2)
    x = domain.sample(20, stream(0, DESIGN))
    configuration, cache = prepare(domain, name, 0), None
    for _ in range(30):
        y = gramacy_lee(x)[:, None]
        measurements = Measurements(domain, x, y, np.full(y.shape, 0.01), np.empty((0, 2)))
        suggestion, cache = choose(configuration, measurements, 1, cache)
        x = np.vstack([x, suggestion.points])
    assert np.mean((x[20:] < 0.5).all(axis=1)) > 0.4
