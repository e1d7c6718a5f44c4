"""One column set, the rest kept as far as the domain allows: how one asks what a single parameter does."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew

DOMAINS = {
    "box": ew.Box({"T": (20, 90), "p": ew.Parameter(1, 100, scale="log")}),
    "mixture": ew.Simplex({"a": 0.1, "b": 0.0, "c": 0.3, "d": 0.0}, total=2),
    "sphere": ew.Sphere(2),
    "circle": ew.Sphere(1),
}


@pytest.mark.parametrize("kind", DOMAINS)
def test_a_value_drawn_anew_leaves_a_uniform_sample_uniform(kind):
    domain, rng = DOMAINS[kind], np.random.default_rng(0)
    x, values = domain.sample(8192, rng), rng.permutation(domain.sample(8192, rng))
    for column in range(domain.columns):
        moved = domain.with_column(x, column, values[:, column])
        assert domain.contains(moved).all()
        np.testing.assert_allclose(moved[:, column], values[:, column])
        u = domain.to_cube(moved)
        np.testing.assert_allclose(u.mean(axis=0), 0.5, atol=0.02)
        np.testing.assert_allclose(np.cov(u.T), np.eye(domain.dim) / 12, atol=0.005)


def test_in_a_mixture_the_others_keep_their_proportions():
    domain = ew.Simplex({"a": 0.0, "b": 0.2, "c": 0.0})
    [moved] = domain.with_column(np.array([[0.2, 0.4, 0.4]]), 0, np.array([0.6]))
    np.testing.assert_allclose(moved, [0.6, 0.2 + 0.2 / 3, 0.4 / 3])
    [pure] = domain.with_column(np.array([[0.8, 0.2, 0.0]]), 0, np.array([0.4]))
    np.testing.assert_allclose(pure, [0.4, 0.4, 0.2])


def test_on_a_sphere_the_others_keep_their_direction():
    [moved] = ew.Sphere(2).with_column(np.array([[0.0, 0.6, 0.8]]), 0, np.array([0.8]))
    np.testing.assert_allclose(moved, [0.8, 0.36, 0.48])
    [pole] = ew.Sphere(2).with_column(np.array([[1.0, 0.0, 0.0]]), 0, np.array([0.0]))
    np.testing.assert_allclose(pole, [0.0, 0.5**0.5, 0.5**0.5])


def test_what_is_part_of_a_domain_is_asked_alike():
    part = ew.Constrained(DOMAINS["mixture"], ["a <= 1.5"])
    x = part.sample(5, np.random.default_rng(0))
    np.testing.assert_array_equal(
        part.with_column(x, 1, np.full(5, 0.1)), part.whole.with_column(x, 1, np.full(5, 0.1))
    )
