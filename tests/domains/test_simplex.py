"""Mixtures: the chart preserves measure, the embedding is isometric, bounds and totals are kept."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from tests.checks import assert_uniform

THREE = ew.Simplex({"water": 0.2, "ethanol": 0.0, "glycerol": 0.1})
FIVE = ew.Simplex([f"c{i}" for i in range(5)], total=100.0, unit="%")


def dirichlet(domain, n, rng):
    """Uniform mixtures by an independent route: normalised exponentials."""
    p = rng.dirichlet(np.ones(domain.columns), n)
    return np.array(domain.lower) + domain.spare * p


@pytest.mark.parametrize("domain", [THREE, FIVE, ew.Simplex(["a", "b"])], ids=["three", "five", "two"])
def test_the_chart_carries_uniform_mixtures_to_the_uniform_cube(domain, rng):
    assert_uniform(domain.to_cube(dirichlet(domain, 4000, rng)))


@pytest.mark.parametrize("domain", [THREE, FIVE])
def test_chart_and_inverse_undo_each_other(domain, rng):
    x = dirichlet(domain, 200, rng)
    np.testing.assert_allclose(domain.from_cube(domain.to_cube(x)), x, atol=1e-10 * domain.total)
    u = rng.random((200, domain.dim))
    np.testing.assert_allclose(domain.to_cube(domain.from_cube(u)), u, atol=1e-9)


def test_corners_and_edges_survive_the_chart():
    corners = np.array(THREE.lower) + THREE.spare * np.eye(3)
    np.testing.assert_allclose(THREE.from_cube(THREE.to_cube(corners)), corners, atol=1e-12)


@pytest.mark.parametrize("domain", [THREE, FIVE])
def test_the_embedding_is_isometric_up_to_the_scale_of_what_is_shared_out(domain, rng):
    x = dirichlet(domain, 50, rng)
    Z = domain.embed(x)
    assert Z.shape == (50, domain.dim)
    plain = np.linalg.norm(x[:, None] - x[None], axis=2) / domain.spare
    np.testing.assert_allclose(np.linalg.norm(Z[:, None] - Z[None], axis=2), plain, atol=1e-12)


def test_the_volume_is_that_of_the_embedded_simplex():
    # Heron's formula for the triangle with three sides of sqrt(2), and a tetrahedron's determinant.
    assert THREE.volume == pytest.approx(np.sqrt(3) / 2)
    four = ew.Simplex(list("abcd"))
    corners = four.embed(np.eye(4))
    assert four.volume == pytest.approx(abs(np.linalg.det(corners[1:] - corners[0])) / 6)


def test_samples_keep_bounds_and_total(rng):
    x = FIVE.sample(300, rng)
    np.testing.assert_allclose(x.sum(axis=1), 100.0)
    assert THREE.contains(THREE.sample(300, rng)).all()
    assert THREE.sample(300, rng)[:, 0].min() >= 0.2


def test_outside_points_are_named():
    assert "water = 0.1 is below its lower bound 0.2" in THREE.problem(np.array([0.1, 0.5, 0.4]))
    assert "add up to 0.9, not to 1" in THREE.problem(np.array([0.4, 0.3, 0.2]))
    assert THREE.problem(np.array([0.4, 0.3, 0.3])) is None
    np.testing.assert_array_equal(
        THREE.contains(np.array([[0.1, 0.5, 0.4], [0.4, 0.3, 0.2], [0.4, 0.3, 0.3]])), [False, False, True]
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a"],), "at least two components"),
        ((["a", "a"],), "duplicate component name 'a'"),
        ((["a", " "],), "component 2 has an empty name"),
        (({"a": 0.6, "b": 0.4},), "leaves nothing of the total 1"),
        (({"a": -0.1, "b": 0.4},), "component 'a': its lower bound -0.1"),
        (({"a": float("nan"), "b": 0.4},), "component 'a'"),
        ((["a", "b"], 0.0), "must be a positive number"),
    ],
)
def test_impossible_mixtures_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        ew.Simplex(*arguments)


def test_equality_and_repr():
    assert ew.Simplex({"water": 0.2, "ethanol": 0, "glycerol": 0.1}) == THREE
    assert hash(THREE) == hash(ew.Simplex({"water": 0.2, "ethanol": 0, "glycerol": 0.1}))
    assert ew.Simplex(["a", "b"], total=100) != ew.Simplex(["a", "b"])
    assert repr(THREE) == "Simplex({'water': 0.2, 'ethanol': 0, 'glycerol': 0.1}, total=1)"
    for domain in (THREE, FIVE):
        again = eval(repr(domain), {"Simplex": ew.Simplex})
        assert (again, again.unit) == (domain, domain.unit)
