"""The fast path chooses what the plain dense formulas choose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from tests.cases import (
    DENSE_CASES,
    DOMAINS,
    OPEN_LOOP,
    PAPER,
    ask,
    configuration_of,
    extend,
    measurements_of,
    values,
)
from tests.reference.dense import dense_choose, dense_open_loop, dense_score


def tabulated(cache, measurements):
    """g from the tables that the fast path looked up, as the paper does; None without an equalizer."""
    n = measurements.n + len(measurements.pending)
    return None if cache.equalizer is None else cache.equalizer(n)


DENSE = tuple(name for name in PAPER if name not in OPEN_LOOP)


@pytest.mark.parametrize(("name", "place"), DENSE_CASES)
def test_fast_and_dense_paths_choose_the_same_points(name, place):
    domain = DOMAINS[place]
    configuration, measurements, cache = (
        configuration_of(name, domain),
        measurements_of(domain, k=2, pending=2),
        None,
    )
    for _ in range(1 if name == "kumaraswamy" else 3):  # which fits its warp anew in each, slowly
        suggestion, cache = ask(configuration, measurements, 1, cache)
        score = dense_score(configuration, measurements, tabulated(cache, measurements))
        score[configuration.taken(np.vstack([measurements.x, measurements.pending]))] = -np.inf
        best = int(np.argmax(score))
        np.testing.assert_array_equal(suggestion.points[0], configuration.pool[best])
        assert suggestion.explain[0].score == pytest.approx(score[best], rel=1e-6)
        y = np.hstack([values(domain, suggestion.points), values(domain, suggestion.points) ** 2])
        measurements = extend(measurements, suggestion.points, y)


@pytest.mark.parametrize(("name", "place"), DENSE_CASES)
def test_batches_agree_when_the_noise_is_estimated(name, place):
    domain = DOMAINS[place]
    configuration, measurements = (
        configuration_of(name, domain, pool=100),
        measurements_of(domain, noise=None, pending=1),
    )
    fast, cache = ask(configuration, measurements, 2)
    pending = np.vstack([measurements.pending, fast.points[:1]])
    for point, known in zip(fast.points, (measurements, replace(measurements, pending=pending)), strict=True):
        row = dense_choose(configuration, known, tabulated(cache, known))
        np.testing.assert_array_equal(point, configuration.pool[row])


@pytest.mark.parametrize("name", ["sobol", "random"])
@pytest.mark.parametrize("place", DOMAINS)
def test_fixed_sequences_agree(name, place):
    domain = DOMAINS[place]
    configuration, measurements = configuration_of(name, domain), measurements_of(domain, n=5, pending=2)
    np.testing.assert_array_equal(
        choose(configuration, measurements)[0].points[0], dense_open_loop(configuration, measurements)
    )


@pytest.mark.parametrize("name", DENSE)
def test_paths_agree_at_full_size(name):
    """The paper's pool and probes in four dimensions, more points than the laws' small settings."""
    domain = ew.Box.unit(4)
    configuration = prepare(domain, name, 2)
    measurements, cache = measurements_of(domain, n=80), None
    for _ in range(2):
        suggestion, cache = choose(configuration, measurements, 1, cache)
        np.testing.assert_array_equal(
            suggestion.points[0], configuration.pool[dense_choose(configuration, measurements)]
        )
        measurements = extend(measurements, suggestion.points, values(domain, suggestion.points))


def test_the_comparison_would_notice_another_formula():
    domain, measurements = DOMAINS["square"], measurements_of(DOMAINS["square"])
    chosen = {name: dense_choose(configuration_of(name, domain), measurements) for name in DENSE}
    assert len(set(chosen.values())) >= 5, chosen
    configuration = configuration_of("eig", domain)
    wrong = replace(configuration, lengthscale=1.1 * configuration.lengthscale)
    assert not np.allclose(
        dense_score(configuration, measurements), dense_score(wrong, measurements), rtol=1e-3
    )
