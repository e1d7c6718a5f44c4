"""One object for a round: what is drawn of it is what the choice rests on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equiwarp.engine.algorithm import choose
from equiwarp.engine.round import Round
from equiwarp.geometry.density import target_density
from equiwarp.gp.acquisition import AcquisitionGP
from equiwarp.gp.success import CAUTION, SuccessModel
from tests.cases import DOMAINS, POOL_CASES, configuration_of, measurements_of


@pytest.mark.parametrize(("name", "place"), POOL_CASES)
def test_the_largest_score_is_the_point_that_is_chosen(name, place):
    domain = DOMAINS[place]
    configuration, measurements = configuration_of(name, domain), measurements_of(domain, pending=2)
    now = Round(configuration, measurements)
    free = np.ones(len(configuration.pool), dtype=bool)
    free[now.taken.rows] = False
    best = int(np.argmax(np.where(free, now.score, -np.inf)))
    suggestion = choose(configuration, measurements)[0]
    reason = suggestion.explain[0]
    np.testing.assert_array_equal(suggestion.points[0], configuration.pool[best])
    assert reason.score == pytest.approx(now.score[best], rel=1e-9)
    assert reason.equalizer == pytest.approx(now.g[best])
    assert reason.stretch == pytest.approx(now.stretch[best])


@pytest.mark.parametrize("place", ["square", "S2"])
def test_mean_and_density_are_those_of_the_unwarped_posterior(place):
    domain = DOMAINS[place]
    configuration, measurements = configuration_of("equiwarp", domain), measurements_of(domain, pending=2)
    now = Round(configuration, measurements)
    Z, P = domain.embed(measurements.x), domain.embed(configuration.pool)
    gp = AcquisitionGP.fit(now.kernel, Z, now.values.y, now.values.noise_var)
    np.testing.assert_allclose(now.mean, gp.mean(P)[:, 0], atol=1e-12)
    along = domain.tangent(P, gp.mean_gradient(P)[:, :, 0])
    np.testing.assert_allclose(now.density, target_density(np.linalg.norm(along, axis=1), domain.dim))


def test_without_an_equalizer_or_a_warp_they_are_one():
    domain = DOMAINS["square"]
    now = Round(configuration_of("eig", domain), measurements_of(domain))
    np.testing.assert_array_equal(now.g, 1.0)
    np.testing.assert_array_equal(now.stretch, 1.0)
    np.testing.assert_array_equal(now.score, now.state.variance)


def test_a_round_computes_each_step_once(monkeypatch):
    domain, fits = DOMAINS["square"], []
    fit = AcquisitionGP.fit
    monkeypatch.setattr(AcquisitionGP, "fit", lambda *data: (fits.append(1), fit(*data))[1])
    now = Round(configuration_of("equiwarp", domain), measurements_of(domain))
    for _ in range(2):
        _ = now.warp, now.state, now.score, now.mean, now.density, now.stretch, now.leave(now.state)
    assert len(fits) == 1


def test_a_failed_place_is_avoided_and_what_is_around_it_counts_by_its_chance_to_work():
    """`map` counts targets by it; for others the place is as if it were pending."""
    domain = DOMAINS["square"]
    known = measurements_of(domain)
    configuration = configuration_of("map", domain)
    lost = configuration.pool[[np.argmin(np.abs(configuration.pool - 0.75).sum(axis=1))]]
    failing = replace(known, failed=lost, avoided=lost)
    plain, now = Round(configuration, known), Round(configuration, failing)
    works = SuccessModel.of(domain, known.x, lost)
    np.testing.assert_array_equal(now.inputs.works, works(configuration.targets))
    np.testing.assert_allclose(now.score, now.criterion * works(configuration.pool) ** CAUTION)
    np.testing.assert_array_equal(now.inputs.x, plain.inputs.x)
    assert len(now.taken.rows) == len(plain.taken.rows) + 1
    share = now.criterion / plain.criterion
    row = int(now.taken.rows[-1])
    assert share[row] == pytest.approx(works(lost)[0], rel=0.2)
    assert share[row] < 0.75
    assert share.max() > 0.85
    other = Round(configuration_of("equalized", domain), failing)
    np.testing.assert_array_equal(other.inputs.x, [*known.x, *lost])
