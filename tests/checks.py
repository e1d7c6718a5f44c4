"""Checkers shared by many tests. Each is itself tested on wrong input in test_checks.py."""

from __future__ import annotations

import numpy as np


def assert_new_points(domain, points, n, *taken):
    """n points of the domain, settable, different from each other and from all taken ones."""
    assert points.shape == (n, domain.columns), f"expected {n} points, got shape {points.shape}"
    assert np.isfinite(points).all(), "a point is not finite"
    inside = domain.contains(points)
    assert inside.all(), f"outside the domain: {points[~inside]}"
    np.testing.assert_array_equal(domain.snap(points), points, err_msg="the instrument cannot be set to this")
    known = np.concatenate([points, *taken])
    Z = domain.embed(known)
    for i in range(n):
        distance = np.linalg.norm(Z - Z[i], axis=1)
        distance[i] = np.inf
        assert distance.min() > 1e-9, f"point {known[i]} is there twice"


def assert_same_sequence(first, second):
    """Two trajectories that agree in every point."""
    assert len(first) == len(second) > 0, "nothing to compare"
    different = np.flatnonzero(np.abs(np.asarray(first) - np.asarray(second)).max(axis=1) > 1e-12)
    assert len(different) == 0, f"the sequences part at round {different[:1]}"


def assert_uniform(u, level=1e-4):
    """Points of the unit cube ``(n, D)``: every coordinate and every pair's product is uniform.

    Kolmogorov-Smirnov on each coordinate and on each product u_i u_j, whose distribution under
    independence is t (1 - log t). Bonferroni over all tests; ``level`` is the chance of a false alarm.
    """
    from scipy.stats import kstest

    dim = u.shape[1]
    assert ((u >= 0) & (u <= 1)).all(), "outside the unit cube"
    tests = [(u[:, i], "uniform") for i in range(dim)]
    tests += [(u[:, i] * u[:, j], _product_cdf) for i in range(dim) for j in range(i)]
    for sample, distribution in tests:
        p = kstest(sample, distribution).pvalue
        assert p > level / len(tests), f"not uniform: p = {p:.1e}"


def _product_cdf(t):
    t = np.clip(t, 1e-300, 1.0)
    return t * (1 - np.log(t))
