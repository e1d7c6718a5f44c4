"""The map in each category beside each other: one scale, each with its own measurements."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.plotting.category_figures import MOST_PANELS, category_axis, category_figure
from tests.faces.test_cli_campaign import Shell

SOLVENTS = ["water", "oil", "wax", "tar"]


def mapped(box, count=24):
    x = box.sample(count, np.random.default_rng(0))
    solvent = list(box.names).index("solvent")
    y = x[:, 1 if solvent == 0 else 0] + 10 * x[:, solvent]
    return ew.build_map(box, x, y, noise=0.05)


def titles(figure):
    return [axes.get_title(loc="left") for axes in figure.axes if axes.get_title(loc="left")]


def test_two_numbers_make_a_plane_for_each_category_on_one_scale():
    found = mapped(ew.Box({"heat": (0, 1), "flow": (0, 1), "solvent": SOLVENTS}))
    figure = category_figure(found, 0, "gloss", category_axis(found.domain))
    assert titles(figure) == SOLVENTS
    planes = [axes for axes in figure.axes if axes.get_title(loc="left")]
    limits = {axes.collections[0].get_clim() for axes in planes}
    assert len(limits) == 1
    low, high = limits.pop()
    assert low < 2
    assert high > 28
    for k, axes in enumerate(planes):  # the points of this category and no others
        drawn = axes.collections[1].get_offsets()
        here = found.x[found.x[:, 2] == k, :2]
        np.testing.assert_allclose(np.sort(drawn, axis=0), np.sort(here, axis=0))


@pytest.mark.parametrize("names", [("heat", "solvent"), ("solvent", "heat")])
def test_one_number_makes_a_curve_for_each_category_on_one_scale(names):
    parts = {"heat": (0, 1), "solvent": SOLVENTS}
    found = mapped(ew.Box({name: parts[name] for name in names}), 16)
    figure = category_figure(found, 0, "gloss", category_axis(found.domain))
    assert titles(figure) == SOLVENTS
    curves = [axes.lines[0].get_ydata() for axes in figure.axes[:4]]
    for k, curve in enumerate(curves):
        assert np.mean(curve) == pytest.approx(10 * k + 0.5, abs=1.5)
    assert len({axes.get_ylim() for axes in figure.axes[:4]}) == 1
    assert sum(len(axes.lines[1].get_xdata()) for axes in figure.axes[:4]) == 16


def test_more_categories_than_a_figure_has_room_for_are_said():
    box = ew.Box({"heat": (0, 1), "solvent": [f"lot {i}" for i in range(30)]})
    figure = category_figure(mapped(box, 40), 0, "gloss", category_axis(box))
    assert len(titles(figure)) == MOST_PANELS
    assert "18 more are not drawn" in figure.get_suptitle()


def test_a_globe_and_a_triangle_have_one_for_each_category():
    for part in (ew.Sphere(2), ew.Simplex(["a", "b", "c"])):
        box = ew.Product(part, ew.Box({"solvent": SOLVENTS[:2]}))
        figure = category_figure(mapped(box), 0, "gloss", category_axis(box))
        assert titles(figure) == SOLVENTS[:2]


def test_a_domain_without_categories_says_so():
    with pytest.raises(ew.InvalidInput, match="no parameter of this domain is a category"):
        category_axis(ew.Box.unit(2))
    with pytest.raises(ew.InvalidInput, match="'heat' is no category; choose from solvent"):
        category_axis(ew.Box({"heat": (0, 1), "solvent": SOLVENTS}), "heat")


def test_the_shell_draws_categories_and_holds_one_by_its_name(tmp_path, monkeypatch):
    sh = Shell(tmp_path, monkeypatch)
    box = ew.Box({"heat": (0, 1), "flow": (0, 1), "time": (0, 1), "solvent": SOLVENTS})
    with ew.Campaign("c", box, store=tmp_path / "equiwarp.db", noise=0.05, n0=8) as c:
        for e in c.ask(8):
            c.tell(e.id, e.point["heat"])
    drawn = sh("plot", "categories", "--at", "time=0.2", "-o", "categories.svg").output
    assert "Wrote categories.svg" in drawn
    refused = sh("plot", "categories", "--at", "flow=0.2", code=1).output
    assert "the figure runs along solvent, heat, flow" in refused
    sh("plot", "map", "--at", "solvent=wax", "-o", "wax.png")
    assert "did you mean 'wax'?" in sh("plot", "map", "--at", "solvent=wex", code=1).output
