"""Products: every part keeps its geometry, its names, its looks and its plain data."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.exceptions import SpecError
from equiwarp.plotting.slices import cut
from equiwarp.spec import domain_from_dict, domain_to_dict
from tests.cases import DOMAINS
from tests.domains.annulus import Annulus

MIX, HEAT = ew.Simplex({"resin": 0.1, "water": 0.0, "dye": 0.0}), ew.Box({"heat": (20, 60)})
PAINT = ew.Product(MIX, HEAT)
SKY = DOMAINS["direction and dose"]


def test_charts_stand_side_by_side_and_kernel_coordinates_one_after_the_other(rng):
    x = PAINT.sample(50, rng)
    np.testing.assert_array_equal(
        PAINT.to_cube(x), np.hstack([MIX.to_cube(x[:, :3]), HEAT.to_cube(x[:, 3:])])
    )
    np.testing.assert_array_equal(PAINT.embed(x), np.hstack([MIX.embed(x[:, :3]), HEAT.embed(x[:, 3:])]))
    assert PAINT.volume == pytest.approx(MIX.volume * HEAT.volume)
    assert (PAINT.dim, PAINT.continuous, SKY.dim, SKY.continuous) == (3, 3, 4, 3)


def test_a_product_of_boxes_is_a_box_to_the_equalizer():
    flat = ew.Product(ew.Box({"a": (0, 1)}), ew.Box({"b": (0, 1)}))
    assert (flat.symmetry, flat.has_faces) == ("cube", True)
    both = [[0.2, 0.3], [0.8, 0.9], [0.4, 0.7]], [1.0, 2.0, 1.5]
    expected = ew.suggest(ew.Box({"a": (0, 1), "b": (0, 1)}), *both, n=3, noise=0.1)
    np.testing.assert_array_equal(ew.suggest(flat, *both, n=3, noise=0.1).points, expected.points)


def test_the_pole_of_a_sphere_moves_within_a_product(rng):
    x = SKY.sample(64, rng)
    frame = SKY.frame(x, np.where(x[:, 0] > 0, 3.0, 0.1))
    assert frame[0, 0] > 0.8
    np.testing.assert_allclose(frame[:, :3] @ frame[:, :3].T, np.eye(3), atol=1e-12)
    assert np.isnan(frame[:, 3:]).all()
    u = rng.random((32, 4))
    np.testing.assert_allclose(SKY.to_cube(SKY.from_cube(u, frame), frame), u, atol=1e-9)


def test_constraints_are_over_all_of_it(rng):
    domain = ew.Constrained(PAINT, ["water * heat <= 20"])
    x = domain.sample(200, rng)
    assert (x[:, 1] * x[:, 3] <= 20 + 1e-9).all()
    assert domain_from_dict(domain_to_dict(domain)) == domain


def test_a_product_among_the_parts_stands_for_its_parts():
    """Otherwise what was stored could not be read again."""
    nested = ew.Product(PAINT, ew.Box({"kind": ["matt", "gloss"]}))
    assert nested == ew.Product(MIX, HEAT, ew.Box({"kind": ["matt", "gloss"]}))
    assert domain_from_dict(domain_to_dict(nested)) == nested
    data = {"type": "product", "parts": [domain_to_dict(PAINT), domain_to_dict(ew.Box({"b": (0, 1)}))]}
    with pytest.raises(SpecError, match="a part of a product cannot be a product: list its parts here"):
        domain_from_dict(data)


def test_a_list_and_a_box(rng):
    domain = ew.Product(ew.Candidates({"alloy": [1.0, 2.0, 4.0], "grain": [5.0, 5.5, 9.0]}), HEAT)
    x = domain.pool(64, rng)
    assert {tuple(row) for row in x[:, :2].tolist()} == {(1, 5), (2, 5.5), (4, 9)}
    few = ew.Product(domain.parts[0], ew.Box({"n": {"levels": [1, 2]}}))
    assert len(few.pool(64, rng)) == 6


def test_what_stands_for_a_list_and_a_box_has_every_entry_alike(rng):
    """As a list alone does: the map's error does not count what lies between two crowds."""
    crowds = np.vstack([0.02 * rng.random((270, 2)), 1 - 0.02 * rng.random((30, 2))])
    domain = ew.Product(ew.Candidates(crowds, ["p", "q"]), HEAT)
    assert np.mean(domain.sample(2048, np.random.default_rng(0))[:, 0] > 0.5) > 0.4  # space is filled evenly
    x = domain.everywhere(2048, np.random.default_rng(0))
    assert domain.contains(x).all()
    assert np.mean(x[:, 0] > 0.5) == pytest.approx(0.1, abs=0.005)
    shares = np.unique(x[:, 0], return_counts=True)[1] / len(x)
    np.testing.assert_allclose(shares, 1 / 300, atol=2 / 2048)
    heat = domain.to_cube(x)[:, -1]
    assert heat[x[:, 0] > 0.5].mean() == pytest.approx(heat[x[:, 0] < 0.5].mean(), abs=0.03)
    np.testing.assert_array_equal(domain.everywhere(99, np.random.default_rng(0)), x[:99])
    part = ew.Constrained(domain, [f"{HEAT.names[0]} <= {np.median(x[:, 2])}"])
    allowed = part.everywhere(512, np.random.default_rng(0))
    assert part.contains(allowed).all()
    assert np.mean(allowed[:, 0] > 0.5) == pytest.approx(0.1, abs=0.02)


def test_names_that_clash_are_refused():
    with pytest.raises(ew.InvalidInput, match="parts 1 and 2 of the product both have a column 'x1'"):
        ew.Product(ew.Sphere(2), ew.Box.unit(1))
    two = ew.Product(ew.Sphere(2), ew.Sphere(2, names=["a", "b", "c"]))
    assert two.names == ("x1", "x2", "x3", "a", "b", "c")
    assert domain_from_dict(domain_to_dict(two)) == two
    with pytest.raises(ew.InvalidInput, match="3 columns with different names"):
        ew.Sphere(2, names=["a", "b"])
    with pytest.raises(ew.InvalidInput, match="put them around the product"):
        ew.Product(ew.Constrained(MIX, ["water <= 0.5"]), HEAT)
    with pytest.raises(ew.InvalidInput, match="two parts or more, got 1"):
        ew.Product(HEAT)
    with pytest.raises(ew.InvalidType, match="a domain is expected"):
        ew.Product(HEAT, "box")


def test_mistakes_in_the_data_of_a_part_are_found_at_their_place():
    data = domain_to_dict(PAINT)
    data["parts"][1]["parameters"][0]["low"] = "20"
    with pytest.raises(SpecError) as caught:
        domain_from_dict(data)
    assert [p.path for p in caught.value.problems] == ["domain.parts[2].parameters.heat.low"]


def test_a_part_that_only_python_can_describe_is_said():
    domain = ew.Product(Annulus(1.0, 2.0), HEAT)
    assert domain_to_dict(domain)["type"] == "python"
    with pytest.raises(ew.InvalidInput, match="is a domain written in Python"):
        domain_from_dict(domain_to_dict(domain))


def test_a_mixture_and_a_box_are_a_triangle_with_all_else_held():
    slice = cut(PAINT, at={"heat": 30})
    assert slice.view.kind == "ternary"
    assert slice.held == "heat = 30"
    assert (slice.points[slice.inside][:, 3] == 30).all()
    assert PAINT.contains(slice.points[slice.inside]).all()
    assert {axis.name for axis in cut(PAINT, ("heat", "dye")).axes} == {"resin", "water", "dye"}


def test_a_sphere_and_a_box_are_a_globe_with_all_else_held(rng):
    slice = cut(SKY, at={"dose": 5.0, "gas": 1.0})
    assert slice.held == "dose = 5, gas = air"
    assert slice.inside.all()
    x = SKY.sample(8, rng)
    np.testing.assert_allclose(slice.place(x), x[:, :3])
    far = slice.apart(x)
    assert (far[x[:, 4] == 0] == 1).all()  # the other gas


def test_two_spheres_are_seen_in_their_chart():
    two = ew.Product(ew.Sphere(2), ew.Sphere(2, names=["a", "b", "c"]))
    assert two.view().charted
    x = two.sample(5, np.random.default_rng(0))
    np.testing.assert_allclose(two.points_at(two.coordinates(x)), x, atol=1e-9)


def test_one_column_is_set_within_its_part(rng):
    x = PAINT.sample(20, rng)
    moved = PAINT.with_column(x, 1, np.full(20, 0.4))
    np.testing.assert_array_equal(moved[:, :3], MIX.with_column(x[:, :3], 1, np.full(20, 0.4)))
    np.testing.assert_array_equal(moved[:, 3], x[:, 3])
    turned = SKY.with_column(SKY.sample(20, rng), 2, np.full(20, 0.5))
    assert SKY.contains(turned).all()
    held = PAINT.holding(x, {0: 0.5, 3: 40.0})
    assert PAINT.contains(held).all()
    assert (held[:, [0, 3]] == [0.5, 40.0]).all()


def test_each_part_rounds_its_own_settings(rng):
    x = PAINT.sample(20, rng)
    rounded = PAINT.rounded(x)
    np.testing.assert_array_equal(rounded, np.hstack([MIX.rounded(x[:, :3]), HEAT.rounded(x[:, 3:])]))
    assert PAINT.contains(rounded).all()


def test_a_start_leaves_two_thirds_of_few_combinations_for_choosing():
    first = ew.Candidates([[0.1], [0.2], [0.4], [0.5], [0.9]], names=["a"])
    second = ew.Candidates([[1.0], [1.5], [2.0], [3.0], [4.0], [5.0], [7.0]], names=["b"])
    steps = ew.Box({"s": ew.Parameter(0, 3, step=1), "c": ["x", "y", "z"]})
    assert ew.Product(first, second).n0 == 35 // 3
    assert ew.Product(first, steps).n0 == 60 // 3
    assert ew.Product(first, ew.Box({"t": (0, 1)})).n0 == 20
