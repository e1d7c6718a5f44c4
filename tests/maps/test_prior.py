"""Maps that begin with a prior: scale and offset, the difference, and priors that mislead."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.maps.prior import build_prior_map

LINE = ew.Box({"x": (0, 1)})
RNG = np.random.default_rng(0)


def dear(x):
    """Forrester et al. (2007)."""
    return (6 * x[:, 0] - 2) ** 2 * np.sin(12 * x[:, 0] - 4)


def cheap(x):
    return 0.5 * dear(x) + 10 * (x[:, 0] - 0.5) - 5


def wrong(x):
    return 5 * np.cos(40 * x[:, 0])


TEST = np.linspace(0, 1, 200)[:, None]


def missed(known):
    return float(np.sqrt(np.mean((known.predict(TEST).mean[:, 0] - dear(TEST)) ** 2)))


def few(n):
    return LINE.sample(n, np.random.default_rng(1))


def test_a_good_prior_saves_most_of_the_experiments():
    x = few(6)
    known = build_prior_map(LINE, x, dear(x), 0.01, prior=cheap)
    assert known.trust[0] > 0.99
    assert known.scale[0] == pytest.approx(2.0, abs=0.1)  # dear = 2 cheap - 20 (x - 0.5) + 10
    assert missed(known) < 0.02 * missed(known.plain)
    assert known.remarks(["y"])[0].startswith("y = 1.97 prior + 10.9: the prior accounts for 100 %")
    assert known.saved(5) is None  # more than five experiments


def test_an_exact_prior_leaves_nothing_to_learn():
    x = few(5)
    known = build_prior_map(LINE, x, 3 * dear(x) + 7, 0.01, prior=dear)
    assert known.scale[0] == pytest.approx(3.0, rel=0.05)
    truth = 3 * dear(TEST) + 7
    found = known.predict(TEST).mean[:, 0]
    assert np.sqrt(np.mean((found - truth) ** 2)) < 0.1 * truth.std()


def test_a_prior_that_misleads_is_faded_out_and_named():
    x = few(12)
    known = build_prior_map(LINE, x, dear(x), 0.01, prior=wrong)
    assert known.share[0] < 0.05
    assert missed(known) < 1.1 * missed(known.plain)
    assert known.saved(5) == 0
    assert "the prior says nothing of it, or misleads, and is faded out" in known.remarks()[0]
    x = few(24)
    disturbed = build_prior_map(
        LINE, x, dear(x), 0.01, prior=lambda p: dear(p) + 50 * np.sign(np.sin(80 * p[:, 0]))
    )
    assert disturbed.share[0] < 0.1


def test_a_prior_is_believed_until_values_speak_against_it():
    x = few(2)
    known = build_prior_map(LINE, x, dear(x), 0.01, prior=wrong)
    assert known.scale[0] == 1.0
    assert known.trust[0] > 0.5


def test_maps_campaigns_and_functions_are_priors(tmp_path):
    x, wide = few(6), few(40)
    earlier = ew.Campaign("earlier", LINE, store=tmp_path / "a.db")
    earlier.add(wide, cheap(wide))
    by_map = build_prior_map(LINE, x, dear(x), 0.01, prior=earlier.map())
    by_campaign = build_prior_map(LINE, x, dear(x), 0.01, prior=earlier)
    np.testing.assert_allclose(by_map.predict(TEST).mean, by_campaign.predict(TEST).mean, atol=1e-4)
    assert missed(by_map) < 0.5 * missed(by_map.plain)


def test_its_deviation_covers_the_disagreement_of_both_maps():
    x = few(6)
    known = build_prior_map(LINE, x, dear(x), 0.01, prior=cheap)
    mixed = known.predict(TEST)
    with_prior, without = known._both(TEST)
    w = known.trust
    by_hand = w * (with_prior.deviation**2 + (with_prior.mean - mixed.mean) ** 2) + (1 - w) * (
        without.deviation**2 + (without.mean - mixed.mean) ** 2
    )
    np.testing.assert_allclose(mixed.deviation**2, by_hand)
    assert known.error().shape == (1,)


def test_it_chooses_for_the_difference():
    """Where the prior knows all, values say nothing: the choice is the one for constant values."""
    x = few(8)
    known = build_prior_map(LINE, x, dear(x), 0.01, prior=dear)
    chosen = known.suggest(5, seed=3).points
    assert LINE.contains(chosen).all()
    constant = ew.suggest(LINE, x, np.zeros(8), 5, "lookahead-gp", noise=0.01, seed=3).points
    np.testing.assert_allclose(chosen, constant)
    assert not np.allclose(chosen, ew.suggest(LINE, x, dear(x), 5, "lookahead-gp", noise=0.01, seed=3).points)


@pytest.mark.parametrize(
    ("prior", "error", "message"),
    [
        (3, ew.InvalidType, "a map, a campaign or a function"),
        (lambda x: np.full(len(x), np.nan), ew.InvalidInput, "must be finite everywhere"),
        (lambda x: np.zeros((len(x), 2)), ew.InvalidInput, r"shape \(6, 2\) at 6 points"),
    ],
)
def test_what_is_no_prior_is_refused(prior, error, message):
    x = few(6)
    with pytest.raises(error, match=message):
        build_prior_map(LINE, x, dear(x), 0.01, prior=prior)
