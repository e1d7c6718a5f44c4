"""`ew.run`: a function in, a campaign with its values out; failures, limits and the end of it."""

from __future__ import annotations

import asyncio
import functools
import gc
import math
import shutil
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import equiwarp as ew
from tests.runner import functions

BOX = ew.Box({"x": (0, 1), "y": (0, 2)})
LIMIT = 60  # seconds after which a barrier gives up; nothing here takes as long
quick = functools.partial(ew.run, executor="threads", workers=2, strategy="fps", progress=False)


def test_every_experiment_of_the_budget_has_the_functions_value():
    campaign = ew.run(functions.product, BOX, budget=12, workers=2, progress=False)
    done = campaign.experiments("done")
    assert len(done) == 12
    assert all(e.value == e.point["x"] * e.point["y"] for e in done)
    assert {e.origin for e in done} == {"sequence", "model"} or BOX.n0 >= 12
    assert campaign.map().error()[0].value > 0


@pytest.mark.parametrize(
    ("function", "responses"),
    [
        (lambda x, y: {"sum": x + y, "product": x * y}, ("sum", "product")),
        (lambda x, y: (x, y), ("value1", "value2")),
        (lambda z: np.array([z[0]]), ("value",)),
    ],
)
def test_several_responses_by_name_in_order_or_as_an_array(function, responses):
    campaign = quick(function, BOX, budget=3)
    assert campaign.responses == responses
    assert campaign.status().counts["done"] == 3


def test_all_workers_compute_at_the_same_time():
    together = threading.Barrier(3)

    def function(x, y):
        together.wait(LIMIT)  # breaks if fewer than three are at work
        return x

    campaign = quick(function, BOX, budget=9, workers=3)
    assert campaign.status().counts["done"] == 9


def test_coroutines_wait_together():
    waiting, most = 0, 0

    async def function(x, y):
        nonlocal waiting, most
        waiting += 1
        most = max(most, waiting)
        while most < 5:
            await asyncio.sleep(0.001)
        waiting -= 1
        return x

    campaign = ew.run(function, BOX, budget=10, workers=5, strategy="fps", progress=False)
    assert campaign.status().counts["done"] == 10
    assert most == 5
    with pytest.raises(ew.InvalidInput, match="event loop of its own"):
        ew.run(function, BOX, budget=10, executor="threads")


def test_an_executor_of_your_own_stays_open_and_says_how_many_it_takes():
    class Silent:
        def submit(self, *_):
            raise NotImplementedError

    with ThreadPoolExecutor(2) as pool:
        assert quick(functions.product, BOX, budget=3, executor=pool).status().counts["done"] == 3
        assert pool.submit(lambda: 7).result(LIMIT) == 7
    with pytest.raises(ew.InvalidInput, match="Silent does not say how many workers"):
        ew.run(functions.product, BOX, budget=3, executor=Silent())
    with pytest.raises(ew.InvalidType, match="got 3"):
        ew.run(functions.product, BOX, budget=3, executor=3)
    with pytest.raises(ew.InvalidInput, match="got 'cloud'"):
        ew.run(functions.product, BOX, budget=3, executor="cloud")


# Failures


class Unreadable:
    """An object that cannot even be shown."""

    def __repr__(self):
        raise RuntimeError("not for you")


class UnreadableError(Exception):
    """One that cannot say what it is."""

    def __str__(self):
        raise RuntimeError("not for you")


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_an_exception_is_a_failed_experiment_with_its_traceback(executor):
    campaign = quick(functions.fails_on_the_left, BOX, budget=8, executor=executor)
    assert {e.state for e in campaign.experiments() if e.point["x"] >= 0.5} == {"done"}
    failed = campaign.experiments("failed")
    assert {e.point["x"] < 0.5 for e in failed} == {True}
    first, _, rest = failed[0].reason.partition("\n")
    assert first == f"ValueError: no solution at x = {failed[0].point['x']}"
    assert "in fails_on_the_left" in rest
    assert "functions.py" in rest


@pytest.mark.parametrize("value", [math.nan, None, "fast", 1e300, [1, [2, 3]], Unreadable()])
def test_what_is_no_value_is_a_failure_of_that_experiment_alone(value):
    campaign = quick(lambda x, y: value if x < 0.5 else 1.0, BOX, budget=8)
    counts = campaign.status().counts
    assert counts["failed"] > 0
    assert counts["done"] == 8 - counts["failed"]
    assert "returned what is no value" in campaign.experiments("failed")[0].reason


@pytest.mark.parametrize(
    "partial",
    [
        {"sum": 1.0},
        {"sum": 1.0, "product": None},
        {"sum": 1.0, "product": math.nan},
        {"sum": np.float32(1.0), "product": np.float32("inf")},
        (1.0, math.nan),
        np.array([1.0, -math.inf]),
    ],
)
def test_a_value_without_one_of_the_responses_is_a_failure_that_keeps_the_others(partial, tmp_path):
    """Nobody would tell the rest: pending for ever, it would count as done and use up the budget."""
    campaign = ew.Campaign("two", BOX, store=tmp_path / "a.db", responses=["sum", "product"], strategy="fps")
    runner = ew.start_run(
        lambda x, y: partial if x < 0.5 else {"sum": x + y, "product": x * y},
        campaign,
        budget=8,
        executor="threads",
    )
    runner.wait(LIMIT)
    counts = campaign.status().counts
    assert counts["pending"] == 0
    assert 0 < counts["failed"] == runner.progress().failed
    failed = campaign.experiments("failed")[0]
    assert failed.values == {"sum": 1.0}
    assert failed.reason == "the function returned no value of 'product'"


def test_a_list_with_an_empty_place_is_one_too(tmp_path):
    campaign = ew.Campaign("two", BOX, store=tmp_path / "a.db", responses=["a", "b"], strategy="fps")
    quick_on = functools.partial(ew.run, executor="threads", workers=1, progress=False)
    for empty in ([1.0, None], np.array([1.0, None], dtype=object)):
        quick_on(lambda x, y, empty=empty: empty, campaign, budget=campaign.status().asks + 1)
    assert [e.state for e in campaign.experiments()] == ["failed", "failed"]


@pytest.mark.parametrize("none", [{"a": math.nan, "b": math.nan}, [math.nan, math.inf], np.full(2, math.nan)])
def test_of_values_none_of_which_is_finite_the_experiment_has_failed(none, tmp_path):
    campaign = ew.Campaign("two", BOX, store=tmp_path / "a.db", responses=["a", "b"], strategy="fps")
    ew.run(lambda x, y: none, campaign, executor="threads", workers=1, progress=False, budget=2)
    failed = campaign.experiments("failed")
    assert len(failed) == 2
    assert all(e.values is None and e.reason for e in failed)


@pytest.mark.parametrize("executor", ["threads", "processes"])
@pytest.mark.parametrize("error", [ValueError("half \ud800 and \0"), UnreadableError()])
def test_an_exception_may_say_anything_or_nothing(error, executor):
    def function(x, y):
        if x < 0.5:
            raise error
        return x

    campaign = quick(function, BOX, budget=8, executor=executor)
    assert campaign.status().counts["pending"] == 0
    line = campaign.experiments("failed")[0].reason.splitlines()[0]
    assert line in (
        r"ValueError: half \ud800 and \x00",
        "UnreadableError: its text cannot be read (RuntimeError)",
    )


def test_a_coroutine_that_exits_has_failed_and_the_others_go_on():
    async def function(x, y):
        if x < 0.5:
            raise SystemExit(3)
        return x

    runner = ew.start_run(function, BOX, budget=6, workers=2, strategy="fps")
    campaign = runner.wait(LIMIT)
    assert not runner.running
    assert campaign.experiments("failed")[0].reason == "SystemExit: 3"
    assert campaign.status().counts["done"] > 0


def test_a_killed_workers_experiment_is_computed_again(tmp_path):
    function = functools.partial(functions.dies_once, folder=tmp_path)
    runner = ew.start_run(function, BOX, budget=4, workers=1, strategy="fps")
    campaign = runner.wait(LIMIT)
    assert [e.state for e in campaign.experiments()] == ["done"] * 4
    assert runner.progress().retried == 1


def test_files_and_networks_are_tried_again_and_wrong_calculations_are_not():
    calls = {"passing": 0, "lasting": 0}

    def passing(x, y):
        calls["passing"] += 1
        if calls["passing"] % 3:
            raise ConnectionError("licence server")
        return x

    def lasting(x, y):
        calls["lasting"] += 1
        raise ZeroDivisionError

    assert quick(passing, BOX, budget=2, workers=1, retries=2).status().counts["done"] == 2
    assert calls["passing"] == 6
    assert quick(lasting, BOX, budget=2, workers=1, retries=2).status().counts["failed"] == 2
    assert calls["lasting"] == 2


def test_workers_that_always_die_fail_their_experiments_after_the_retries():
    campaign = ew.run(functions.dies_always, BOX, budget=2, workers=1, retries=1, progress=False)
    (first, _) = campaign.experiments("failed")
    assert first.reason.startswith("WorkerLost: the worker process ended by signal 9")
    assert "(after 2 attempts)" in first.reason.splitlines()[0]


def test_a_run_whose_first_experiments_all_fail_stops_and_says_why():
    with pytest.raises(ew.RunStopped, match=r"first \d\d experiments failed .* ImportError: no solver"):
        quick(_no_solver, BOX, budget=1000, workers=1)


def _no_solver(x, y):
    raise ImportError("no solver")


def test_a_broken_executor_ends_the_run_and_gives_everything_back(tmp_path):
    campaign = ew.Campaign("broken", BOX, store=tmp_path / "a.db", strategy="fps")
    with ProcessPoolExecutor(1) as pool, pytest.raises(ew.RunStopped, match="executor is broken"):
        ew.run(functions.dies_always, campaign, budget=5, executor=pool, progress=False)
    assert campaign.status().counts["pending"] == 0


# Limits


def test_time_outs_end_processes_and_count_as_failures():
    campaign = ew.run(
        functions.hangs_on_the_left, BOX, budget=4, workers=2, timeout=1.5, strategy="fps", progress=False
    )
    hung = [e for e in campaign.experiments() if e.point["x"] < 0.5]
    assert {(e.state, e.reason) for e in hung} == {("failed", "no value within 1.5 s")}
    assert campaign.status().counts["pending"] == 0


def test_threads_that_hang_are_not_given_more_work():
    wake = threading.Event()
    try:
        with pytest.raises(ew.RunStopped, match="all 2 workers are stuck"):
            quick(lambda x, y: wake.wait(LIMIT), BOX, budget=10, timeout=0.05)
    finally:
        wake.set()


def test_a_late_value_of_a_thread_is_not_told():
    """Its worker counts as busy until it returns, and is used again afterwards."""
    late = threading.Event()
    first, slow = threading.Lock(), []

    def function(x, y):
        if first.acquire(blocking=False):
            slow.append(x)
            late.wait(LIMIT)
        return x

    def report(progress):
        if progress.failed:
            late.set()

    campaign = quick(function, BOX, budget=6, timeout=0.5, progress=report)
    assert {e.state for e in campaign.experiments() if e.point["x"] in slow} == {"failed"}
    assert len(campaign.experiments(("done", "failed"))) == 6


def test_coroutines_are_cancelled_when_their_time_is_over():
    cancelled = []

    async def function(x, y):
        try:
            if x < 0.5:
                await asyncio.sleep(LIMIT)
        except asyncio.CancelledError:
            cancelled.append(x)
            raise
        return x

    campaign = ew.run(function, BOX, budget=6, workers=2, timeout=0.2, strategy="fps", progress=False)
    assert cancelled
    assert {e.state for e in campaign.experiments() if e.point["x"] in cancelled} == {"failed"}


def test_the_stop_rule_ends_the_run():
    runner = ew.start_run(
        functions.product, BOX, stop=ew.StopRule(error=100), budget=500, executor="threads", workers=1
    )
    campaign = runner.wait()
    assert "map error" in runner.reason
    assert 5 <= campaign.status().counts["done"] < 500
    assert campaign.status().counts["pending"] == 0
    again = ew.start_run(functions.product, campaign, stop=ew.StopRule(error=100), executor="threads")
    again.wait()
    assert again.progress().done == 0  # good enough already


def test_a_rule_for_a_response_that_is_not_measured_ends_the_run():
    rule = ew.StopRule(error={"yield": 0.1})
    with pytest.raises(ew.RunStopped, match=r"no response 'yield'.*Correct the rule"):
        ew.run(functions.product, BOX, stop=rule, executor="threads", strategy="fps", duration=LIMIT)


def test_the_rule_of_a_description_counts():
    spec = ew.CampaignSpec("spec", BOX, n0=6, stop=ew.StopRule(error=100))
    campaign = ew.run(functions.product, spec, executor="threads", progress=False)
    assert campaign.name == "spec"
    assert campaign.status().counts["done"] >= 5


def test_a_list_ends_by_itself():
    alloys = ew.Candidates({"x": [0.0, 1.0, 2.0, 3.0, 4.0], "y": [0.0, 1.0, 0.0, 2.0, 1.0]})
    runner = ew.start_run(functions.product, alloys, executor="threads", workers=2, strategy="fps")
    assert runner.wait().status().counts["done"] == 5
    assert runner.reason == "the domain has no experiment left"
    assert ew.run(functions.product, alloys, executor="threads", progress=False).status().counts["done"] == 5


def test_a_run_that_nothing_would_end_is_refused():
    with pytest.raises(ew.InvalidInput, match="budget, a stop rule or a duration"):
        ew.run(functions.product, BOX)


def test_after_its_duration_nothing_new_begins(monkeypatch):
    clock, at_work = Clock(), threading.Barrier(3)
    monkeypatch.setattr("equiwarp.runner.loop.time", clock)

    def function(x, y):
        at_work.wait(LIMIT)
        while clock.now < 1.0:  # values come when the time is over
            threading.Event().wait(0.001)
        return x

    runner = ew.start_run(function, BOX, duration=0.1, executor="threads", workers=2, strategy="fps")
    at_work.wait(LIMIT)
    clock.now = 1.0
    campaign = runner.wait(LIMIT)
    assert runner.reason == "the time of 0.1 s is over"
    assert campaign.status().counts["done"] == 2
    assert campaign.status().counts["pending"] == 0


class Clock:
    """A clock that stands still until it is set."""

    now = 0.0

    def monotonic(self):
        return self.now


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"budget": 0}, "budget must be a whole number of at least 1"),
        ({"timeout": -1}, "timeout must be a positive number"),
        ({"retries": 0.5}, "retries must be a whole number"),
        ({"workers": 0}, "workers must be a whole number"),
        ({"stop": 0.1}, "stop must be a StopRule"),
        ({"duration": "long"}, "duration must be a number"),
        ({"on_interrupt": "Finish"}, 'on_interrupt must be "finish" or "release"'),
    ],
)
def test_limits_that_make_no_sense_are_refused_before_anything_starts(wrong, message):
    with pytest.raises(ew.EquiwarpError, match=message):
        ew.run(functions.product, BOX, **{"budget": 3, **wrong})


# Going on


def test_a_run_goes_on_to_its_budget_and_then_does_nothing(tmp_path):
    store = tmp_path / "sim.db"
    assert quick(functions.product, BOX, store=store, budget=4).status().counts["done"] == 4
    assert quick(functions.product, BOX, store=store, budget=7).status().counts["done"] == 7
    runner = ew.start_run(functions.product, BOX, store=store, budget=7, executor="threads", strategy="fps")
    runner.wait()
    assert runner.progress().done == 0
    assert ew.Campaign.names(store) == ["product"]


@pytest.mark.parametrize("several", [True, False])
def test_a_run_goes_on_by_its_own_names_when_somebody_renames_what_it_maps(several, tmp_path):
    """Every experiment after the renaming failed: its values were thrown away, and its place was avoided."""
    store = tmp_path / "run.db"
    responses, called = ["a", "b"] if several else ["a"], []
    with ew.Campaign("c", BOX, store=store, strategy="fps", n0=4, responses=responses) as c:

        def function(x, y):
            if not called:
                called.append(True)
                with ew.Campaign("c", store=store) as other:
                    other.rename_parameter("x", "left")
                    other.rename_response("a", "first")
                    other.rename_response("first", "sum")
            return {"a": x + y, "b": x * y} if several else {"a": x + y}

        ew.run(function, c, budget=6, executor="threads", workers=1)
        assert c.status().counts["done"] == 6
        for e in c.experiments():
            assert e.values["sum"] == e.point["left"] + e.point["y"]
            assert e.values.get("b", e.point["left"] * e.point["y"]) == e.point["left"] * e.point["y"]


def test_added_measurements_do_not_use_up_the_budget(tmp_path):
    campaign = ew.Campaign("furnace", BOX, store=tmp_path / "a.db", strategy="fps")
    campaign.add([[0.1, 0.2], [0.3, 0.4]], [1.0, 2.0])
    ew.run(functions.product, campaign, budget=3, executor="threads", progress=False)
    assert campaign.status().counts["done"] == 5
    campaign.withdraw(1, "spilt")
    ew.run(functions.product, campaign, budget=4, executor="threads", progress=False)
    assert campaign.status().counts["done"] == 5  # one of them was added
    with pytest.raises(ew.InvalidInput, match="leave out store, seed"):
        ew.run(functions.product, campaign, budget=3, store="b.db", seed=1)


def test_one_worker_that_chooses_nothing_ahead_repeats_itself():
    def points(seed):
        campaign = quick(functions.product, BOX, budget=14, workers=1, ahead=0, strategy="eig", seed=seed)
        return [tuple(e.point.values()) for e in campaign.experiments()]

    assert points(1) == points(1) != points(2)


def test_progress_is_reported_with_the_error_of_the_map():
    seen = []
    campaign = quick(functions.product, BOX, budget=30, progress=seen.append)
    last = seen[-1]
    assert (last.done, last.failed, last.running, last.ready) == (30, 0, 0, 0)
    assert last.reason == "the budget of 30 experiments is used up"
    assert 0 < last.busy <= 1
    assert last.per_minute > 0
    assert last.error is None or "map error" in str(last)
    assert [p.done for p in seen] == sorted(p.done for p in seen)
    assert campaign.status().counts["done"] == 30


# The handle


def test_a_run_can_be_watched_and_cancelled():
    hold, begun = threading.Event(), threading.Semaphore(0)

    def function(x, y):
        begun.release()
        hold.wait(LIMIT)
        return x

    def start():
        runner = ew.start_run(function, BOX, executor="threads", workers=2, strategy="fps")
        for _ in range(2):
            assert begun.acquire(timeout=LIMIT)
        return runner

    runner = start()
    assert runner.running
    assert "Runner('function'" in repr(runner)
    runner.cancel()
    campaign = runner.wait(LIMIT)
    assert campaign.status().counts["pending"] == 0
    assert campaign.status().counts["released"] == 2
    assert runner.reason == "it was cancelled"

    runner = start()
    runner.cancel(finish=True)
    hold.set()
    assert runner.wait(LIMIT).status().counts["done"] == 2


def test_values_that_cannot_be_told_are_said_with_the_error(tmp_path):
    place = tmp_path / "sim.db"

    def function(x, y):
        place.rename(tmp_path / "elsewhere.db")
        return 7.25

    campaign = ew.Campaign("sim", BOX, store=place, strategy="fps")
    with pytest.raises(ew.StoreError) as caught:
        ew.run(function, campaign, budget=1, executor="threads", progress=False)
    assert any("could not be told" in note and "1: 7.25" in note for note in caught.value.__notes__)


def test_a_bar_of_a_run_that_goes_on_fills_with_what_is_left(tmp_path, monkeypatch):
    lefts = []
    monkeypatch.setattr("equiwarp.runner.progress.ProgressBar", lambda left: lefts.append(left) or print)
    for budget in (4, 10, 10):
        quick(functions.product, BOX, store=tmp_path / "a.db", budget=budget, progress=True)
    assert lefts == [4, 6, None]


@pytest.mark.parametrize("fault", [KeyboardInterrupt, ValueError])
def test_the_values_of_a_run_without_a_store_survive_what_ends_it(fault):
    """Whoever did not name a store has no campaign to hold on to either."""

    def report(progress):
        if progress.done >= 3:
            raise fault("enough")

    with pytest.raises(fault) as caught:
        quick(functions.product, BOX, budget=50, progress=report)
    (note,) = (note for note in caught.value.__notes__ if "values so far" in note)
    store = Path(note.split(" are in ")[1].split(";")[0])
    try:
        campaign = quick(functions.product, BOX, budget=60, store=store)
        assert campaign.status().counts["done"] == 60
        campaign.close()
    finally:
        shutil.rmtree(store.parent)


def test_the_temporary_store_of_a_run_goes_with_its_campaign():
    campaign = quick(functions.product, BOX, budget=2)
    folder = Path(campaign.store.name).parent
    assert folder.is_dir()
    campaign.close()
    del campaign
    gc.collect()
    assert not folder.exists()
