"""A detection limit says something of its own value, and nothing of the noise of others."""

import tempfile

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.spec import Response

BOX = ew.Box({"T": (20, 90), "pH": (3, 9)})


def measured(limited=(), noise=None, seed=0):
    """24 points of two responses; the impurity of some is below a limit somewhat above it."""
    store = f"{tempfile.mkdtemp()}/lab.db"
    rng, responses = np.random.default_rng(seed), (Response("yield", "%"), Response("impurity", "ppm"))
    c = ew.Campaign("m", BOX, responses=responses, noise=noise, n0=24, seed=seed, store=store)
    for e in c.ask(24):
        t, p = e.point["T"], e.point["pH"]
        good = 75 * np.exp(-(((t - 58) / 16) ** 2) - ((p - 6.5) / 1.8) ** 2) + 4 + rng.normal()
        bad = 300 * np.exp((t - 50) / 22) + 100 * abs(p - 7) + 5 * rng.normal()
        c.tell(e.id, {"yield": good, "impurity": f"<{bad + 60:.0f}" if e.id in limited else bad})
    return c


@pytest.fixture(scope="module")
def without():
    return measured().map()


@pytest.fixture(scope="module")
def with_one():
    return measured([1]).map()


def test_a_limit_of_one_response_leaves_the_map_of_the_other_as_it_is(without, with_one):
    x = BOX.sample(50, np.random.default_rng(1))
    before, after = without.predict(x), with_one.predict(x)
    assert np.array_equal(before.mean[:, 0], after.mean[:, 0])
    assert np.array_equal(before.deviation[:, 0], after.deviation[:, 0])
    assert with_one.error()[0] == without.error()[0]
    assert with_one.assumed_noise(0) is None


def test_a_limit_is_wider_than_the_plain_values_and_leaves_them_their_noise(without, with_one):
    noise, wide = with_one.error()[1].noise, with_one.assumed_noise(1)
    assert noise == pytest.approx(without.error()[1].noise, rel=0.3)
    [row] = np.flatnonzero(with_one.width[:, 1])
    limit = 2 * with_one.y[row, 1]
    assert wide[row] == pytest.approx(np.hypot(noise, limit / np.sqrt(12)))
    np.testing.assert_allclose(np.delete(wide, row), noise)
    assert with_one.error()[1].value < 2 * without.error()[1].value


def test_nobody_stated_a_noise_where_there_is_a_limit(with_one):
    assert with_one.noise is None
    for some in (with_one, with_one.without([24]), measured(range(1, 24, 2)).map()):
        assert not [f for f in some.diagnostics() if "stated" in f.sentence]


def test_most_values_may_be_limits_or_all(without):
    many = measured(range(1, 16)).map()
    assert many.error()[1].noise < 60  # the limits are 100 and more wide
    every = measured(range(1, 25)).map()
    assert np.isfinite(every.error()[1].value)
    assert every.noise is None
    assert every.error()[0] == without.error()[0]


def test_stated_noise_counts_with_the_limit():
    map = measured([1], noise={"impurity": 5.0}).map()
    [row] = np.flatnonzero(map.width[:, 1])
    assert map.noise[row, 1] == 5.0
    assert map.assumed_noise(1)[row] == pytest.approx(np.hypot(5.0, map.width[row, 1]))
    assert np.isnan(map.noise[:, 0]).all()  # of the other response, nobody stated any


def test_a_map_with_a_limit_is_drawn_again_from_the_same_values(with_one):
    again = with_one.refitted(np.arange(24), with_one.noise)
    np.testing.assert_array_equal(again.width, with_one.width)
    assert again.error()[1].value == pytest.approx(with_one.error()[1].value, rel=0.02)
    assert with_one.forecast(2).shape == (3, 2)
    names = dict(zip(with_one.responses, with_one.units, strict=True))
    drawn = ew.build_map(BOX, with_one.x, with_one.y, responses=names, prior=with_one)
    assert np.isfinite([one.value for one in drawn.error()]).all()


def test_a_limit_that_the_others_contradict_is_not_called_a_value():
    c = measured([])
    far = max(c.experiments(), key=lambda e: e.values["impurity"])
    c.amend(far.id, {"impurity": "<50"})
    [found] = [f for f in c.map().diagnostics() if f.kind == "contradicted"]
    assert found.experiments == (far.id,)
    assert "impurity between 0 ppm and 50 ppm, as a limit says" in found.sentence
