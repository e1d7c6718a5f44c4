"""Arms of the side studies: each differs from its model in the one thing it is about."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.bench.arms import find_arm
from equiwarp.bench.cell import Job, compute
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.bench.variants import ColatitudeSphere, TrainingRateArm
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import Round
from equiwarp.geometry.kumaraswamy import ADAM_RATE
from equiwarp.geometry.warp import ReconstructionWarp


def test_the_colatitude_warp_moves_points_along_great_circles_through_the_pole(rng) -> None:
    probes = ew.Sphere(2).sample(2048, rng)
    density = 1 + np.exp(4 * probes[:, 0]) + np.exp(6 * probes[:, 1])  # symmetric about no axis
    plain, kept = (ReconstructionWarp.of(s, probes, density) for s in (ew.Sphere(2), ColatitudeSphere(2)))
    x = ew.Sphere(2).sample(100, rng)
    pole = kept.frame[0]
    turned = np.cross(x, kept(x)) @ pole  # both lie in a plane with the pole
    np.testing.assert_allclose(turned, 0.0, atol=1e-9)
    assert np.abs(kept(x) - x).max() > 0.05
    assert np.abs(np.cross(x, plain(x)) @ pole).max() > 0.05
    np.testing.assert_allclose(kept.frame, plain.frame)


@pytest.mark.parametrize("arm", ["sobol-own", "sobol-normal"])
def test_a_sequence_of_its_own_is_uniform_and_independent_of_the_start(arm: str) -> None:
    cell = compute(Job("cap-s3", arm, 0, 100))
    chosen = cell.x[cell.n0 :]
    np.testing.assert_allclose(np.linalg.norm(chosen, axis=1), 1.0)
    assert np.linalg.norm(chosen.mean(axis=0)) < 0.1
    assert np.abs(chosen.T @ chosen / 100 - np.eye(4) / 4).max() < 0.05
    assert not np.array_equal(chosen, compute(Job("cap-s3", "sobol", 0, 100)).x[cell.n0 :])
    assert not np.array_equal(chosen, compute(Job("cap-s3", arm, 1, 100)).x[cell.n0 :])


def test_variants_of_spheres_refuse_cubes() -> None:
    for arm in ("equiwarp-colatitude", "sobol-normal"):
        assert "spheres" in (find_arm(arm).objection(find_benchmark("levy-2d")) or "")
        assert find_arm(arm).objection(find_benchmark("cap-s2")) is None


def test_the_trained_warp_goes_farther_in_longer_steps() -> None:
    seeded = SeededBenchmark(find_benchmark("beale-2d"), 0)
    x, nothing = seeded.start, np.empty((0, 2))
    measured = Measurements(
        seeded.benchmark.domain, x, seeded.measure(x)[:, None], np.full((20, 1), seeded.noise), nothing
    )
    bent = []
    for arm in ("kumaraswamy-rate-0.005", "kumaraswamy", "kumaraswamy-rate-0.02", "kumaraswamy-rate-0.05"):
        warp = Round(find_arm(arm).start(seeded).configuration, measured).warp
        bent.append(np.abs(np.log([warp.a, warp.b])).max())
    assert bent == sorted(bent)
    assert bent[0] < 0.6 * bent[1] < 0.5 * bent[2]
    usual = TrainingRateArm(ADAM_RATE).start(seeded).configuration
    assert usual.training_rate == find_arm("kumaraswamy").start(seeded).configuration.training_rate
    assert [find_arm(f"kumaraswamy-rate-{r:g}").name[-len(f"{r:g}") :] for r in (0.02, 0.05)] == [
        "0.02",
        "0.05",
    ]
