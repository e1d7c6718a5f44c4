"""Checkers shared by many tests. Each is itself tested on wrong input in test_checks.py."""

from __future__ import annotations

import numpy as np

from equiwarp.testing.drawing import non_uniformity
from equiwarp.testing.strategy_laws import bad_points


def assert_new_points(domain, points, n, *taken):
    """n points of the domain, settable, different from each other and from all taken ones."""
    problem = bad_points(domain, points, n, *taken)
    assert problem is None, problem


def assert_same_sequence(first, second):
    """Two trajectories that agree in every point."""
    assert len(first) == len(second) > 0, "nothing to compare"
    different = np.flatnonzero(np.abs(np.asarray(first) - np.asarray(second)).max(axis=1) > 1e-12)
    assert len(different) == 0, f"the sequences part at round {different[:1]}"


def assert_uniform(u):
    """Points of the unit cube ``(n, D)``: every coordinate and every pair's product is uniform."""
    problem = non_uniformity(u)
    assert problem is None, problem
