"""Angles: a circle without a boundary, so no seam in kernel, map or warp, and no equalizer along it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.geometry.equalizer import Equalizer
from equiwarp.geometry.transport import Transport
from equiwarp.gp.kernels import Matern52
from tests.cases import best, configuration_of, measurements_of

BOX = ew.Box({"flow": (0, 1), "angle": ew.Parameter(0, 360, unit="°", periodic=True)})


def test_both_ends_are_one_place_and_short_steps_count_as_on_any_axis():
    z = BOX.embed(np.array([[0.5, 0.0], [0.5, 360.0], [0.5, 3.6], [0.5, 356.4], [0.5, 180.0]]))
    apart = np.linalg.norm(z - z[0], axis=1)
    np.testing.assert_allclose(apart[1], 0, atol=1e-12)
    np.testing.assert_allclose(apart[2:4], 0.01, rtol=1e-3)
    assert apart[4] == pytest.approx(1 / np.pi)


def test_a_map_has_no_seam():
    angle = np.linspace(10, 350, 18)
    x = np.column_stack([np.full(18, 0.5), angle])
    m = ew.build_map(BOX, x, np.cos(np.radians(angle)), noise=0.01)
    ends = m.predict([[0.5, 0.0], [0.5, 360.0], [0.5, 359.99], [0.5, 0.01]])
    np.testing.assert_allclose(ends.mean, float(ends.mean[0, 0]), atol=1e-3)
    np.testing.assert_allclose(ends.mean, 1.0, atol=0.05)


def gap_at_the_seam(T, order):
    """How far apart images of the same place are, seen from both ends of the angle."""
    flow = np.linspace(0.01, 0.99, 50)
    before, after = (np.column_stack([flow, np.full(50, u)])[:, order] for u in (1 - 1e-9, 1e-9))
    away = np.abs(T(before) - T(after))
    return float(np.minimum(away, 1 - away).max())


@pytest.mark.parametrize("order", [[0, 1], [1, 0]], ids=["flow first", "angle first"])
def test_a_warp_has_no_seam(order):
    probes = BOX.to_cube(BOX.sample(8192, np.random.default_rng(0)))
    # Dense on one side of the seam, and there on one side of the flow.
    density = 1 + 20 * np.exp(-(((probes[:, 1] - 0.06) / 0.05) ** 2)) * (probes[:, 0] < 0.5)
    T = Transport.of(probes[:, order], density, tuple(BOX.chart_axes[i] for i in order))
    assert gap_at_the_seam(T, order) < 1e-6
    u = np.random.default_rng(1).random((200, 2))
    np.testing.assert_allclose(T.inverse(T(u)), u, atol=1e-9)
    if order == [1, 0]:  # an interval would be torn
        assert gap_at_the_seam(Transport.of(probes[:, order], density), order) > 0.01


def test_the_equalizer_knows_no_boundary_along_the_angle():
    configuration = configuration_of("equalized", BOX, pool=1500)
    pool = configuration.pool
    g = Equalizer(BOX, Matern52(configuration.lengthscale), 0.05, pool)(20)
    edge = np.minimum(pool[:, 0], 1 - pool[:, 0])
    near_seam = np.minimum(pool[:, 1], 360 - pool[:, 1]) < 20
    inner = edge > 0.25
    assert g[edge < 0.05].mean() < 0.8 * g[inner].mean()
    assert g[inner & near_seam].mean() == pytest.approx(g[inner & ~near_seam].mean(), rel=0.03)
    torus = ew.Box({"a": ew.Parameter(0, 1, periodic=True), "b": ew.Parameter(0, 9, periodic=True)})
    assert (Equalizer(torus, Matern52(0.2), 0.05, torus.pool(64, np.random.default_rng(0)))(20) == 1).all()


def test_turning_an_angle_turns_the_choice():
    """No angle is special: neither criterion, equalizer nor density, though bins have edges."""
    torus = ew.Box({"a": ew.Parameter(0, 360, periodic=True), "b": ew.Parameter(0, 360, periodic=True)})
    configuration, known = configuration_of("eig", torus), measurements_of(torus)
    turn = np.array([77.0, 200.0])
    turned = replace(configuration, pool=(configuration.pool + turn) % 360)
    there = best(turned, replace(known, x=(known.x + turn) % 360), 3)
    np.testing.assert_allclose(there, (best(configuration, known, 3) + turn) % 360, atol=1e-6)


def test_curvature_is_the_second_derivative_along_the_circle():
    z, h = BOX.embed(np.array([[0.3, 40.0]])), 1e-4
    gradient, hessian = np.array([[0.4, -1.0, 2.0]]), np.diag([1.0, 3.0, -2.0])

    def f(degrees):
        d = BOX.embed(np.array([[0.3, degrees]])) - z
        return float((gradient @ d.T + 0.5 * d @ hessian @ d.T)[0, 0])

    step = 360 * h  # of length h along the circle
    second = (f(40 + step) - 2 * f(40.0) + f(40 - step)) / h**2
    along = np.array([0.0, -np.sin(np.radians(40)), np.cos(np.radians(40))])
    bend = BOX.curvature(z, gradient)[0]
    assert along @ (hessian + bend) @ along == pytest.approx(second, rel=1e-3)


def test_steps_of_an_angle_go_around():
    dial = ew.Parameter(0, 360, periodic=True, step=90)
    np.testing.assert_array_equal(dial.settings, [0, 90, 180, 270])
    np.testing.assert_array_equal(dial.snap(np.array([350.0, 316.0, 314.0, 44.0])), [0, 0, 270, 0])


def test_an_angle_outside_its_period_is_wrapped_and_said():
    with pytest.warns(
        ew.WrappedAngle, match=r"x, row 1: angle = 370 is outside its period and was read as 10"
    ):
        wrapped = ew.suggest(BOX, [[0.5, 20], [0.2, 370]], [1.0, 2.0], noise=0.1)
    plain = ew.suggest(BOX, [[0.5, 20], [0.2, 10]], [1.0, 2.0], noise=0.1)
    np.testing.assert_array_equal(wrapped.points, plain.points)
    with pytest.warns(ew.WrappedAngle, match="-90 .* read as 270; 1 other angle likewise"):
        ew.build_map(BOX, [[0.5, -90], [0.5, 400]], [1.0, 2.0], noise=0.1)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"low": 1, "high": 10, "scale": "log"}, "an angle has no log scale"),
        ({"low": 0, "high": 360, "step": 100}, "does not divide the period 360"),
        ({"low": 0, "high": 360, "step": 360}, "does not divide the period 360"),
        ({"levels": [0, 90, 360], "low": 0, "high": 360}, "0 and 360 are the same angle"),
    ],
)
def test_a_wrong_angle_is_refused_with_the_remedy(spec, words):
    with pytest.raises(ew.InvalidInput) as caught:
        ew.Box({"angle": {**spec, "periodic": True}})
    assert words in str(caught.value)


def test_a_step_that_does_not_reach_the_upper_bound_is_said():
    box = ew.Box({"heat": {"low": 300, "high": 600, "step": 7}, "flow": {"low": 0, "high": 1, "step": 0.1}})
    assert box.remarks() == [
        "heat: steps of 7 from 300 do not reach the upper bound 600; the last setting is 594."
    ]
