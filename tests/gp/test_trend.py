"""The trend under a process: what it is made of, and that it goes on where measurements end."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp._util.seeds import DESIGN, stream
from equiwarp.gp.trend import Trend, coefficients


def trend_on(domain: ew.Domain) -> Trend:
    return Trend.of(domain, domain.sample(4096, stream(0, DESIGN)))


def test_on_a_box_it_is_made_of_the_variables_and_their_squares() -> None:
    box = ew.Box({"a": (10, 30), "b": {"low": 1, "high": 100, "scale": "log"}})
    columns = trend_on(box)(box.embed(np.array([[10.0, 10.0], [30.0, 100.0], [20.0, 1.0]])))
    expected = [[-1, 0, 2 / 3, -1 / 3], [1, 1, 2 / 3, 2 / 3], [0, -1, -1 / 3, 2 / 3]]
    np.testing.assert_allclose(columns, expected, atol=1e-3)


@pytest.mark.parametrize("domain", [ew.Sphere(2), ew.Simplex(["a", "b", "c"])], ids=["sphere", "mixture"])
def test_where_coordinates_are_directions_it_is_linear(domain: ew.Domain) -> None:
    Z = domain.embed(domain.sample(16, stream(1, DESIGN)))
    assert trend_on(domain)(Z).shape == Z.shape


def test_what_constraints_leave_of_a_box_keeps_its_variables() -> None:
    half = ew.Constrained(ew.Box.unit(2), ["x1 + x2 <= 1"])
    trend = trend_on(half)
    assert trend.squares
    columns = trend(half.embed(half.sample(4096, stream(0, DESIGN))))
    np.testing.assert_allclose(columns.mean(axis=0), 0.0, atol=1e-12)


def test_a_setting_that_never_varies_does_no_harm() -> None:
    listed = ew.Candidates(np.column_stack([np.linspace(0, 1, 50), np.full(50, 3.0)]), ["a", "b"])
    trend = Trend.of(listed, listed.points)
    assert np.isfinite(trend(listed.embed(listed.points))).all()


def test_coefficients_are_shrunk_least_squares() -> None:
    rng = np.random.default_rng(0)
    columns, b = rng.normal(size=(500, 3)), np.array([[2.0, 0.0], [-1.0, 3.0], [0.0, 0.5]])
    np.testing.assert_allclose(coefficients(columns, columns @ b), b, atol=0.01)
    few = columns[:1]  # fewer values than coefficients
    np.testing.assert_allclose(
        coefficients(few, few @ b), few.T @ (few @ b) / (1 + np.sum(few**2)), atol=1e-12
    )
