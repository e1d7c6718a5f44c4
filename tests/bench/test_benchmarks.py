"""Every benchmark has the values that its source publishes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from equiwarp.bench.functions.catalogue import benchmarks, find_benchmark, own_benchmark_name
from equiwarp.bench.functions.sphere_caps import RADIUS, SEPARATION, sphere_caps
from equiwarp.bench.seeded import pilot

NAMES = [
    "peaks-2d",
    "smooth-box-2d",
    "gramacy-lee-2d",
    "levy-2d",
    "zhou-2d",
    "beale-2d",
    "smooth-box-3d",
    "hartmann-3d",
    "levy-3d",
    "styblinski-tang-3d",
    "smooth-box-4d",
    "hartmann-4d",
    "levy-4d",
    "power-plant-4d",
    "friedman-5d",
    "levy-5d",
    "airfoil-5d",
    "hartmann-6d",
    "cap-s2",
    "two-caps-s2",
    "cap-s3",
    "two-caps-s3",
]

#: name, native point, value, tolerance. Minima and maxima as their sources print them.
KNOWN = [
    ("peaks-2d", (0.0, 0.0), (3 - 1 / 3) / math.e, 1e-12),
    ("peaks-2d", (-0.0093, 1.5814), 8.1062, 1e-3),
    ("peaks-2d", (0.2283, -1.6255), -6.5511, 1e-3),
    ("smooth-box-2d", (-0.5, -0.5), 0.25, 1e-12),
    ("smooth-box-3d", (-0.5, -0.5, 3.0), 0.25, 1e-12),
    ("smooth-box-4d", (3.0, 3.0, 3.0, -0.5), 0.5, 1e-12),
    ("gramacy-lee-2d", (math.sqrt(0.5), 0.0), math.exp(-0.5) / math.sqrt(2), 1e-12),
    ("gramacy-lee-2d", (-math.sqrt(0.5), 0.0), -0.4289, 1e-4),
    *[(f"levy-{d}d", (1.0,) * d, 0.0, 1e-12) for d in (2, 3, 4, 5)],
    ("levy-2d", (-3.0, 5.0), 1 + 10 * math.sin(1) ** 2 + 1.0, 1e-12),
    ("zhou-2d", (1 / 3, 1 / 3), 50 / (2 * math.pi) * (1 + math.exp(-100 / 9)), 1e-9),
    ("beale-2d", (3.0, 0.5), 0.0, 1e-12),
    ("beale-2d", (0.0, 0.0), 1.5**2 + 2.25**2 + 2.625**2, 1e-12),
    ("hartmann-3d", (0.114614, 0.555649, 0.852547), -3.86278, 1e-5),
    # Not the minimum -3.1345 of the Virtual Library's rescaled form, which is (1.1 - 3.7298) / 0.839.
    ("hartmann-4d", (0.18739527, 0.19415153, 0.55791778, 0.26477962), -3.7298405845, 1e-8),
    ("hartmann-6d", (0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573), -3.32237, 1e-5),
    ("styblinski-tang-3d", (-2.903534,) * 3, -39.16617 * 3, 1e-4),
    ("friedman-5d", (0.5, 1.0, 0.5, 0.2, 0.4), 10 + 2 + 2, 1e-12),
]


def test_names_are_the_fixed_ones_in_the_papers_order() -> None:
    assert list(benchmarks()) == NAMES


@pytest.mark.parametrize(("name", "native", "value", "tolerance"), KNOWN)
def test_known_value(name: str, native: tuple[float, ...], value: float, tolerance: float) -> None:
    benchmark = find_benchmark(name)
    low, high = np.array(benchmark.native).T
    unit = (np.array([native]) - low) / (high - low)
    assert benchmark(unit)[0] == pytest.approx(value, abs=tolerance)


@pytest.mark.parametrize("name", [n for n in NAMES if not find_benchmark(n).real])
def test_protocol_sizes(name: str) -> None:
    benchmark = find_benchmark(name)
    assert benchmark.n0 == (
        20 if name.endswith("s2") else 40 if name.endswith("s3") else 20 * (benchmark.dim - 1)
    )
    assert benchmark.rounds == (100 if benchmark.sphere else 200)
    assert benchmark.sphere or f"-{benchmark.dim}d" in name
    assert pilot(benchmark).deviation > 0


@pytest.mark.parametrize("d", [2, 3])
def test_caps_have_the_documented_geometry(d: int) -> None:
    two = sphere_caps(d, 2)
    first, second = np.array(two.centres)
    np.testing.assert_allclose([first @ first, second @ second], 1.0)
    assert math.acos(first @ second) == pytest.approx(SEPARATION)
    assert SEPARATION > 2 * RADIUS
    # Half-way through the soft wall the value is one half, whatever the direction.
    across = np.cross(np.eye(3)[0], first) if d == 2 else np.array([2.0, -1.0, 0.0, 0.0])
    across = across - (across @ first) * first
    rim = math.cos(RADIUS) * first + math.sin(RADIUS) * across / np.linalg.norm(across)
    assert sphere_caps(d, 1)(rim[None])[0] == pytest.approx(0.5)
    np.testing.assert_allclose(two(np.array([first, second])), 1.0, atol=0.01)
    assert two(-(first + second)[None] / np.linalg.norm(first + second))[0] < 1e-6


def test_own_function_is_a_benchmark() -> None:
    benchmark = find_benchmark(own_benchmark_name("tests_bench_user:ramp", 3))
    assert (benchmark.dim, benchmark.n0) == (3, 40)
    np.testing.assert_allclose(benchmark(np.eye(3)), [1.0, 2.0, 3.0])
    sphere = find_benchmark(own_benchmark_name("tests_bench_user:ramp", 2, sphere=True))
    assert (sphere.name, sphere.sphere, sphere.n0, sphere.rounds) == (
        "tests_bench_user:ramp@s2",
        True,
        20,
        100,
    )
    assert pilot(sphere).x.shape == (4096, 3)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("peaks-9d", "unknown benchmark 'peaks-9d'; choose from peaks-2d"),
        ("no_such_module_x:f@2", "cannot import 'no_such_module_x'"),
        ("math:nothing@2", "has no 'nothing'"),
        ("math:pi@2", "is float, not a function"),
    ],
)
def test_unknown_names_are_refused_with_a_remedy(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        find_benchmark(name)


def test_a_function_that_returns_nonsense_is_named() -> None:
    with pytest.raises(ValueError, match=r"returned shape \(3, 3\) for 3 points"):
        find_benchmark("tests_bench_user:wrong_shape@3")(np.eye(3))
    with pytest.raises(ValueError, match="is nan at"):
        find_benchmark("tests_bench_user:not_finite@3")(np.eye(3))
