"""Mixtures, lists and constraints: g knows their edges, the warp works there, and a list has an end."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.engine.algorithm import choose
from equiwarp.engine.measurements import Measurements
from equiwarp.geometry.equalizer import Equalizer
from equiwarp.gp.kernels import Matern52
from tests.cases import DOMAINS, SCATTERED, configuration_of, measurements_of, objection
from tests.checks import assert_new_points

TRIANGLE, SIMPLEX = DOMAINS["triangle"], DOMAINS["mixture"]


@pytest.mark.parametrize("name", ["equiwarp", "sobol", "random"])
def test_a_list_is_used_up_and_then_refused(name):
    domain = ew.Candidates(SCATTERED[:30])
    measurements = measurements_of(domain, n=10)
    suggestion, _ = choose(configuration_of(name, domain), measurements, 20)
    assert_new_points(domain, suggestion.points, 20, measurements.x)
    with pytest.raises(ValueError, match="only 20"):
        choose(configuration_of(name, domain), measurements, 21)


def depth(domain, x):
    """Distance to the nearest edge in kernel coordinates, up to a factor."""
    if domain is SIMPLEX:
        return domain.shares(x).min(axis=1)
    a, b = x[:, 0], x[:, 1] / 2
    return np.minimum(np.minimum(a, b), (1 - a - b) / np.sqrt(2))


@pytest.mark.parametrize("domain", [TRIANGLE, SIMPLEX], ids=["triangle", "simplex"])
@pytest.mark.parametrize("n", [12, 40])
def test_the_equalizer_is_at_most_one_and_falls_towards_the_edges(domain, n):
    configuration = configuration_of("equalized", domain, pool=500)
    g = Equalizer(domain, Matern52(configuration.lengthscale), 0.05, configuration.pool)(n)
    assert (g > 0).all()
    assert (g <= 1).all()
    order = np.argsort(depth(domain, configuration.pool))
    outer, middle, inner = (part.mean() for part in np.array_split(g[order], 3))
    assert outer < middle < inner
    assert inner > 0.85
    assert outer < 0.75 * inner


@pytest.mark.parametrize("domain", [TRIANGLE, SIMPLEX], ids=["triangle", "simplex"])
def test_the_equalizer_keeps_proposals_from_the_edges(domain):
    deep = {}
    for name in ("eig", "equalized"):
        configuration = configuration_of(name, domain, pool=2000)
        suggestion, _ = choose(configuration, measurements_of(domain, n=3), 30)
        deep[name] = np.mean(depth(domain, suggestion.points) > 0.03)
    assert deep["equalized"] > deep["eig"]


@pytest.mark.parametrize("place", ["triangle", "mixture", "candidates", "half sphere"])
def test_the_warp_draws_proposals_to_where_the_values_vary(place):
    domain = DOMAINS[place]
    x = domain.sample(40, np.random.default_rng(2))
    u = domain.to_cube(x)[:, 0]
    y = np.tanh(30 * (u - 0.25))
    steep = {}
    for name in ("equalized", "equiwarp"):
        configuration = configuration_of(name, domain, pool=1000, probes=4096)
        points = choose(configuration, Measurements.of(domain, x, y, 0.01), 25)[0].points
        steep[name] = np.mean(np.abs(domain.to_cube(points)[:, 0] - 0.25) < 0.15)
    assert steep["equiwarp"] >= steep["equalized"] + 0.08


@pytest.mark.parametrize("place", [place for place in DOMAINS if objection("neumann", DOMAINS[place])])
def test_the_neumann_kernel_is_refused_where_there_are_no_faces(place):
    domain = DOMAINS[place]
    with pytest.raises(ValueError, match="reflects at the faces of a box"):
        choose(configuration_of("neumann", domain), measurements_of(domain), 1)


@pytest.mark.parametrize("name", ["equiwarp", "sobol", "random"])
def test_a_campaign_uses_a_list_up_says_so_and_still_forecasts(name, tmp_path):
    campaign = ew.Campaign("list", ew.Candidates(SCATTERED[:14]), store=tmp_path / "a.db", strategy=name)
    seen = {tuple(e.point.values()) for _ in range(7) for e in campaign.ask(2)}
    assert len(seen) == 14
    with pytest.raises(ValueError, match="left"):
        campaign.ask()
    for e in campaign.experiments():
        campaign.tell(e.id, sum(e.point.values()))
    assert campaign.map().forecast(3).shape == (1, 1)
