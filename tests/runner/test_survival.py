"""Real processes are killed, interrupted and run side by side: nothing is lost, nothing is done twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

import equiwarp as ew
from equiwarp.runner.ownership import RunIdentity
from tests.runner import functions
from tests.runner.test_processes import LIMIT, gone, until

BOX = ew.Box({"x": (0, 1), "y": (0, 2)})

#: A run in a process of its own; it says where it stands by files in its folder.
PROGRAM = """
import functools, sys
import equiwarp as ew
from tests.runner import functions
store, folder, budget, interrupt = sys.argv[1:]
box = ew.Box({"x": (0, 1), "y": (0, 2)})
function = functools.partial(functions.waits_for, folder=folder)
ew.run(function, box, name="sim", store=store, strategy="fps", n0=4, budget=int(budget), workers=2,
       on_interrupt=interrupt, progress=False)
"""


@pytest.fixture
def start(tmp_path):
    """Start a run; what is left of it after the test is killed."""
    children = []

    def begin(budget=8, interrupt="finish", folder=tmp_path):
        words = [sys.executable, "-c", PROGRAM, tmp_path / "sim.db", folder, str(budget), interrupt]
        child = subprocess.Popen(
            words, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": ":".join(sys.path)}
        )
        children.append(child)
        return child

    yield begin
    for child in children:
        child.kill()
        child.communicate()


def begun(folder, count=2):
    """Processes that compute, once there are so many."""
    until(lambda: len(list(folder.glob("begun-*"))) >= count)
    return [int(file.name.removeprefix("begun-")) for file in folder.glob("begun-*")]


def campaign_of(tmp_path):
    return ew.Campaign("sim", store=tmp_path / "sim.db")


def test_a_killed_run_is_continued_by_the_next(start, tmp_path):
    first = start()
    workers = begun(tmp_path)
    campaign = campaign_of(tmp_path)
    until(lambda: campaign.status().counts["pending"] >= 2)
    first.send_signal(signal.SIGKILL)
    first.wait()
    until(lambda: all(gone(worker) for worker in workers))  # nobody computes for a run that is gone
    lost = {e.id for e in campaign.experiments("pending")}
    assert len(lost) >= 2
    (tmp_path / "go").touch()
    second = start()
    assert second.wait(LIMIT) == 0
    states = {e.id: e.state for e in campaign.experiments()}
    assert {states[id] for id in lost} == {"released"}
    assert sum(state == "done" for state in states.values()) == 8
    assert "pending" not in states.values()


def test_a_living_run_takes_over_from_one_that_dies_beside_it(tmp_path, monkeypatch):
    """The budget is shared: what the dead one had is computed by the other."""
    monkeypatch.setattr("equiwarp.runner.loop.ORPHANS_EVERY", 0.0)
    campaign = ew.Campaign("sim", BOX, store=tmp_path / "sim.db", strategy="fps")
    me = RunIdentity.new()
    dead = RunIdentity(me.host, me.process, me.started + 1, "0123abcd").sign("bob")
    lost = []

    def function(x, y):
        if not lost:
            lost.extend(ew.Campaign("sim", store=tmp_path / "sim.db", who=dead).ask(2))
        return x

    ew.run(function, campaign, budget=4, executor="threads", workers=1, progress=False)
    states = {e.id: e.state for e in campaign.experiments()}
    assert [states[e.id] for e in lost] == ["released"] * 2
    assert list(states.values()).count("done") == 4


def test_two_runs_on_one_store_share_the_budget_exactly(start, tmp_path):
    (tmp_path / "go").touch()
    runs = [start(budget=25), start(budget=25)]
    assert [run.wait(LIMIT) for run in runs] == [0, 0]
    campaign = campaign_of(tmp_path)
    done = campaign.experiments("done")
    assert len(done) == 25
    assert len({tuple(e.point.values()) for e in done}) == 25
    told = [event.experiment for event in campaign.events() if event.what == "told"]
    assert len(told) == len(set(told))
    assert campaign.status().counts["pending"] == 0


def test_ctrl_c_waits_for_what_is_computed(start, tmp_path):
    run = start()
    begun(tmp_path)
    run.send_signal(signal.SIGINT)
    assert "waiting for 2 experiments" in run.stderr.readline() + run.stderr.readline()
    (tmp_path / "go").touch()
    assert run.wait(LIMIT) == -signal.SIGINT
    counts = campaign_of(tmp_path).status().counts
    assert (counts["done"], counts["pending"]) == (2, 0)


@pytest.mark.parametrize("interrupt", ["finish", "release"])
def test_a_second_ctrl_c_or_the_first_by_choice_gives_it_back_at_once(start, tmp_path, interrupt):
    run = start(interrupt=interrupt)
    workers = begun(tmp_path)
    run.send_signal(signal.SIGINT)
    if interrupt == "finish":
        assert "waiting for 2" in run.stderr.readline() + run.stderr.readline()
        run.send_signal(signal.SIGINT)
    assert run.wait(LIMIT) == -signal.SIGINT
    counts = campaign_of(tmp_path).status().counts
    assert (counts["done"], counts["pending"]) == (0, 0)
    until(lambda: all(gone(worker) for worker in workers))


def test_sigterm_gives_everything_back_and_ends_the_program(start, tmp_path):
    run = start()
    workers = begun(tmp_path)
    run.send_signal(signal.SIGTERM)
    assert run.wait(LIMIT) == -signal.SIGTERM
    counts = campaign_of(tmp_path).status().counts
    assert (counts["done"], counts["pending"]) == (0, 0)
    until(lambda: all(gone(worker) for worker in workers))


def test_children_that_a_function_forks_can_be_terminated():
    """A pool of the standard library ends its workers so; they have inherited what the run does then."""
    script = """
import multiprocessing
import equiwarp as ew

def function(x):
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(abs, (x,))

box = ew.Box({"x": (0, 1)})
print(ew.run(function, box, budget=2, executor="threads", workers=1, strategy="fps").status().counts["done"])
"""
    environment = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
    words = [sys.executable, "-W", "ignore", "-c", script]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, env=environment)
    assert ended.stdout.strip() == "2", ended.stderr


def test_experiments_of_people_and_of_living_runs_are_left_alone(tmp_path):
    campaign = ew.Campaign("sim", BOX, store=tmp_path / "sim.db", strategy="fps")
    (of_person,) = campaign.ask()
    living = RunIdentity.new()
    (of_living,) = ew.Campaign("sim", store=campaign.store, who=living.sign("ada")).ask()
    gone_since = RunIdentity(living.host, living.process, living.started + 1, "0123abcd")
    (of_dead,) = ew.Campaign("sim", store=campaign.store, who=gone_since.sign("bob")).ask()
    elsewhere = RunIdentity("another-machine", 1, 1, "0123abcd")
    (of_other,) = ew.Campaign("sim", store=campaign.store, who=elsewhere.sign("eve")).ask()
    runner = ew.start_run(functions.product, campaign, budget=6, executor="threads")
    runner.wait()
    states = {e.id: e.state for e in campaign.experiments()}
    assert [states[e.id] for e in (of_person, of_living, of_other)] == ["pending"] * 3
    assert states[of_dead.id] == "released"
    assert runner.notes == (f"experiment {of_dead.id} was released: the run that had it is gone",)


def test_a_run_elsewhere_is_given_up_when_its_time_limits_are_long_over(tmp_path, monkeypatch):
    monkeypatch.setattr("equiwarp.runner.ownership.GRACE", -1e6)
    elsewhere = RunIdentity("another-machine", 1, 1, "0123abcd").sign("eve")
    campaign = ew.Campaign("sim", BOX, store=tmp_path / "sim.db", strategy="fps", who=elsewhere)
    (lost,) = campaign.ask()
    ew.run(functions.product, campaign, budget=3, timeout=60, executor="threads", progress=False)
    assert campaign.experiment(lost.id).state == "released"


def test_a_signature_reads_back_and_a_name_is_none():
    me = RunIdentity.new()
    assert RunIdentity.read(me.sign("ada@lab (night shift)")) == me
    assert RunIdentity.read("ada@lab") is None
    assert me.alive()
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert RunIdentity(me.host, child.pid, 0, "x").alive() is False
    assert RunIdentity("elsewhere", 1, 0, "x").alive() is None
