"""One run: paired between arms, the same however it is cut into pieces, and kept whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from equiwarp.bench.area import area_reduction
from equiwarp.bench.arms import find_arm
from equiwarp.bench.cell import Cell, Job, compute
from equiwarp.bench.functions.catalogue import NOISE_SHARE, find_benchmark
from equiwarp.bench.pages.area_table import area_rows
from equiwarp.bench.seeded import SeededBenchmark, held_out, held_out_part, pilot
from equiwarp.bench.sweeps.plan import Sweep, unfinished_jobs
from equiwarp.bench.trajectories import Trajectories
from equiwarp.strategy import strategies


@pytest.mark.parametrize("arm", [*strategies(), "gpcam-gradient", "oracle"])  # other peers: test_peers
def test_extending_a_run_gives_what_computing_it_at_once_gives(arm: str) -> None:
    whole = compute(Job("hartmann-3d", arm, 1, 6))
    extended = compute(Job("hartmann-3d", arm, 1, 6), compute(Job("hartmann-3d", arm, 1, 2)))
    np.testing.assert_array_equal(extended.x, whole.x)
    np.testing.assert_array_equal(extended.y, whole.y)
    np.testing.assert_array_equal(extended.error_1nn, whole.error_1nn)
    assert extended.origin["extends"].startswith("2 rounds of ")
    assert "extends" not in whole.origin
    assert len(whole.x) == 46
    assert (whole.n0, whole.rounds, len(whole.error_1nn)) == (40, 6, 7)


def test_arms_of_a_seed_share_start_pool_and_noise() -> None:
    seeded = SeededBenchmark(find_benchmark("levy-2d"), 3)
    cells = [compute(Job("levy-2d", arm, 3, 4)) for arm in ("fps", "equiwarp", "random")]
    noise = [(cell.y - cell.spec(cell.x)) / seeded.noise for cell in cells]
    for cell, numbers in zip(cells, noise, strict=True):
        np.testing.assert_array_equal(cell.x[:20], seeded.start)
        np.testing.assert_allclose(numbers, noise[0], atol=1e-9)
    pool = {row.tobytes() for row in seeded.pool}
    assert all(row.tobytes() in pool for cell in cells[:2] for row in cell.x[20:])


def test_noise_is_five_percent_of_the_pilot_deviation_and_differs_by_seed() -> None:
    benchmark = find_benchmark("peaks-2d")
    x = pilot(benchmark).x[:2000]
    draws = np.array([SeededBenchmark(benchmark, seed).measure(x) - benchmark(x) for seed in (0, 1)])
    np.testing.assert_allclose(draws.std(axis=1) / pilot(benchmark).deviation, NOISE_SHARE, rtol=0.05)
    assert abs(np.corrcoef(draws)[0, 1]) < 0.1


def test_sobol_arm_continues_the_initial_design() -> None:
    cell = compute(Job("zhou-2d", "sobol", 0, 12))
    from equiwarp._util.seeds import DESIGN, stream

    np.testing.assert_array_equal(cell.x, cell.spec.domain.sample(32, stream(0, DESIGN)))


def test_a_cell_survives_its_file(tmp_path: Path) -> None:
    job = Job("cap-s2", "eig", 0, 3, 0.5)
    cell = compute(job).save(tmp_path / job.place)
    again = Cell.load(tmp_path / job.place)
    for name in ("benchmark", "arm", "seed", "rounds", "lengthscale_factor", "duration", "origin", "label"):
        assert getattr(again, name) == getattr(cell, name)
    np.testing.assert_array_equal(again.x, cell.x)
    np.testing.assert_array_equal(again.error_1nn, cell.error_1nn)
    assert again.origin["numpy"] == np.__version__
    assert again.label == "eig@0.5"
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["seed-0000.npz"]


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "seed-0000.npz"
    path.write_bytes(b"PK nothing")
    with pytest.raises(ValueError, match=r"seed-0000\.npz is not a readable cell"):
        Cell.load(path)


def test_a_run_of_a_changed_benchmark_is_not_extended() -> None:
    known = compute(Job("levy-2d", "fps", 0, 2))
    other = Cell(**{**known.__dict__, "y": known.y + 1.0})
    fresh = compute(Job("levy-2d", "fps", 0, 3), other)
    np.testing.assert_array_equal(fresh.y[:22], known.y)


def test_only_missing_or_short_cells_are_unfinished(tmp_path: Path) -> None:
    plan = Sweep(["levy-2d"], ["fps", "sobol"], [0, 1], 3).plan()
    assert [job for job, _ in unfinished_jobs(plan.jobs, tmp_path)] == list(plan.jobs)
    done = plan.jobs[0]
    compute(done).save(tmp_path / done.place)
    assert [job for job, _ in unfinished_jobs(plan.jobs, tmp_path)] == list(plan.jobs[1:])
    longer = Sweep(["levy-2d"], ["fps"], [0], 4).plan()
    [(job, known)] = unfinished_jobs(longer.jobs, tmp_path)
    assert known is not None
    assert (job.rounds, known.rounds) == (4, 3)


def test_lengthscale_factor_multiplies_only_arms_that_have_one() -> None:
    plan = Sweep(["levy-2d"], ["fps", "eig"], [0], 3, (0.5, 1.0, 2.0)).plan()
    assert [job.label for job in plan.jobs] == ["fps", "eig@0.5", "eig", "eig@2"]
    short, long = (compute(Job("levy-2d", "eig", 0, 30, factor)) for factor in (0.5, 2.0))
    assert not np.array_equal(short.x, long.x)


def test_the_pool_is_part_of_what_is_asked_for() -> None:
    plan = Sweep(["levy-2d", "hartmann-3d"], ["fps"], [0], 3, pool="dim").plan()
    assert [job.label for job in plan.jobs] == ["fps", "fps@pool=8192"]  # 4,096 is what everyone has
    few, many = (compute(Job("levy-2d", "fps", 0, 3, pool=size)) for size in (64, 4096))
    seeded = SeededBenchmark(find_benchmark("levy-2d"), 0, 64)
    assert all(point.tolist() in seeded.pool.tolist() for point in few.x[few.n0 :])
    assert (few.seeded, few.job.place.parts[2]) == (seeded, "fps@pool=64")
    assert not np.array_equal(few.x, many.x)


def test_an_arm_is_measured_against_fps_on_its_own_pool() -> None:
    jobs = [Job("levy-2d", arm, 0, 5, pool=size) for arm in ("fps", "eig") for size in (64, 4096)]
    cells = [compute(job) for job in jobs]
    found = Trajectories.scored(cells, "1nn")
    for eig, fps in ((cells[2], cells[0]), (cells[3], cells[1])):
        expected = area_reduction(eig.error_1nn, fps.error_1nn, 5)
        assert found.reductions("levy-2d", eig.label, 5) == {0: expected}
    assert set(Trajectories.stored(cells, "1nn").arms()) == {"fps", "eig"}
    assert [row.arm for row in area_rows(cells, "1nn", [5])] == ["eig", "eig@pool=64"]


def test_seeds_come_first_so_that_a_stopped_run_has_every_arm() -> None:
    jobs = Sweep(["levy-2d", "cap-s2"], list(strategies()), [4, 5]).plan().jobs
    assert [job.seed for job in jobs] == sorted(job.seed for job in jobs)
    assert {job.rounds for job in jobs if job.benchmark == "cap-s2"} == {100}


def test_neumann_is_skipped_on_spheres_with_a_reason() -> None:
    plan = Sweep(["cap-s2"], ["fps", "neumann"], [0]).plan()
    assert [job.arm for job in plan.jobs] == ["fps"]
    assert "neumann on cap-s2" in plan.skipped[0]


def test_own_arms_run_like_others() -> None:
    mine = compute(Job("levy-2d", "tests_bench_user:plain_variance", 0, 5))
    np.testing.assert_array_equal(mine.x, compute(Job("levy-2d", "eig", 0, 5)).x)
    cell = compute(Job("levy-2d", "tests_bench_user:MidpointArm", 0, 3))
    np.testing.assert_array_equal(
        cell.x[20], (cell.x[np.argmax(cell.y[:20])] + cell.x[np.argmin(cell.y[:20])]) / 2
    )


def test_unknown_arms_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown arm 'eigg'; choose from fps"):
        find_arm("eigg")
    with pytest.raises(ValueError, match="an arm is a Strategy or"):
        find_arm("tests_bench_user:ramp")


def test_test_set_is_large_and_its_own() -> None:
    Z, values = held_out(find_benchmark("levy-2d"))
    assert Z.shape == (16384, 2)
    assert values.shape == (16384,)
    assert not set(map(bytes, Z)) & set(map(bytes, pilot(find_benchmark("levy-2d")).x))


@pytest.mark.parametrize("name", ["levy-2d", "hartmann-6d"])
def test_the_part_of_the_test_set_fills_the_cube(name: str) -> None:
    """Every fourth point of a Sobol sequence would lie in one quarter of it."""
    Z, values = held_out_part(find_benchmark(name))
    assert len(Z) == len(values) == 4096
    for column in Z.T:
        np.testing.assert_allclose(np.histogram(column, 8, (0, 1))[0], 512, atol=1)
