"""The edge that constraints draw through a picture lies where the constraint holds with equality."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.plotting.edges import beyond_the_edge
from equiwarp.plotting.slices import cut

BOX = ew.Box({"a": (1, 9), "b": {"low": 1, "high": 100, "scale": "log"}, "c": ["x", "y"]})


def area(polygons):
    """By the shoelace formula."""
    corners = [np.array(part + part[:1]) for part in polygons]
    crossed = [p[:-1, 0] * p[1:, 1] - p[1:, 0] * p[:-1, 1] for p in corners]
    return sum(abs(c.sum()) / 2 for c in crossed)


def test_a_straight_edge_is_exact():
    square = ew.Constrained(ew.Box({"a": (0, 1), "b": (0, 1)}), ["a + 2 * b <= 1.3"])
    covered = beyond_the_edge(cut(square))
    # What is allowed: below b = (1.3 - a) / 2, from 0.65 at a = 0 to 0.15 at a = 1.
    assert area(covered) == pytest.approx(1 - 0.4, abs=1e-3)
    places = np.array([place for part in covered for place in part])
    assert np.min(places[:, 0] + 2 * places[:, 1]) > 1.3 - 1e-3
    assert np.sum(np.abs(places[:, 0] + 2 * places[:, 1] - 1.3) < 1e-3) > 90


def test_an_edge_that_leaves_two_corners_of_a_cell_apart_is_covered_on_both_sides():
    ring = ew.Constrained(
        ew.Box({"a": (-1, 1), "b": (-1, 1)}), ["a * a + b * b <= 0.81", "a * a + b * b >= 0.2"]
    )
    assert area(beyond_the_edge(cut(ring))) == pytest.approx(4 - np.pi * 0.81 + np.pi * 0.2, abs=0.01)


def test_a_triangle_is_cut_too():
    cut_off = ew.Constrained(ew.Simplex({"a": 0, "b": 0, "c": 0}), ["c <= 0.5"])
    places = np.array([place for part in beyond_the_edge(cut(cut_off)) for place in part])
    assert np.min(places[:, 1]) == pytest.approx(0.5 * np.sqrt(3) / 2, abs=2e-3)


@pytest.mark.parametrize(
    "domain",
    [
        BOX,
        ew.Constrained(BOX, ["a <= 20"]),
        ew.Constrained(ew.Box({"a": {"levels": [1, 2, 5]}, "b": (0, 1)}), ["a <= 4 + b"]),
        ew.Constrained(ew.Sphere(2), ["x3 >= 0"]),
        ew.Constrained(ew.Sphere(3), ["x3 >= 0"]),
    ],
)
def test_where_nothing_is_cut_or_cells_are_settings_nothing_is_covered(domain):
    assert beyond_the_edge(cut(domain)) == []
