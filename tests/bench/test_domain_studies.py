"""Studies of starts and failures: runs that can be resumed, and pages that say what was found."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.functions.hidden_regions import ACCIDENTS, DRAWN, drawn_region, find_hidden
from equiwarp.bench.functions.random_mixed import random_mixed
from equiwarp.bench.pages.failures_page import failures_page
from equiwarp.bench.pages.start_page import start_page
from equiwarp.bench.studies import failures, start


def test_a_random_mixed_function_has_categories_that_differ_and_is_the_same_tomorrow():
    benchmark = find_benchmark("random:mixed-2d-7")
    x = benchmark.domain.sample(64, np.random.default_rng(0))
    np.testing.assert_array_equal(benchmark(x), random_mixed(2, 7)(x))
    other = x.copy()
    other[:, 2] = (x[:, 2] + 1) % len(benchmark.domain.categories["kind"])
    assert np.abs(benchmark(other) - benchmark(x)).mean() > 0.1
    assert {len(random_mixed(2, seed).own) for seed in range(40)} == set(range(3, 9))


def test_starts_are_judged_at_the_same_numbers_of_points(tmp_path, monkeypatch):
    group = start.Group("two numbers and a category", ("mixed",), 2, (8, 12), (10, 14))
    monkeypatch.setattr(start, "GROUPS", (group,))
    path = tmp_path / "start.csv"
    records = start.run_starts(path, [0])
    assert [(r["start"], r["points"]) for r in records] == [(8, 10), (8, 14), (12, 10), (12, 14)]
    assert all(0.01 < r["error"] < 3 for r in records)
    assert records[0]["error"] != records[2]["error"]  # one has chosen two points, the other is in its start
    text = path.read_text()
    start.run_starts(path, [0])
    assert path.read_text() == text


def test_the_page_of_starts_compares_with_the_largest():
    (group, *_) = start.GROUPS
    records = [
        {
            "group": group.title,
            "benchmark": f"b{i}",
            "seed": 0,
            "start": s,
            "points": p,
            "error": 0.1 + (s > 20) * 0.1,
        }
        for i in range(3)
        for s in group.starts
        for p in group.points
    ]
    text = start_page(records, "equiwarp bench study start")
    assert "| 12 | 3 | 0.100 (50 ± 0) |" in text
    assert "| 40 | 3 | 0.200 |" in text


@pytest.mark.parametrize("arm", [failures.WAITING, failures.LEARNT])
def test_failures_are_counted_and_the_error_is_over_what_works(arm, monkeypatch):
    monkeypatch.setattr(failures, "POINTS", (12, 15))
    early, late = failures.judge(("corner", "branin", arm, 0))
    assert (early.points, late.points) == (12, 15)
    assert 2 <= late.failures <= 8
    assert early.failures <= late.failures
    assert 0.05 < late.error < 1.5


def test_a_drawn_region_is_part_of_the_domain_and_the_same_tomorrow():
    shares = []
    for seed in range(8):
        hidden = find_hidden("regimes-2d", DRAWN, seed)
        x = hidden.domain.sample(2048, np.random.default_rng(0))
        np.testing.assert_array_equal(hidden.works(x), drawn_region(2, seed)(x))
        shares.append(np.mean(~hidden.works(x)))
    assert 0.07 < min(shares) < 0.25 < max(shares) < 0.43
    assert {case[1] for case in failures.failure_cases([0], ["named"])} == {"branin", "franke", "front"}


def test_a_flagged_accident_is_repeated_at_once():
    domain = find_hidden("branin", ACCIDENTS, 0).domain
    x = domain.sample(4, np.random.default_rng(0))
    done = np.array([True, True, False, True])
    known = failures.arm_measurements(domain, failures.FLAGGED, x, np.zeros((4, 1)), done)
    assert known.failed is None
    assert len(known.pending) == 0
    assert failures.waiting_list(domain, x, done).tolist() == [False, False, True, False]


def test_the_page_of_failures_says_how_many_fewer():
    records = [
        {
            "region": region,
            "function": f,
            "arm": arm,
            "seed": s,
            "points": n,
            "failures": 10 - 4 * (arm == "learnt") + s,
            "error": 0.1,
        }
        for region, f in (("disc", "branin"), ("disc", "front"), ("drawn", "local-2d"))
        for s in (0, 1)
        for arm in ("waiting list", "learnt")
        for n in failures.POINTS
    ]
    text = failures_page(records, "equiwarp bench study failures")
    assert "| disc, learnt | 4 | 6.5 | 4.0 ± 0.0 | 0.100 | 0 ± 0 | 0 ± 0 | 0 ± 0 |" in text
    assert "| drawn, waiting list | 2 | 10.5 |" in text


def test_the_page_of_starts_has_what_ten_points_and_choosing_saved():
    records = [
        {
            "group": "random",
            "benchmark": f"b{i}",
            "dim": 6,
            "seed": 0,
            "arm": arm,
            "points": n,
            "error": error,
        }
        for i in range(2)
        for arm, error in (("fps", 0.4), ("map", 0.3))
        for n in (20, 40, 80)
    ]
    text = start_page([], "equiwarp bench study start", records)
    assert "| random, 6 | 100 | 2 | 25 ± 0 | 25 ± 0 | 25 ± 0 |" in text
