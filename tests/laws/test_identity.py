"""An identity warp and an identity equalizer give the plain criterion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equiwarp.engine.algorithm import choose
from equiwarp.geometry.kumaraswamy import KumaraswamyWarp
from equiwarp.geometry.warp import Identity, ReconstructionWarp
from tests.cases import DOMAINS, configuration_of, measurements_of, trajectory
from tests.checks import assert_same_sequence

#: Elsewhere there are edges, and the equalizer is there to do something.
HOMOGENEOUS = [place for place, domain in DOMAINS.items() if domain.symmetry == "homogeneous"]


def constant(domain, x):
    return np.full((len(x), 1), 3.7)


@pytest.mark.parametrize("place", DOMAINS)
@pytest.mark.parametrize(("warped", "plain"), [("equiwarp", "equalized"), ("warp", "eig")])
def test_a_flat_mean_reduces_the_warped_strategy_to_the_plain_one_point_for_point(warped, plain, place):
    domain = DOMAINS[place]
    measurements = measurements_of(domain)
    flat = replace(measurements, y=constant(domain, measurements.x))
    options = {"response_scale": np.array([1.0])}
    assert_same_sequence(
        trajectory(configuration_of(warped, domain, **options), flat, 10, f=constant),
        trajectory(configuration_of(plain, domain, **options), flat, 10, f=constant),
    )


@pytest.mark.parametrize("place", HOMOGENEOUS)
@pytest.mark.parametrize(("equalized", "plain"), [("equalized", "eig"), ("equiwarp", "warp")])
def test_where_every_point_is_like_every_other_the_equalizer_does_nothing(equalized, plain, place):
    domain = DOMAINS[place]
    measurements = measurements_of(domain)
    first = choose(configuration_of(equalized, domain), measurements, 5)[0]
    second = choose(configuration_of(plain, domain), measurements, 5)[0]
    np.testing.assert_array_equal(first.points, second.points)
    assert [e.equalizer for e in first.explain] == [1.0] * 5


@pytest.mark.parametrize("place", DOMAINS)
def test_identity_warps_are_the_embedding(place):
    domain = DOMAINS[place]
    x = domain.sample(200, np.random.default_rng(0))
    ones = np.ones(domain.dim)
    probes = domain.sample(2048, np.random.default_rng(1))
    flat = ReconstructionWarp.of(domain, probes, np.ones(len(probes)))
    for warp in (Identity(domain), flat, KumaraswamyWarp(domain, ones, ones)):
        np.testing.assert_allclose(warp(x), domain.embed(x), atol=1e-8 if warp is not flat else 1e-12)
        np.testing.assert_allclose(warp.stretch(x), 1.0, atol=1e-9)


def test_without_equalizer_or_warp_the_explanation_says_so():
    domain = DOMAINS["square"]
    explanation = choose(configuration_of("eig", domain), measurements_of(domain))[0].explain[0]
    assert explanation.equalizer == explanation.stretch == 1.0
    assert explanation.score == explanation.variance > 0
    full = choose(configuration_of("equiwarp", domain), measurements_of(domain))[0].explain[0]
    assert full.score == pytest.approx(full.variance * full.equalizer)
    assert full.stretch != 1.0
