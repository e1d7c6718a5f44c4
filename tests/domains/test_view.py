"""How domains are looked at: every point has a place along the axes, and the way back leads to it."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.domains.view import AXES
from tests.domains.annulus import Annulus

BOX = ew.Box(
    {"a": (0, 1), "dose": {"low": 1, "high": 100, "scale": "log", "unit": "mg"}, "c": {"levels": [1, 2]}}
)
DOMAINS = {
    "line": (ew.Box.unit(1), "line"),
    "box": (BOX, "plane"),
    "two components": (ew.Simplex({"a": 0.1, "b": 0.0}), "line"),
    "mixture": (ew.Simplex({"a": 0.1, "b": 0, "c": 0, "d": 0}, total=100), "ternary"),
    "circle": (ew.Sphere(1), "line"),
    "globe": (ew.Sphere(2), "globe"),
    "S3": (ew.Sphere(3), "plane"),
    "list": (ew.Candidates(np.random.default_rng(0).random((30, 3)) * [1, 10, 0] + [0, 0, 7]), "list"),
    "short list": (ew.Candidates([[1.0], [2.0], [4.0]]), "line"),
    "constrained": (ew.Constrained(BOX, ["a <= 0.5"]), "plane"),
    "half sphere": (ew.Constrained(ew.Sphere(2), ["x3 >= 0"]), "globe"),
    "another's": (Annulus(1, 2), "plane"),
}


@pytest.mark.parametrize("name", DOMAINS)
def test_coordinates_lead_back_to_the_points(name):
    domain, kind = DOMAINS[name]
    view = domain.view()
    assert view.kind == kind
    assert len(view.axes) >= AXES[kind]
    x = domain.sample(min(20, 3 if kind == "line" else 20), np.random.default_rng(1))
    coordinates = domain.coordinates(x)
    np.testing.assert_allclose(domain.points_at(coordinates), x, atol=1e-9)
    for i, axis in enumerate(view.axes):
        assert ((axis.low - 1e-9 <= coordinates[:, i]) & (coordinates[:, i] <= axis.high + 1e-9)).all()
        assert axis.low <= axis.middle <= axis.high


def test_axes_say_what_the_parameters_say():
    a, dose, c = BOX.view().axes
    assert (a.label, dose.label) == ("a", "dose (mg)")
    assert (dose.scale, dose.middle) == ("log", 10.0)
    assert c.settings == (1.0, 2.0)
    many = ew.Box({"x": {"low": 0, "high": 1, "step": 0.01}}).view().axes[0]
    assert many.settings == ()


@pytest.mark.parametrize(
    ("spec", "value", "nearest"),
    [
        ({"low": 0, "high": 10}, 12, 10),
        ({"levels": [1, 2, 5]}, 3.4, 2),
        ({"low": 0, "high": 360, "periodic": True}, 400, 40),
        ({"low": 0, "high": 360, "periodic": True}, -10, 350),
        ({"low": -180, "high": 180, "periodic": True}, 180, 180),
        ({"low": 0, "high": 360, "periodic": True, "step": 90}, 350, 0),
        ({"low": 0, "high": 360, "periodic": True, "step": 90}, 460, 90),
    ],
)
def test_the_nearest_value_of_an_angle_is_nearest_around_its_circle(spec, value, nearest):
    (axis,) = ew.Box({"p": spec}).view().axes
    assert axis.nearest(value) == nearest


def test_columns_that_do_not_vary_are_no_axes():
    domain, _ = DOMAINS["list"]
    assert [axis.name for axis in domain.view().axes] == ["x1", "x2"]
    assert domain.coordinates(domain.points).shape == (30, 2)
    assert (domain.points_at(domain.coordinates(domain.points))[:, 2] == 7).all()


def test_what_a_constrained_domain_is_without_its_constraints():
    domain, _ = DOMAINS["constrained"]
    assert domain.whole is BOX
    assert BOX.whole is BOX
    assert domain.view() == BOX.view()
    assert BOX.has_faces
    assert not domain.has_faces


def test_only_a_list_lists_its_points():
    domain, _ = DOMAINS["list"]
    np.testing.assert_array_equal(domain.listed, domain.points)
    assert all(d.listed is None for d, _ in DOMAINS.values() if not hasattr(d, "points"))


def test_combinations_are_all_points_of_a_grid_or_nothing():
    grid = ew.Box({"a": {"levels": [1, 2, 3]}, "b": {"low": 0, "high": 1, "step": 0.5}})
    assert len(grid.combinations(9)) == len(np.unique(grid.combinations(9), axis=0)) == 9
    assert grid.combinations(8) is None
    assert BOX.combinations(10**6) is None
    assert ew.Sphere(2).combinations(10**6) is None
