"""Profiles show what the map predicts along each axis; shares are drawn as they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.domains.followed import apart_along, followed
from equiwarp.maps.sensitivity import Interval, MainEffect, ParameterEffect, Sensitivity
from equiwarp.plotting.profile_figures import profile_figure, sensitivity_figure
from equiwarp.plotting.profiles import profile_along, profiles_of, setting_at
from equiwarp.plotting.style import image_file

BOX = ew.Box({"a": (0, 10), "b": {"low": 1, "high": 100, "scale": "log"}, "c": {"levels": [1, 2, 5]}})
MIX = ew.Simplex({"resin": 20, "water": 0, "pigment": 10}, total=100)


def map_of(domain, value, n=25):
    x = domain.sample(n, np.random.default_rng(1))
    return ew.build_map(domain, x, value(x), noise=0.1)


@pytest.fixture(scope="module")
def fitted():
    return map_of(BOX, lambda x: x[:, 0] + np.log(x[:, 1]))


def test_a_profile_runs_along_its_axis_with_the_others_held():
    profile = profile_along(BOX, "b", {"a": 2.5, "c": 99})
    np.testing.assert_allclose(profile.grid, np.geomspace(1, 100, 101))
    np.testing.assert_array_equal(profile.points[:, 1], profile.grid)
    assert set(profile.points[:, 0]) == {2.5}
    assert profile.at == {"a": 2.5, "c": 5.0}  # held within its bounds
    assert profile.inside.all()
    np.testing.assert_array_equal(profile_along(BOX, "c").grid, [1, 2, 5])


def test_in_a_mixture_the_others_keep_their_proportions_and_the_sum_its_total():
    profile = profile_along(MIX, "water", {"resin": 40, "pigment": 20})
    assert profile.inside.all()
    np.testing.assert_allclose(profile.points.sum(axis=1), 100)
    beyond = profile.points[:-1] - [20, 0, 10]
    np.testing.assert_allclose(beyond[:, 0] / beyond[:, 2], 2.0)
    np.testing.assert_allclose(profile.points[-1], [20, 70, 10], atol=1e-9)


def test_outside_a_constraint_there_is_no_curve(fitted):
    domain = ew.Constrained(ew.Box.unit(2), ["x1 + x2 <= 1.2"])
    profile = profile_along(domain, "x1", {"x2": 0.5})
    np.testing.assert_array_equal(profile.inside, profile.grid <= 0.7 + 1e-9)
    figure = profile_figure(map_of(domain, lambda x: x[:, 0]), 0, "y", ["x1"], {"x2": 0.5})
    drawn = figure.axes[0].lines[0].get_ydata()
    np.testing.assert_array_equal(np.isfinite(drawn), profile.inside)


PROBE = ew.Product(ew.Box({"f": (1, 10)}), ew.Sphere(2), ew.Box({"azimuth": (0, 1)}))


def test_a_direction_is_followed_along_its_two_angles():
    around = profile_along(ew.Sphere(2), "azimuth", {"elevation": 60})
    np.testing.assert_allclose(around.points[:, 2], np.sqrt(3) / 2)
    np.testing.assert_allclose(np.hypot(around.points[:, 0], around.points[:, 1]), 0.5)
    np.testing.assert_allclose(around.points[0], around.points[-1], atol=1e-12)  # once around
    up = profile_along(PROBE, "elevation", {"azimuth of the direction": 90, "f": 4})
    np.testing.assert_allclose(up.points[[0, 50, 100], 1:4], [[0, 0, -1], [0, 1, 0], [0, 0, 1]], atol=1e-12)
    assert set(up.points[:, 0]) == {4.0}
    assert [axis.name for axis in followed(PROBE).axes] == [
        "f",
        "azimuth of the direction",
        "elevation",
        "azimuth",
    ]


def test_the_setting_of_a_direction_keeps_its_azimuth_at_the_pole():
    map = map_of(ew.Sphere(2), lambda x: x[:, 0] + x[:, 2], 12)
    found = profiles_of(map, {"azimuth": 70.0, "elevation": 90.0})
    assert found.setting == pytest.approx({"azimuth": 70.0, "elevation": 90.0})
    np.testing.assert_allclose(found.point, [0, 0, 1], atol=1e-12)
    assert [len(curve.mean) for curve in found.curves] == [101, 101]
    figure = profile_figure(map, 0, "gain", at=found.setting)
    assert [panel.get_xlabel() for panel in figure.axes[:2]] == ["azimuth (°)", "elevation (°)"]


def test_measurements_are_as_far_from_a_profile_as_their_direction_turns():
    x = np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    at = {"azimuth": 0.0, "elevation": 0.0}
    level = apart_along(ew.Sphere(2), x, "azimuth", at)
    np.testing.assert_allclose(level, [0, 0.5, 0, 0], atol=1e-9)
    # The pole belongs to every meridian; the back lies half a turn away.
    np.testing.assert_allclose(apart_along(ew.Sphere(2), x, "elevation", at), [0, 0, 0.5, 1], atol=1e-9)
    both = np.column_stack([[1.0, 1, 10, 1], x, np.zeros(4)])
    far = apart_along(PROBE, both, "azimuth", {"f": 1.0, "azimuth of the direction": 0.0, "elevation": 0.0})
    np.testing.assert_allclose(far, [0, 0.5, 1, 1], atol=1e-9)


def test_what_has_no_axes_is_refused_with_what_to_plot_instead():
    domain = ew.Candidates(np.random.default_rng(0).random((9, 2)))
    with pytest.raises(ew.exceptions.InvalidInput, match="plot the map instead"):
        profile_figure(map_of(domain, lambda x: x[:, 0], 9), 0, "y")
    with pytest.raises(ew.exceptions.InvalidInput, match="there is no axis 'z'; choose from a, b, c"):
        profile_along(BOX, "z")


def test_the_figure_shows_the_prediction_in_panels_of_one_scale(fitted):
    figure = profile_figure(fitted, 0, "yield")
    panels = figure.axes[:3]
    assert [panel.get_xlabel() for panel in panels] == ["a", "b", "c"]
    assert len({panel.get_ylim() for panel in panels}) == 1
    curve = panels[0].lines[0]
    np.testing.assert_array_equal(curve.get_xdata(), np.linspace(0, 10, 101))
    mean = fitted.predict(profile_along(BOX, "a").points).mean[:, 0]
    np.testing.assert_allclose(curve.get_ydata(), mean)
    dots = panels[0].collections[-1]
    np.testing.assert_allclose(
        np.asarray(dots.get_offsets()), np.column_stack([fitted.x[:, 0], fitted.y[:, 0]])
    )
    near = np.abs(np.log10(fitted.x[:, 1]) / 2 - 0.5) + np.abs(fitted.x[:, 2] - 2)
    alphas = dots.get_facecolors()[:, 3]
    assert alphas[np.argmin(near)] > alphas[np.argmax(near)]
    assert figure.get_suptitle() == (
        "each along one axis, the others at a = 5, b = 10, c = 2; bands are two standard deviations"
    )
    assert profile_figure(fitted, 0, "yield", ["b"]).get_suptitle().startswith("at a = 5, c = 2; ")
    assert replace(BOX.view().axis("a"), unit="min").text(5) == "5 min"  # held values have their unit


def test_a_figure_of_shares_says_where_they_overlap():
    curve = MainEffect(*np.zeros((4, 3)))
    one = ParameterEffect("yield", "pH", Interval(0.1, 0.0, 0.2), Interval(0.2, 0.1, 0.3), curve)
    for dependent in (False, True):
        (axes,) = sensitivity_figure(Sensitivity((one,), dependent), "yield").axes
        assert ("shares alone overlap" in axes.get_xlabel()) is dependent


def test_shares_are_drawn_as_they_are_the_most_important_on_top():
    curve = MainEffect(*np.zeros((4, 3)))
    effects = [
        ParameterEffect("yield", "pH", Interval(0.1, 0.0, 0.2), Interval(0.2, 0.1, 0.3), curve),
        ParameterEffect("yield", "time", Interval(0.5, 0.4, 0.7), Interval(0.6, 0.5, 0.8), curve),
        ParameterEffect("cost", "pH", Interval(1.0, 0.9, 1.0), Interval(1.0, 0.9, 1.0), curve),
    ]
    (axes,) = sensitivity_figure(Sensitivity(tuple(effects)), "yield").axes
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["pH", "time"]  # from below
    assert [bar.get_width() for bar in axes.patches] == [0.1, 0.5, 0.2, 0.6]
    ends = [segment[:, 0].tolist() for lines in axes.collections for segment in lines.get_segments()]
    assert ends == [pytest.approx(e) for e in ([0.0, 0.2], [0.4, 0.7], [0.1, 0.3], [0.5, 0.8])]
    assert axes.get_xlim() == (0.0, 1.0)
    assert axes.get_xlabel() == "share of the variance of yield"  # a share has no unit


@pytest.mark.parametrize(("form", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_a_file_is_what_its_name_says(fitted, form, start):
    data = image_file(profile_figure(fitted, 0, "y", ["c"]), form)
    assert data.startswith(start)


def test_all_profiles_run_through_the_setting(fitted):
    found = profiles_of(fitted, {"a": 2.5, "b": 30.0, "c": 4.0})
    assert found.setting == {"a": 2.5, "b": 30.0, "c": 5.0}  # the nearest that can be set
    said = fitted.predict([[2.5, 30.0, 5.0]])
    np.testing.assert_allclose(found.here.mean, said.mean)
    np.testing.assert_allclose(found.here.deviation, said.deviation)
    for curve, axis in zip(found.curves, BOX.view().axes, strict=True):
        alone = fitted.predict(profile_along(BOX, axis.name, found.setting).points)
        np.testing.assert_allclose(curve.mean, alone.mean)
        np.testing.assert_allclose(curve.deviation, alone.deviation)


def test_what_is_moved_in_a_mixture_is_where_it_was_put_and_the_others_make_room():
    at = {"resin": 40.0, "water": 40.0, "pigment": 20.0}
    np.testing.assert_allclose(setting_at(MIX, at), [40, 40, 20])
    moved = setting_at(MIX, {**at, "water": 10.0}, "water")
    np.testing.assert_allclose(moved.sum(), 100)
    assert moved[1] == 10.0
    np.testing.assert_allclose((moved[0] - 20) / (moved[2] - 10), 2.0)


def test_parts_of_a_mixture_that_are_not_given_share_what_the_others_leave():
    np.testing.assert_allclose(setting_at(MIX, {"pigment": 45.0}), [20 + 35 / 2, 35 / 2, 45])
    np.testing.assert_allclose(setting_at(MIX, {"water": 30.0, "pigment": 25.0}), [45, 30, 25])
    with pytest.raises(ew.EquiwarpError, match=r"water = 50, pigment = 45: that leaves too little for resin"):
        setting_at(MIX, {"water": 50.0, "pigment": 45.0})


def test_a_middle_that_is_not_allowed_gives_way_to_a_measurement():
    domain = ew.Constrained(ew.Box.unit(2), ["x1 + x2 <= 0.8"])
    fitted = map_of(domain, lambda x: x[:, 0], 9)
    found = profiles_of(fitted)
    away = np.linalg.norm(fitted.x - 0.5, axis=1)
    np.testing.assert_array_equal(found.point, fitted.x[np.argmin(away)])
    outside = profiles_of(fitted, {"x1": 0.9, "x2": 0.9})
    assert outside.here is None
    assert np.isnan(outside.curves[0].mean).all()
