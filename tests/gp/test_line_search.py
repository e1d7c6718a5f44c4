"""Brent's search between two ends: SciPy's, evaluation for evaluation."""

from __future__ import annotations

import math

import pytest
from scipy.optimize import minimize_scalar

from equiwarp.gp.spacing import lowest_between

VALLEYS = {
    "a parabola": (lambda x: (x - 0.3) ** 2, -1, 2),
    "at the left end": (lambda x: x, 0, 1),
    "at the right end": (lambda x: -x, 0, 1),
    "a kink": (lambda x: abs(x - math.e), 0, 10),
    "flat": (lambda x: 1.0, -1, 1),
    "several valleys": (lambda x: math.sin(5 * x) + 0.1 * x, 0, 6),
    "steep": (lambda x: math.exp(x) - 40 * x, -3, 9),
    "steps": (lambda x: float(round(4 * x)), -2, 2),
    "far away": (lambda x: (x - 1e6) ** 4, 0.9e6, 1.2e6),
}


@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-6])
@pytest.mark.parametrize("name", VALLEYS)
def test_it_looks_where_scipy_looks(name, tolerance):
    valley, low, high = VALLEYS[name]
    ours, theirs = [], []
    found = lowest_between(lambda x: (ours.append(x), valley(x))[1], low, high, tolerance)
    expected = minimize_scalar(
        lambda x: (theirs.append(float(x)), valley(x))[1],
        bounds=(low, high),
        method="bounded",
        options={"xatol": tolerance},
    )
    assert ours == theirs
    assert found == expected.x
