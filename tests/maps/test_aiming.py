"""An aim in a map: its error, forecast and stop rule, and what is told of its levels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

import equiwarp as ew
from equiwarp.maps.aiming import drawn

BOX = ew.Box({"a": ew.Parameter(0, 10, unit="mm"), "b": (0, 1)})


def hill(x):
    return 100 * np.exp(-(((x[:, 0] - 4) / 3) ** 2)) + 10 * x[:, 1]


@pytest.fixture(scope="module")
def plain():
    x = BOX.sample(24, np.random.default_rng(1)) * [0.85, 1.0]  # nothing beyond a = 8.5
    return ew.build_map(BOX, x, hill(x), 1.0, models=("matern",), responses={"yield": "%"})


def aimed(plain, **said):
    return ew.build_map(
        BOX, plain.x, plain.y, 1.0, models=("matern",), responses={"yield": "%"}, aim=said, earlier=plain
    )


def test_the_error_is_the_weighted_mean_over_the_domain(plain):
    errors = []
    for said in ({"above": 60}, {"near": 60}, {"weight": "a > 9"}):
        m = aimed(plain, **said)
        x = BOX.sample(2**14, np.random.default_rng(5))
        p = m.predict(x)
        w = m.bound_aim.weights(x, p.mean, p.deviation)
        expected = np.sqrt(np.average(p.deviation[:, 0] ** 2, weights=w))
        assert m.error()[0].value == pytest.approx(expected, rel=0.08)
        assert m.error()[0].correction == plain.error()[0].correction
        errors.append(expected / plain.error()[0].value)
    assert max(errors) > 1.3
    assert min(errors) < 0.9


def test_forecast_and_stop_rule_go_by_the_same_error(plain):
    m = aimed(plain, weight="a > 8")
    error = m.error()[0].value
    assert m.forecast(2)[0, 0] == error
    assert m.stop(ew.StopRule(error=1.01 * error)).stop
    assert not m.stop(ew.StopRule(error=0.99 * error)).stop
    outside = np.flatnonzero(m.judged[:, 0] < 0.8)
    assert len(outside) == 0


def test_points_are_drawn_in_proportion_to_their_weights():
    x = np.arange(8.0)[:, None]
    weights = np.array([0, 1, 2, 0, 3, 0, 0, 2.0])
    found, counts = np.unique(drawn(x, weights), return_counts=True)
    np.testing.assert_array_equal(found, [1, 2, 4, 7])
    np.testing.assert_allclose(counts / counts.sum(), [1 / 8, 2 / 8, 3 / 8, 2 / 8], atol=1e-3)
    assert len(drawn(x, np.zeros(8))) == 8


def test_the_undecided_area_and_the_width_of_a_contour(plain):
    m = aimed(plain, near={"yield": 60})
    (contour,) = m.aimed().contours
    x = BOX.sample(2**14, np.random.default_rng(5))
    p = m.predict(x)
    above = norm.sf((60 - p.mean[:, 0]) / p.deviation[:, 0])
    assert contour.undecided == pytest.approx(np.mean((above > 0.05) & (above < 0.95)), abs=0.01)
    # Where the map crosses the level along a, on lines of our own: deviation over slope.
    widths = []
    for b in np.linspace(0.02, 0.98, 25):
        line = np.column_stack([np.linspace(0, 10, 2001), np.full(2001, b)])
        q = m.predict(line)
        gap = q.mean[:, 0] - 60
        at = np.flatnonzero(np.sign(gap[:-1]) != np.sign(gap[1:]))
        widths += list(q.deviation[at, 0] * 0.005 / np.abs(gap[at + 1] - gap[at]))
    assert contour.within["a"] == pytest.approx(np.median(widths), rel=0.2)
    assert contour.best == "a"
    said = str(m.aimed())
    assert said.startswith("yield near 60 % (")
    assert "the contour yield = 60 % is known to within" in said
    assert " mm along a; " in said
    assert said.endswith("of the area is undecided")


def test_a_level_beyond_all_values_is_a_finding(plain):
    far = aimed(plain, near=300)
    (found,) = [f for f in far.diagnostics() if f.kind == "aim"]
    assert found.response == "yield"
    assert "300 %" in found.sentence
    assert "unit" in found.advice
    assert far.aimed().contours[0].within == {}
    assert not [f for f in aimed(plain, near=60).diagnostics() if f.kind == "aim"]


@pytest.mark.parametrize(
    "domain",
    [
        ew.Simplex({"a": 0, "b": 0, "c": 0}),
        ew.Sphere(2),
        ew.Candidates({"u": [float(i) for i in range(40)]}),
        ew.Box({"angle": ew.Parameter(0, 360, periodic=True), "solvent": ["water", "oil"]}),
        ew.Product(ew.Simplex({"a": 0, "b": 0}), ew.Box({"t": (0, 1)})),
        ew.Constrained(ew.Box({"u": (0, 1), "v": (0, 1)}), ["u + v <= 1"]),
    ],
    ids=lambda domain: type(domain).__name__,
)
def test_an_aim_works_on_every_domain(domain):
    x = domain.sample(16, np.random.default_rng(0))
    y = domain.embed(x)[:, 0]
    aim = {"near": float(np.median(y)), "weight": f"1 + 0 * {domain.names[0]}"}
    m = ew.build_map(domain, x, y, 0.01, models=("matern",), aim=aim)
    assert m.error()[0].value > 0
    assert 0 <= m.aimed().contours[0].undecided <= 1
    assert str(m.aimed())
    assert len(ew.suggest(domain, x, y, 2, "lookahead-gp", noise=0.01, aim=aim)) == 2
    assert ew.Map.without(m, [0]).aim == m.aim


def test_an_aim_at_an_unknown_response_is_refused(plain):
    with pytest.raises(ew.InvalidInput, match="no response 'yeild'; did you mean 'yield'"):
        aimed(plain, near={"yeild": 60})
