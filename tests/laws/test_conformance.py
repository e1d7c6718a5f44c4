"""Our own domains and strategies pass the checks that we offer to others."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.testing import ConformanceError, check_domain, check_strategy
from tests.cases import DOMAINS, NAMES
from tests.domains.annulus import Annulus


def gaussian_directions(columns):
    """Uniform points of a sphere: normalised Gaussian vectors."""

    def draw(n, rng):
        x = rng.standard_normal((n, columns))
        return x / np.linalg.norm(x, axis=1, keepdims=True)

    return draw


def dirichlet(mix):
    """Uniform mixtures."""
    return lambda n, rng: np.array(mix.lower) + mix.spare * rng.dirichlet(np.ones(mix.columns), n)


def uniform_of(domain):
    """Another way to draw uniformly, where there is a well-known one."""
    if isinstance(domain, ew.Sphere):
        return gaussian_directions(domain.columns)
    return dirichlet(domain) if isinstance(domain, ew.Simplex) else None


@pytest.mark.parametrize("place", DOMAINS)
def test_our_domains_conform(place):
    check_domain(DOMAINS[place], uniform_of(DOMAINS[place]))


def test_domains_of_many_dimensions_with_python_constraints_and_of_other_packages_conform():
    check_domain(ew.Constrained(ew.Box.unit(2), [lambda p: p["x1"] > p["x2"]]))
    check_domain(ew.Sphere(5), gaussian_directions(6))
    check_domain(ew.Box.unit(7))
    check_domain(Annulus(1, 2))


@pytest.mark.parametrize("name", NAMES)
def test_our_strategies_conform(name):
    check_strategy(name)


def test_a_strategy_that_is_refused_everywhere_does_not_conform():
    with pytest.raises(ConformanceError, match="one of the domains at least") as caught:
        check_strategy("neumann", [ew.Sphere(2), DOMAINS["mixture"]])
    assert "Sphere(2): the Neumann kernel reflects at the faces of a box" in str(caught.value)
    with pytest.raises(ConformanceError, match="no domain was given"):
        check_strategy("fps", [])
