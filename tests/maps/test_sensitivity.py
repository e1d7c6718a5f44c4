"""Which parameters matter: against SciPy's indices on boxes, closed forms and brute force elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import sobol_indices, uniform

import equiwarp as ew
from equiwarp.bench.functions.unseen import ishigami
from equiwarp.domains.followed import settings
from equiwarp.maps.effects import depend, effect_points, effects
from tests.domains.annulus import Annulus


def shares(simplex):
    """Kernel coordinates of a simplex back to shares."""
    corners = simplex.embed(np.array(simplex.lower) + simplex.spare * np.eye(len(simplex.names)))
    centre = corners.mean(axis=0)
    return lambda Z: 1 / len(corners) + (Z - centre) @ np.linalg.pinv(corners - centre)


def test_in_a_box_they_are_those_of_scipy():
    expected = sobol_indices(
        func=lambda u: ishigami(u.T), n=2**14, dists=[uniform()] * 3, rng=np.random.default_rng(0)
    )
    points = effect_points(ew.Box.unit(3), 0)
    found = effects(points, ishigami)
    np.testing.assert_allclose(found.first, expected.first_order, atol=0.02)
    np.testing.assert_allclose(found.total, expected.total_order, atol=0.03)
    for error in (found.first_error, found.total_error):
        assert (error < 0.03).all()


def test_they_are_those_of_the_maps_mean():
    """SciPy's, called on the map itself."""
    box = ew.Box({"a": (0, 4), "b": ew.Parameter(1, 100, scale="log")})
    x = box.sample(40, np.random.default_rng(0))
    u = box.to_cube(x)
    map = ew.build_map(box, x, 3 * u[:, 0] + 2 * u[:, 0] * u[:, 1], noise=0.05)
    expected = sobol_indices(
        func=lambda u: map.predict(box.from_cube(u.T)).mean.T,
        n=1024, dists=[uniform()] * 2, rng=np.random.default_rng(0),
    )  # fmt: skip
    found = map.sensitivity()
    for j, name in enumerate("ab"):
        effect = found.of(name)
        assert effect.first.value == pytest.approx(np.ravel(expected.first_order)[j], abs=0.03)
        assert effect.total.value == pytest.approx(np.ravel(expected.total_order)[j], abs=0.03)
        for share in (effect.first, effect.total):
            assert 0 <= share.low <= share.value <= share.high <= 1


def test_in_a_mixture_a_component_is_varied_against_all_others():
    """f = p1: the variance of a uniform mixture's share is that of Beta(1, 2), and the others follow from it.

    E[p1 | p2] = (1 - p2) / 2, so S_2 = 1/4. With the ratio r = p1 / (p1 + p3) held, uniform and independent
    of p2, p1 = r (1 - p2): T_2 = E[r^2] Var(1 - p2) / Var(p1) = 1/3.
    """
    simplex = ew.Simplex({"a": 0.1, "b": 0.2, "c": 0.0}, total=2)
    found = effects(effect_points(simplex, 0), lambda Z: shares(simplex)(Z)[:, 0])
    np.testing.assert_allclose(found.first, [1, 1 / 4, 1 / 4], atol=0.02)
    np.testing.assert_allclose(found.total, [1, 1 / 3, 1 / 3], atol=0.02)


def test_under_a_constraint_only_what_is_allowed_is_varied():
    """f = x1 on the triangle x1 + x2 <= 1: Var(x1 | x2) = (1 - x2)^2 / 12, E[x1 | x2] = (1 - x2) / 2."""
    triangle = ew.Constrained(ew.Box.unit(2), ["x1 + x2 <= 1"])
    found = effects(effect_points(triangle, 0), lambda Z: Z[:, 0])
    np.testing.assert_allclose(found.first, [1, 1 / 4], atol=0.02)
    np.testing.assert_allclose(found.total, [3 / 4, 0], atol=0.04)
    # Those whose new value was refused do not all draw the same one again: their pairs scattered by 0.037.
    total = [effects(effect_points(triangle, seed), lambda Z: Z[:, 0]).total[0] for seed in range(12)]
    assert np.sqrt(np.mean((np.array(total) - 3 / 4) ** 2)) < 0.02


def test_beyond_directions_a_component_is_varied_against_the_direction_of_the_others():
    """f = x1 x2 on S^3: no component explains any of it alone; x3 scales it by 1 - x3^2, a share of 1/10."""
    found = effects(effect_points(ew.Sphere(3), 0), lambda Z: Z[:, 0] * Z[:, 1])
    np.testing.assert_allclose(found.first, [0, 0, 0, 0], atol=0.02)
    np.testing.assert_allclose(found.total, [1, 1, 1 / 10, 1 / 10], atol=0.03)


def test_of_directions_azimuth_and_elevation_are_varied():
    """f = x1 x2 = cos(elevation)^2 sin(2 azimuth) / 2 has the variance 1/15, its mean at an azimuth 1/18."""
    found = effects(effect_points(ew.Sphere(2), 0), lambda Z: Z[:, 0] * Z[:, 1])
    np.testing.assert_allclose(found.first, [5 / 6, 0], atol=0.02)
    np.testing.assert_allclose(found.total, [1, 1 / 6], atol=0.03)


TURNED = {
    "sphere": (ew.Sphere(2), 0.0),
    "beside": (ew.Product(ew.Sphere(2), ew.Box({"f": (0, 1)})), 1.0),
    "behind": (ew.Product(ew.Box({"f": (0, 1)}), ew.Sphere(2, names=["e", "n", "up"])), 1.0),
}


@pytest.mark.parametrize("name", TURNED)
def test_main_effects_of_directions_are_smooth_curves_along_the_angles(name):
    """2 x3 + x1 has the mean 2 sin(elevation), and pi/4 cos(azimuth): a cosine is pi/4 on average."""
    domain, slope = TURNED[name]
    names, points = settings(domain), effect_points(domain, 0)
    first = 1 if name == "behind" else 0
    other = 0 if name == "behind" else -1  # the column of f, if there is one
    found = effects(points, lambda Z: 2 * Z[:, first + 2] + Z[:, first] + slope * Z[:, other])
    azimuth, elevation = names.index("azimuth"), names.index("elevation")
    turned = np.pi / 4 * np.cos(np.radians(points.centres[azimuth])) + slope / 2
    np.testing.assert_allclose(found.curves[azimuth], turned, atol=0.015)
    raised = 2 * np.sin(np.radians(points.centres[elevation])) + slope / 2
    np.testing.assert_allclose(found.curves[elevation], raised, atol=0.015)
    variance = 4 / 3 + 1 / 3 + slope**2 / 12
    explained = np.array([(np.pi / 4) ** 2 / 2, 4 / 3]) / variance
    np.testing.assert_allclose(found.first[[azimuth, elevation]], explained, atol=0.02)


def test_a_circle_is_one_angle():
    circle, rng = ew.Sphere(1), np.random.default_rng(0)
    x = circle.sample(20, rng)
    found = ew.build_map(circle, x, x[:, 0], 0.01).sensitivity()
    [effect] = found.effects
    assert effect.parameter == "angle"
    assert effect.first.value > 0.95
    np.testing.assert_allclose(effect.curve.mean, np.cos(np.radians(effect.curve.at)), atol=0.05)


def test_where_only_some_directions_are_allowed_angles_are_varied_within_them():
    """f = x3 on the upper half: elevation explains all of it, azimuth nothing."""
    upper = ew.Constrained(ew.Sphere(2), ["x3 >= 0"])
    found = effects(effect_points(upper, 0), lambda Z: Z[:, 2])
    np.testing.assert_allclose(found.first, [0, 1], atol=0.03)
    np.testing.assert_allclose(found.total, [0, 1], atol=0.08)


def test_on_a_list_of_all_combinations_they_are_those_of_the_grid():
    """f = a + ab on {0, ..., 5}^3: sums over the grid give both indices exactly."""
    levels = np.arange(6) / 5
    grid = np.array(np.meshgrid(levels, levels, levels, indexing="ij")).reshape(3, -1).T
    listed = ew.Candidates(grid, ["a", "b", "c"])
    found = effects(effect_points(listed, 0), lambda Z: Z[:, 0] * (1 + Z[:, 1]))
    cube = (grid[:, 0] * (1 + grid[:, 1])).reshape(6, 6, 6)
    first = [cube.mean(axis=tuple(k for k in range(3) if k != j)).var() / cube.var() for j in range(3)]
    np.testing.assert_allclose(found.first, first, atol=0.03)
    assert found.total[0] > 0.9
    assert found.total[2] == 0
    assert found.total[1] == pytest.approx(cube.var(axis=1).mean() / cube.var(), abs=0.1)


@pytest.mark.parametrize("beside", [False, True])
def test_on_a_list_a_parameter_of_few_values_explains_no_more_than_on_the_grid(beside):
    """The pair of a row has another value; a value drawn anew would often be the same."""
    sizes = (2, 2, 6)
    rows = np.stack(np.meshgrid(*map(np.arange, sizes)), axis=-1).reshape(-1, 3).astype(float)
    listed = ew.Candidates(dict(zip("pqr", rows.T.tolist(), strict=True)))
    domain = ew.Product(listed, ew.Box({"z": (0, 1)})) if beside else listed
    weights = np.array([1.0, 1.0, 0.2])
    variances = weights**2 * (np.square(sizes) - 1) / 12
    total = [
        effects(effect_points(domain, seed, place=lambda x: x), lambda x: x[:, :3] @ weights).total[:3]
        for seed in range(40 if domain is listed else 4)
    ]
    np.testing.assert_allclose(np.mean(total, axis=0), variances / variances.sum(), rtol=0.1)


def test_beside_a_list_its_columns_explain_what_they_do_on_the_list():
    rng = np.random.default_rng(0)
    listed = ew.Candidates({"a": rng.random(24).tolist(), "b": rng.random(24).tolist()})
    beside = ew.Product(listed, ew.Box({"z": (0, 1)}))
    alone = effects(effect_points(listed, 0, place=lambda x: x), lambda x: x[:, 0])
    for domain in (beside, ew.Constrained(beside, "a + z < 1.9")):
        both = effects(effect_points(domain, 0, place=lambda x: x), lambda x: x[:, 0] + 0.2 * x[:, 2])
        assert both.total[0] > 0.8 * alone.total[0]
        assert both.total[1] < 0.1


@pytest.mark.parametrize("n", [2, 3, 5, 9, 40])
def test_short_lists_and_rare_settings_are_no_trouble(n):
    """One entry alone has a = 1; left out, it takes its bin with it."""
    listed = ew.Candidates(np.column_stack([np.arange(n) == n // 2, np.arange(n) / 7]), ["a", "b"])
    found = effects(effect_points(listed, 0), lambda Z: 3 * Z[:, 1])
    for share in (found.first, found.total):
        assert ((share >= 0) & (share <= 1)).all()
    for error in (found.first_error, found.total_error, *found.curve_errors):
        assert np.isfinite(error).all()
    if n == 40:
        assert found.first[0] + 2 * found.first_error[0] < 0.2
        assert found.first[1] > 0.95


def test_the_main_effect_is_the_mean_over_the_others():
    box = ew.Box({"a": (0, 2), "b": (0, 1)})
    points = effect_points(box, 0)
    [curve, flat] = effects(points, lambda Z: np.sin(3 * Z[:, 0]) + Z[:, 1]).curves
    np.testing.assert_allclose(curve, np.sin(3 * points.centres[0] / 2) + 0.5, atol=0.02)
    middle = np.mean(np.sin(3 * (np.arange(2000) + 0.5) / 2000))
    np.testing.assert_allclose(flat, middle + points.centres[1], atol=0.05)


def test_a_constant_map_has_no_effects():
    found = effects(effect_points(ew.Box.unit(2), 0), lambda Z: np.full(len(Z), 7.0))
    assert not found.first.any()
    assert not found.total.any()


@pytest.mark.parametrize("unit", [1e-12, 1e-100, 1e12])
def test_the_unit_of_a_response_is_no_matter(unit):
    box = ew.Box.unit(3)
    x = box.sample(25, np.random.default_rng(0))
    y = np.sin(3 * x[:, 0]) + x[:, 1]
    plain = ew.build_map(box, x, y, noise=0.05).sensitivity()
    other = ew.build_map(box, x, unit * y, noise=0.05 * unit).sensitivity()
    for ours, theirs in zip(plain.effects, other.effects, strict=True):
        np.testing.assert_allclose(theirs.first, ours.first, atol=1e-3)
        np.testing.assert_allclose(theirs.total, ours.total, atol=1e-3)
        np.testing.assert_allclose(theirs.curve.mean / unit, ours.curve.mean, atol=1e-3)
    assert other.of("x1").total.value > 0.4


@pytest.mark.parametrize("value", [0.0, 7e-200, -3e150])
def test_values_that_differ_by_rounding_only_have_no_effects(value):
    found = effects(effect_points(ew.Box.unit(2), 0), lambda Z: value * (1 + 1e-15 * Z[:, 0]))
    for share in (found.first, found.total, found.first_error, found.total_error):
        assert not share.any()
    np.testing.assert_allclose(found.curves, np.full((2, 32), value))


SIMPLEX = ew.Simplex(["a", "b", "c"])
TRIANGLE = ew.Constrained(ew.Box.unit(2), ["x1 + x2 <= 1"])
#: Domains, functions of kernel coordinates and their first-order indices.
KNOWN = {
    "x1": (ew.Box.unit(3), lambda Z: Z[:, 0], [1, 0, 0]),
    "x1 + x2": (ew.Box.unit(3), lambda Z: Z[:, 0] + Z[:, 1], [1 / 2, 1 / 2, 0]),
    "Ishigami": (ew.Box.unit(3), ishigami, [0.31391, 0.44241, 0]),
    "mixture": (SIMPLEX, lambda Z: shares(SIMPLEX)(Z)[:, 0], [1, 1 / 4, 1 / 4]),
    "triangle": (TRIANGLE, lambda Z: Z[:, 0], [1, 1 / 4]),
}


@pytest.mark.parametrize("name", KNOWN)
def test_the_error_of_the_sample_is_what_indices_scatter_by(name):
    domain, function, truth = KNOWN[name]
    found = [effects(effect_points(domain, seed), function) for seed in range(12)]
    for kind in ("first", "total"):
        scatter = np.sqrt(np.mean(np.var([getattr(e, kind) for e in found], axis=0, ddof=1)))
        claimed = np.sqrt(np.mean([getattr(e, f"{kind}_error") ** 2 for e in found]))
        assert claimed <= 4 * scatter + 2e-3
        assert scatter <= 4 * claimed + 2e-3
    np.testing.assert_allclose(np.mean([e.first for e in found], axis=0), truth, atol=4e-3)


def test_a_column_of_a_list_explains_nothing_by_chance():
    """The means of 32 bins of 31 rows each scatter, which is 3 % of the variance."""
    for seed in range(4):
        listed = ew.Candidates(np.random.default_rng(seed).random((1000, 3)), ["a", "b", "c"])
        found = effects(effect_points(listed, seed), lambda Z: Z[:, 0])
        assert found.first[0] > 0.99
        assert (found.first[1:] < 3 * found.first_error[1:]).all()
        assert found.first[1:].mean() < 0.015


@pytest.mark.parametrize("component", [0, 1, 2])
def test_the_band_of_a_main_effect_holds_the_truth_in_a_mixture(component):
    """y = w / 10: given another component, what it leaves is divided evenly between w and the third."""
    mix = ew.Simplex({"w": 20, "e": 0, "g": 10}, total=100)
    x = mix.sample(30, np.random.default_rng(0))
    curve = ew.build_map(mix, x, x[:, 0] / 10, noise=0.01).sensitivity().effects[component].curve
    rest = mix.spare - (curve.at - mix.lower[component])
    truth = curve.at / 10 if component == 0 else (20 + rest / 2) / 10
    assert np.mean((curve.low - 1e-3 <= truth) & (truth <= curve.high + 1e-3)) > 0.8
    assert np.mean(curve.high - curve.low) < 0.4


def test_the_interval_holds_the_truth_where_the_map_is_poor():
    """Few values of an additive function, whose indices are known: 1/5 and 4/5 of the variance."""
    box, held = ew.Box.unit(2), []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x = box.sample(12, rng)
        y = np.cos(np.pi * x[:, 0]) + 2 * np.cos(np.pi * x[:, 1]) + 0.3 * rng.standard_normal(12)
        found = ew.build_map(box, x, y, 0.3, seed=seed).sensitivity()
        held += [found.of(n).first.low <= s <= found.of(n).first.high for n, s in (("x1", 0.2), ("x2", 0.8))]
        assert found.of("x2").total.value > found.of("x1").total.value
        curve = found.of("x2").curve
        truth = 2 * np.cos(np.pi * curve.at)
        assert np.mean((curve.low <= truth) & (truth <= curve.high)) > 0.5
    assert sum(held) >= 9


def test_it_can_be_read_and_put_into_a_table():
    box = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
    x = box.sample(20, np.random.default_rng(0))
    y = np.column_stack([x[:, 0], x[:, 1]])
    found = ew.build_map(box, x, y, 0.1, responses=["yield", "cost"]).sensitivity()
    lines = str(found).splitlines()
    assert lines[0] == "yield: share of the map's variance, with 95 % intervals"
    assert [line.split()[0] for line in (lines[2], lines[3], lines[6], lines[7])] == [
        "temperature", "pH", "pH", "temperature",
    ]  # fmt: skip
    assert found.of("pH", "cost").total.value > 0.9
    table = found.table()
    assert table["parameter"] == ["temperature", "pH"] * 2
    assert len(table["total_high"]) == 4
    assert "<table>" in found._repr_html_()
    with pytest.raises(ew.InvalidInput, match="there is no 'ph'; did you mean 'pH'"):
        found.of("ph")


GRID = [[a, b] for a in (1.0, 2.0, 3.0) for b in (1.0, 2.0)]


@pytest.mark.parametrize(
    ("domain", "dependent"),
    [
        (ew.Box({"t": (20, 90), "angle": ew.Parameter(0, 360, periodic=True), "s": ["oil", "water"]}), False),
        (ew.Box({"t": ew.Parameter(20, 90, step=5), "c": ew.Parameter(0.01, 10, scale="log")}), False),
        (ew.Sphere(2), False),
        (ew.Product(ew.Sphere(2), ew.Box({"t": (0, 1)})), False),
        (ew.Candidates(GRID, ["a", "b"]), False),
        (ew.Candidates(GRID[:-1], ["a", "b"]), True),
        (ew.Simplex({"a": 0, "b": 0, "c": 0}), True),
        (ew.Product(ew.Simplex({"a": 0, "b": 0, "c": 0}), ew.Box({"t": (0, 1)})), True),
        (ew.Constrained(ew.Box.unit(2), ["x1 + x2 <= 1.9"]), True),
        (Annulus(1.0, 2.0), True),
    ],
)
def test_parameters_depend_on_each_other_in_mixtures_on_lists_and_under_constraints(domain, dependent):
    assert depend(domain, 0) is dependent


def test_it_is_said_where_shares_overlap():
    simplex = ew.Simplex({"a": 0, "b": 0, "c": 0})
    x = simplex.sample(20, np.random.default_rng(0))
    found = ew.build_map(simplex, x, x[:, 0], 0.01, responses=["yield"]).sensitivity()
    assert sum(e.first.value for e in found.effects) > 1.2
    assert str(found).splitlines()[-1] == found.note
    assert "may add up to more than 1" in found._repr_html_()
    box = ew.build_map(ew.Box.unit(2), x[:, :2], x[:, 0], 0.01).sensitivity()
    assert box.note == ""
    assert "add up" not in str(box)


def test_a_response_that_was_measured_seldom_has_a_band():
    """Its values may be left out together; without any, nothing is predicted."""
    box = ew.Box.unit(2)
    x = box.sample(20, np.random.default_rng(0))
    seldom = np.full(20, np.nan)
    seldom[[4, 5]] = 1.0, 2.0
    both = ew.build_map(box, x, np.column_stack([x[:, 0], seldom]), 0.01, models="matern")
    curve = both.sensitivity().of("x1", "value2").curve
    assert np.isfinite(curve.low).all()
    assert (curve.low < curve.high).all()


def test_large_maps_are_not_fitted_again(monkeypatch):
    """Then an interval has the error of the sample only, and so has a band."""
    monkeypatch.setattr("equiwarp.maps.sensitivity.MOST_REFITTED", 15)
    box = ew.Box.unit(2)
    x = box.sample(16, np.random.default_rng(0))
    effect = ew.build_map(box, x, x[:, 0], 0.1).sensitivity().of("x1")
    assert 0 < np.max(effect.curve.high - effect.curve.low) < 0.01
    assert effect.first.high - effect.first.low < 0.15


def test_a_domain_of_ones_own_needs_to_say_nothing():
    """A column is changed alone as far as it stays inside; where it cannot, a near point is the pair."""
    ring = Annulus(1.0, 2.0)
    found = effects(effect_points(ring, 0), lambda Z: Z[:, 0])
    assert found.first[0] > 0.95
    assert 0.3 < found.total[0] <= 1
    assert found.total[1] == 0
    found = effects(effect_points(Thin(), 0), lambda Z: Z[:, 0])
    assert 0.2 < found.total[0] <= 1


class Thin(ew.Sphere):
    """A circle that does not say how one of its columns is changed."""

    with_column = ew.Domain.with_column

    def __init__(self) -> None:
        super().__init__(1)
