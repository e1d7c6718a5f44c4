"""One plotting stack: notebook, live plot and report draw the same slices, and touch nobody's figures."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.plotting import layers, style
from equiwarp.plotting.drawing import draw_errors, draw_map, predicted
from equiwarp.plotting.figures import layers_figure, map_figure
from equiwarp.plotting.layers import layers_of
from equiwarp.plotting.slices import cut
from equiwarp.plotting.upcoming import SHOWN, points_of, upcoming

SOURCES = sorted((Path(__file__).parents[2] / "src" / "equiwarp").rglob("*.py"))
BOX4 = ew.Box(
    {"t": (20, 90), "rate": {"low": 0.01, "high": 1, "scale": "log"}, "c": (0, 1), "g": {"levels": [1, 2, 5]}}
)


def map_of(domain, pending=0):
    x = domain.sample(10 + pending, np.random.default_rng(1))
    return ew.build_map(domain, x[:10], domain.embed(x[:10])[:, 0], noise=0.05, pending=x[10:])


def test_nothing_uses_pyplot():
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = (
                [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            )
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            assert "pyplot" not in " ".join([module, *names]), path


def test_notebook_and_report_show_the_same_values():
    map = map_of(ew.Box.unit(2))
    slice = cut(map.domain)
    _, (axes,) = style.new_figure(1, 1, (4, 3))
    draw_map(axes, map)
    left = map_figure(map, slice, 0, "v").axes[0]
    shown, reported = (one.collections[0].get_array() for one in (axes, left))
    np.testing.assert_array_equal(np.ravel(shown), predicted(map, slice, 0)[0])
    np.testing.assert_array_equal(np.ravel(shown), np.ravel(reported))


def test_a_slice_of_many_parameters_says_where_the_others_are_held():
    _, (axes,) = style.new_figure(1, 1, (4, 3))
    draw_map(axes, map_of(BOX4))
    assert axes.get_title(loc="left") == "at c = 0.5, g = 2"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("t", "rate")
    assert axes.get_yscale() == "log"


def test_what_is_held_is_held_where_the_axis_can_be():
    slice = cut(BOX4, ("t", "c"), {"rate": 7.0, "g": 3.4, "t": 50})
    assert slice.at == {"rate": 1.0, "g": 2.0}
    assert slice.inside.all()
    with pytest.raises(ew.InvalidInput, match="there is no axis 'gg'; choose from t, rate, c, g"):
        cut(BOX4, ("t", "c"), {"gg": 5})


def test_a_curve_has_a_band_the_measurements_and_a_line_for_what_is_pending():
    domain = ew.Box({"dose": {"low": 1, "high": 100, "scale": "log", "unit": "$"}})
    map = map_of(domain, pending=2)
    _, (axes,) = style.new_figure(1, 1, (4, 3))
    draw_map(axes, map)
    curve, measured, *pending = axes.lines
    np.testing.assert_array_equal(curve.get_xdata(), cut(domain).grid[0])
    np.testing.assert_array_equal(measured.get_xdata(), map.x[:, 0])
    assert [line.get_xdata()[0] for line in pending] == map.pending[:, 0].tolist()
    assert axes.get_xlabel() == r"dose (\$)"
    assert axes.get_xscale() == "log"
    (said,) = axes.get_legend().get_texts()
    assert said.get_text() == "band: two standard deviations"


def test_points_of_the_design_have_a_value_of_the_response_that_is_drawn():
    domain = ew.Box.unit(2)
    x = domain.sample(8, np.random.default_rng(0))
    y = np.column_stack([x[:, 0], np.where(np.arange(8) < 3, x[:, 1], np.nan)])
    map = ew.build_map(domain, x, y, noise=0.05)
    for response, drawn in ((0, 8), (1, 3)):
        _, (axes,) = style.new_figure(1, 1, (4, 3))
        draw_map(axes, map, response)
        assert len(axes.collections[-1].get_offsets()) == drawn


@pytest.mark.parametrize(
    ("domain", "inside"),
    [(ew.Constrained(ew.Box.unit(2), ["x1 <= 0.5"]), 0.5), (ew.Constrained(ew.Sphere(2), ["x3 >= 0"]), 0.5)],
    ids=["box", "sphere"],
)
def test_what_is_not_allowed_is_left_blank(domain, inside):
    mean, deviation = predicted(map_of(domain), cut(domain), 0)
    assert np.isfinite(mean).mean() == pytest.approx(inside, abs=0.03)
    np.testing.assert_array_equal(np.isnan(mean), np.isnan(deviation))


def test_a_slice_without_an_allowed_point_is_blank():
    domain = ew.Constrained(BOX4, ["c >= 0.6"])
    mean, _ = predicted(map_of(domain), cut(domain), 0)
    assert np.isnan(mean).all()


def test_the_course_of_the_error_begins_at_zero():
    _, (axes,) = style.new_figure(1, 1, (4, 3))
    draw_errors(axes, [4, 8, 16], [3.0, 2.0, 1.5])
    assert axes.get_ylim()[0] == 0.0
    assert axes.lines[0].get_ydata().tolist() == [3.0, 2.0, 1.5]


@pytest.mark.parametrize("domain", [ew.Box.unit(2), ew.Simplex(["a", "b", "c"])], ids=["box", "mixture"])
def test_the_diamonds_are_what_would_be_handed_out_next(domain, tmp_path):
    """In the figures of a report and in the live plot, which take them from the campaign's own preview."""
    with ew.Campaign("c", domain, noise=0.1, store=tmp_path / "c.db", n0=4) as c:
        for e in c.ask(5):
            c.tell(e.id, float(sum(e.point.values())))
        c.abandon(c.ask(1)[0].id)
        coming = points_of(upcoming(c), domain)
        map, slice = c.map(), cut(domain)
        layered = layers_figure(map, slice, layers_of(map, slice), coming).axes[0]
        _, (plain,) = style.new_figure(1, 1, (4, 3))
        draw_map(plain, map, coming=coming)
        expected = np.array([list(e.point.values()) for e in c.ask(SHOWN)])
    for axes in (layered, plain):
        np.testing.assert_allclose(axes.collections[-1].get_offsets(), slice.place(expected), atol=1e-12)


def test_where_a_list_ends_fewer_are_shown(tmp_path):
    listed = ew.Candidates({"x": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]})
    with ew.Campaign("c", listed, noise=0.1, store=tmp_path / "c.db", n0=2) as c:
        for e in c.ask(4):
            c.tell(e.id, e.point["x"])
        assert len(upcoming(c)) == 2
        c.ask(1)
        assert len(upcoming(c)) == 1
        c.ask(1)
        assert upcoming(c) == []


def test_a_pending_point_counts_in_every_layer_of_the_variance():
    """What is being measured is no longer unknown, and the next choice keeps away from it."""
    box = ew.Box.unit(2)
    x = np.array([[0.1, 0.1], [0.2, 0.8], [0.4, 0.3]])
    slice = cut(box)
    waiting = slice.points[np.argmin(np.linalg.norm(slice.points - [0.8, 0.6], axis=1))]
    at = np.flatnonzero((slice.points == waiting).all(axis=1))[0]
    y = [0.0, 1.0, 0.5]
    free = layers_of(ew.build_map(box, x, y, noise=0.01), slice)
    taken = layers_of(ew.build_map(box, x, y, noise=0.01, pending=[waiting]), slice)
    for name in ("variance", "equalized", "warped"):
        assert getattr(taken, name)[at] < 0.05 * getattr(free, name)[at], name


@pytest.mark.parametrize("domain", [ew.Sphere(2), ew.Sphere(1)], ids=["globe", "circle"])
def test_angles_have_quarters_for_ticks(domain):
    map = map_of(domain)
    axes = map_figure(map, cut(domain), 0, "y").axes[0]
    assert axes.get_xticks().tolist() == [-180, -90, 0, 90, 180]
    assert axes.get_xlim() == (-180, 180)


def test_layers_of_very_many_values_are_those_of_the_nearest(monkeypatch):
    monkeypatch.setattr(layers, "MOST_MEASURED", 20)
    rng = np.random.default_rng(3)
    near, far = (np.column_stack([rng.random((n, 2)), np.full(n, z)]) for n, z in ((20, 0.5), (30, 1.0)))
    box, x = ew.Box.unit(3), np.vstack([far, near])
    y = np.sin(5 * x[:, 0]) + x[:, 1] * x[:, 2]
    slice = cut(box, ("x1", "x2"), cells=9)
    map = ew.build_map(box, x, y, noise=0.01)
    found = layers_of(map, slice)
    expected = layers_of(ew.build_map(box, x[30:], y[30:], noise=0.01), slice)
    for name in ("variance", "equalizer", "stretch", "warped", "score"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9)
    monkeypatch.setattr(layers, "MOST_MEASURED", 50)
    assert not np.allclose(layers_of(map, slice).variance, expected.variance, rtol=1e-3)
