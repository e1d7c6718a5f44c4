"""Suites: conditions in names and runs, known values of functions, the study and its page."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from equiwarp.bench.arms import find_arm
from equiwarp.bench.cell import Job, compute
from equiwarp.bench.functions import physical, unseen, wide
from equiwarp.bench.functions.catalogue import conditioned_name, find_benchmark, suite_benchmarks
from equiwarp.bench.functions.measured_data import load_measured_data
from equiwarp.bench.pages.choosing_page import Beside, choosing_page
from equiwarp.bench.pages.choosing_suites import ORACLE_ROUNDS, areas_reached, oracle_share
from equiwarp.bench.readouts.average_map import average_error
from equiwarp.bench.results import load_cells
from equiwarp.bench.seeded import SeededBenchmark, held_out, pilot
from equiwarp.bench.storage.csv_records import read_records
from equiwarp.bench.storage.packed import pack_designs, unpack_designs
from equiwarp.bench.studies.suites import run_suites, suite_tasks, suite_trajectories
from equiwarp.bench.sweeps.plan import Sweep
from equiwarp.bench.sweeps.suites import SUITES, Suite
from equiwarp.cli.bench import bench
from equiwarp.exceptions import InvalidInput

# Conditions


def test_conditions_are_part_of_the_name_and_nothing_else_changes():
    plain, other = find_benchmark("levy-2d"), find_benchmark("levy-2d+noise=0.2+batch=8")
    assert (plain.noise, plain.batch) == (0.05, 1)
    assert (other.noise, other.batch, other.function) == (0.2, 8, plain.function)
    assert other.title == "Levy (2D), noise 20 %, batches of 8"
    assert conditioned_name("levy-2d", 0.2, 8) == other.name
    assert conditioned_name("levy-2d") == "levy-2d"
    few, many = (SeededBenchmark(b, 3) for b in (plain, other))
    np.testing.assert_array_equal(few.start, many.start)
    noise = [(s.measure(s.start) - s.benchmark(s.start)) / s.deviation for s in (few, many)]
    np.testing.assert_allclose(4 * noise[0], noise[1], atol=1e-12)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("levy-2d+noise=0.20", "is called 'levy-2d\\+noise=0.2'"),
        ("levy-2d+batch=8+noise=0.2", "is called"),
        ("levy-2d+batch=1", "is called 'levy-2d'"),
        ("levy-2d+batch=two", "conditions are like"),
        ("levy-2d+colour=3", "conditions are like"),
        ("levy-2d+noise=-1", "0 or more, got -1"),
    ],
)
def test_a_benchmark_has_one_name(name, message):
    with pytest.raises(ValueError, match=message):
        find_benchmark(name)


@pytest.mark.parametrize("arm", ["lookahead-gp", "vigf", "qb-mgp"])
def test_a_batch_is_chosen_before_its_values_are_known(arm):
    name = "levy-2d+noise=0.2+batch=3"
    seeded = SeededBenchmark(find_benchmark(name), 0)
    whole = compute(Job(name, arm, 0, 6))
    assert (whole.origin["noise"], whole.origin["batch"]) == ("0.2", "3")
    assert len(np.unique(whole.x, axis=0)) == 26
    stepper = find_arm(arm).start(seeded)
    np.testing.assert_array_equal(stepper.next_batch(whole.x[:20], whole.y[:20], 3), whole.x[20:23])
    np.testing.assert_array_equal(stepper.next_batch(whole.x[:23], whole.y[:23], 2), whole.x[23:25])
    np.testing.assert_array_equal(whole.y, seeded.replay(whole.x))
    # A batch that was cut short is chosen again, and the run goes on as if nothing had happened.
    cut = compute(Job(name, arm, 0, 4))
    np.testing.assert_array_equal(cut.x, whole.x[:24])
    np.testing.assert_array_equal(compute(Job(name, arm, 0, 6), cut).x, whole.x)
    alone = compute(Job("levy-2d+noise=0.2", arm, 0, 2))
    np.testing.assert_array_equal(alone.x[20], whole.x[20])


def test_who_chooses_one_point_at_a_time_is_left_out_of_batches():
    plan = Sweep(["levy-2d+batch=8"], ["fps", "oracle", "oracle-map"], [0], 8).plan()
    assert [job.arm for job in plan.jobs] == ["fps"]
    assert plan.skipped[0] == "oracle on levy-2d+batch=8: it chooses one point at a time"
    seeded = SeededBenchmark(find_benchmark("levy-2d"), 0)
    with pytest.raises(ValueError, match="one point at a time, 2 were asked for"):
        find_arm("oracle").start(seeded).next_batch(seeded.start, seeded.measure(seeded.start), 2)


def test_cells_under_conditions_are_packed_and_restored(tmp_path: Path):
    job = Job("levy-2d+noise=0.5+batch=4", "fps", 0, 6)
    before = compute(job).save(tmp_path / "a" / job.place)
    pack_designs([before], tmp_path / "packed")
    assert unpack_designs(tmp_path / "packed", tmp_path / "b") == (1, 0)
    [after] = load_cells(tmp_path / "b")
    np.testing.assert_array_equal(after.y, before.y)
    assert after.benchmark == job.benchmark


# Functions


def spread(ranges):
    """Two points of a box, far from its middle and its corners."""
    (low, high), i = np.array(ranges, dtype=float).T, np.arange(len(ranges))
    return low + np.array([(0.37 * i + 0.11) % 1.0, (0.59 * i + 0.83) % 1.0]) * (high - low)


@pytest.mark.parametrize(
    ("function", "ranges", "expected"),
    [
        (physical.wing_weight, physical.WING_WEIGHT, [279.82207460504407, 292.7785004706407]),
        (physical.piston, physical.PISTON, [0.5224144308654006, 0.30419230725932184]),
        (physical.otl_circuit, physical.OTL_CIRCUIT, [7.248011288274629, 3.9158550002240085]),
        (physical.robot_arm, physical.ROBOT_ARM, [1.20276488, 0.72235526]),
        (physical.flood, physical.FLOOD, [-11.608098633874436, -10.774118516955655]),
        (unseen.borehole, ((0, 1),) * 8, [20.48225614, 132.6484782]),
        (wide.friedman_10d, ((0, 1),) * 10, [9.251164611828582, 20.64201158129364]),
        (wide.linkletter_sine, ((0, 1),) * 10, [0.7852414813883257, 1.6011407377588367]),
        (wide.otl_20d, wide.OTL_20D, [7.248011288274629, 3.9158550002240085]),
        (wide.welch, wide.WELCH, [-3.0590058196721244, 0.762733270676698]),
    ],
)
def test_values_are_those_of_another_implementation(function, ranges, expected):
    """UQTestFuns 0.7.0 gave these; its robot arm has lengths first, its flood the other sign."""
    np.testing.assert_allclose(function(spread(ranges)), expected, rtol=1e-7)


def test_dette_and_pepelyshev_term_by_term():
    x = spread(((0, 1),) * 8)[0]
    curved = 4 * (x[0] - 2 + 8 * x[1] - 8 * x[1] ** 2) ** 2 + (3 - 4 * x[1]) ** 2
    curved += 16 * math.sqrt(x[2] + 1) * (2 * x[2] - 1) ** 2
    logs = sum(i * math.log(1 + sum(x[2:i])) for i in range(4, 9))
    assert wide.dette_8d(x[None])[0] == pytest.approx(curved + logs)


def test_inert_inputs_have_no_effect_and_the_fast_one_is_ten_times_faster():
    rng = np.random.default_rng(0)
    for name, active in (("peaks-inert-4d", 2), ("hartmann-inert-6d", 3), ("otl-20d", 6)):
        benchmark = find_benchmark(name)
        u = rng.random((50, benchmark.dim))
        other = np.hstack([u[:, :active], rng.random((50, benchmark.dim - active))])
        np.testing.assert_array_equal(benchmark(u), benchmark(other))
        assert pilot(benchmark).deviation > 0
    fast, u, h = find_benchmark("one-fast-3d"), rng.random((4000, 3)), 1e-6
    slopes = [np.mean(np.abs(fast(u + step) - fast(u))) / h for step in h * np.eye(3)]
    assert 7 < slopes[0] / slopes[1] < 13
    assert slopes[1] == pytest.approx(slopes[2], rel=1e-3)


def test_a_list_gives_what_was_measured_and_is_judged_where_it_lies():
    data, benchmark = load_measured_data("airfoil"), find_benchmark("airfoil-list")
    np.testing.assert_array_equal(benchmark(data.U[[3, 700]]), data.y[[3, 700]])
    Z, values = held_out(benchmark)
    assert len(Z) == len(benchmark.domain.points) == 1503
    assert sorted(values) == sorted(data.y)
    cell = compute(Job("airfoil-list", "fps", 0, 3))
    assert benchmark.domain.contains(cell.x).all()


def test_suites_consist_of_benchmarks_that_exist():
    used = {name.partition("+")[0] for suite in SUITES.values() for name in suite.benchmarks}
    assert set(suite_benchmarks()) <= used
    for suite in SUITES.values():
        assert [find_benchmark(name).name for name in suite.benchmarks] == list(suite.benchmarks)
    assert [s for s in SUITES if s.startswith("batch")] == ["batch-8", "batch-24", "batch-96"]
    assert {find_benchmark(n).dim for n in SUITES["wide"].benchmarks} == {8, 10, 12, 20}
    result = CliRunner().invoke(bench, ["suites"])
    assert "equiwarp bench run --suite noise-50 --seeds 5 --out out" in result.output
    result = CliRunner().invoke(bench, ["run", "--suite", "nope", "--out", "x"])
    assert "unknown suite 'nope'; choose from named" in str(result.exception)


# The study and its page


def test_the_study_judges_each_design_once_and_resumes(tmp_path: Path):
    suite = Suite("tiny", "Tiny", ("front-2d", "peak-2d+batch=2"), (2, 4))
    tasks = suite_tasks(suite, [0], ["fps"])
    run_suites(tmp_path, tasks[:1])
    left: list[object] = []
    run_suites(tmp_path, tasks, progress=lambda todo: left.extend(todo) or todo)
    assert left == tasks[1:]
    records = read_records(tmp_path / "suites.csv")
    assert [(r["benchmark"], r["rounds"]) for r in records] == [
        ("front-2d", 2), ("front-2d", 4), ("peak-2d+batch=2", 2), ("peak-2d+batch=2", 4),
    ]  # fmt: skip
    [cell] = load_cells(tmp_path, benchmarks=["front-2d"])
    error = math.sqrt(average_error(cell.spec, cell.x[:12], cell.y[:12])) / cell.seeded.deviation
    assert records[0]["error"] == pytest.approx(error, rel=1e-5)
    pack_designs([cell], tmp_path / "packed")
    run_suites(tmp_path / "again", tasks[:1], tmp_path / "packed")
    assert not (tmp_path / "again" / "cells").exists()
    assert read_records(tmp_path / "again" / "suites.csv") == records[:2]


def test_a_dear_arm_may_have_fewer_rounds():
    (task,) = suite_tasks(Suite("tiny", "Tiny", ("front-2d",), (2, 4, 8)), [0], ["fps"], most_rounds=5)
    assert (task.judged, task.job.rounds) == ((2, 4), 4)
    with pytest.raises(InvalidInput, match="first judged after 96 rounds, not 50"):
        suite_tasks(SUITES["batch-8"], [0], most_rounds=50)


def record(benchmark, arm, seed, rounds, error):
    return {"benchmark": benchmark, "arm": arm, "seed": seed, "rounds": rounds, "error": error, "commit": "c"}


def test_trajectories_are_linear_in_the_logarithm_between_checkpoints():
    records = [record("levy-2d", "fps", 0, t, e) for t, e in ((0, 1.0), (2, 0.25))]
    found = suite_trajectories([*records, record("levy-2d", "map", 0, 2, 0.1)])
    deviation = pilot(find_benchmark("levy-2d")).deviation
    np.testing.assert_allclose(found.errors["levy-2d", "fps"][0], deviation**2 * np.array([1, 0.25, 0.0625]))
    assert ("levy-2d", "map") not in found.errors  # it was not judged from the start on


def test_the_page_has_areas_savings_suites_batches_and_the_oracles_share():
    records = []
    for seed in (0, 1):
        for arm, rate in (("fps", 0.01), ("map", 0.02), ("oracle-map", 0.04)):
            records += [record("levy-2d", arm, seed, t, math.exp(-rate * t)) for t in (0, 50, 100, 200)]
        records += [record("otl-6d", "fps", seed, 80, 0.2), record("otl-6d", "map", seed, 80, 0.1)]
        records.append(record("levy-2d+batch=24", "fps", seed, 96, 0.5))
        records.append(record("levy-2d+batch=24", "map", seed, 96, 1.1 * math.exp(-0.02 * 96)))
    page = choosing_page([], "the command", Beside(records, notes="Notes by hand."))
    assert "| Levy (2D) | 0–1 | 50.0 ± 0.0 |" in page  # half the rounds of FPS
    assert "| OTL circuit (6D) | 0–1 | 50 ± 0 |" in page
    assert "| `map` | Batches of 24 | 2 | -10 ± 0 |" in page
    assert page.endswith("Notes by hand.\n")
    gains = [1 - area(rate, ORACLE_ROUNDS) / area(0.01, ORACLE_ROUNDS) for rate in (0.02, 0.04)]
    share = oracle_share(suite_trajectories(records), "map")
    assert share == pytest.approx(100 * gains[0] / gains[1])
    assert f"| {share:.0f} |" in page


def test_areas_are_compared_over_the_rounds_that_all_arms_have_reached():
    rates = {"fps": 0.01, "map": 0.02, "vigf": 0.04}
    ends = {"fps": 200, "map": 100, "vigf": 100}
    records = [
        record("levy-2d", arm, 0, t, math.exp(-rate * t))
        for arm, rate in rates.items()
        for t in (0, 50, 100, 200)
        if t <= ends[arm]
    ]
    found = suite_trajectories(records)
    assert areas_reached(found, ["map", "vigf"]) == (50, 100)
    assert areas_reached(found, ["fps"]) == (50, 100, 200)
    page = choosing_page([], "the command", Beside(records))
    assert "Area reduction after 100 rounds, per cent:" in page
    assert "AR, 200 rounds" not in page
    assert f"| Levy (2D) | 0 | {100 * (1 - area(0.02, 100) / area(0.01, 100)):.1f} |" in page


def area(rate, rounds):
    return sum(math.exp(-2 * rate * t) for t in range(1, rounds + 1))
