"""Heavy work in processes: answers come back, nobody takes them all, and what nobody waits for is ended."""

from __future__ import annotations

import operator
import os
import pickle
import subprocess
import sys

import pytest

from equiwarp import Box, build_map
from equiwarp.exceptions import ComputationEnded, Exhausted
from equiwarp.web.jobs import HeavyJob
from equiwarp.web.processes import Processes
from tests.web.endless import endless
from tests.web.patience import GUARD, answer, at_last, until


@pytest.fixture
def processes():
    made = Processes(2)
    yield made
    made.close()


def begun(processes, campaign, work, *arguments, **options):
    job = HeavyJob(campaign, work, arguments, **options)
    processes.submit(job)
    return job


def test_a_job_comes_back_with_its_answer(processes):
    assert answer(begun(processes, 1, operator.add, 2, 3)) == 5
    assert answer(begun(processes, 1, operator.add, 2, 3, finish=str)) == "5"
    assert answer(begun(processes, 1, os.getpid)) != os.getpid()


def raise_exhausted():
    raise Exhausted("none left")


def test_errors_come_back_as_they_are_and_foreign_ones_with_their_words(processes):
    with pytest.raises(Exhausted, match="none left"):
        answer(begun(processes, 1, raise_exhausted))
    with pytest.raises(ComputationEnded, match="ZeroDivisionError"):
        answer(begun(processes, 1, operator.truediv, 1, 0))
    with pytest.raises(ComputationEnded):
        answer(begun(processes, 1, lambda: 1))  # it cannot be sent
    assert answer(begun(processes, 1, operator.add, 1, 1)) == 2


def next_beside(running, waiting):
    """Which of the waiting jobs is next in two processes, one of which is busy."""
    idle = Processes(2)  # it has no threads yet: nothing happens by itself
    idle._running, idle._waiting = [running], waiting
    return idle._fairest()


def test_one_campaign_never_has_all_processes(processes):
    second, other = HeavyJob(1, endless, ()), HeavyJob(2, endless, ())
    assert next_beside(HeavyJob(1, endless, ()), [second]) is None
    assert next_beside(HeavyJob(1, endless, ()), [second, other]) is other
    slow = [begun(processes, 1, endless) for _ in range(4)]
    assert answer(begun(processes, 2, operator.add, 1, 1)) == 2
    assert not any(job.future.done() for job in slow)


def test_work_in_the_background_leaves_a_process_to_visitors(processes):
    more, visitor = HeavyJob(2, endless, (), background=True), HeavyJob(3, endless, ())
    assert next_beside(HeavyJob(1, endless, (), background=True), [more]) is None
    assert next_beside(HeavyJob(1, endless, (), background=True), [more, visitor]) is visitor
    for campaign in range(1, 5):
        begun(processes, campaign, endless, background=True)
    assert answer(begun(processes, 9, operator.add, 1, 1)) == 2


def test_visitors_come_first_and_then_whoever_was_served_longest_ago(processes):
    order = []
    blocking = [begun(processes, 1, endless), begun(processes, 2, endless)]
    until(lambda: len(processes._running) == 2, "work in both processes")

    def waiting(campaign, **options):
        return begun(processes, campaign, abs, campaign, finish=lambda c: order.append(c), **options)

    waiting(7, background=True)
    jobs = [waiting(campaign) for campaign in (5, 5, 6)]
    last = waiting(1)  # served before the others
    joined = waiting(8, background=True)
    assert joined.join()  # now a visitor waits for it, too
    blocking[0].leave()
    for job in (*jobs, last, joined):
        job.future.result(GUARD)
    assert order[0] == 5
    assert order.index(6) < order.index(1)
    assert order.index(8) < order.index(1)
    assert 7 not in order[:5]


def test_a_job_nobody_waits_for_is_ended_and_its_process_with_it(processes):
    job = begun(processes, 1, endless)
    assert job.join()
    job.leave()
    job.leave()
    with pytest.raises(ComputationEnded, match="nobody waits"):
        job.future.result(GUARD)
    assert not job.join() or job.future.done()
    queued = begun(processes, 1, operator.add, 1, 1)
    assert answer(queued) == 2  # the campaign's only process is free again


def test_a_job_that_waits_is_dropped_before_it_begins(processes):
    begun(processes, 1, endless)
    job = begun(processes, 1, endless)
    job.leave()
    with pytest.raises(ComputationEnded, match="nobody waits"):
        job.future.result(GUARD)
    assert job not in processes._waiting


def test_one_who_waits_leaves_when_told_and_the_others_stay(processes):
    job = begun(processes, 1, endless)
    assert job.join()
    with pytest.raises(ComputationEnded, match="nobody waits"):
        at_last(lambda: job.wait(lambda: True), "that whoever leaves waits no longer")
    assert job.wanted
    assert not job.future.done()


def test_a_process_that_the_machine_ends_is_replaced(processes):
    with pytest.raises(ComputationEnded, match="by the machine"):
        answer(begun(processes, 1, os._exit, 9))
    assert answer(begun(processes, 1, operator.add, 1, 1)) == 2


def test_closing_ends_everything_at_once():
    processes = Processes(2)
    jobs = [begun(processes, campaign, endless) for campaign in (1, 2, 3)]
    until(lambda: len(processes._workers) == 2, "two processes")
    children = [worker.process for worker in processes._workers]
    processes.close()
    for job in jobs:
        with pytest.raises(ComputationEnded, match="stopped"):
            job.future.result(0)
    for child in children:
        child.join(GUARD)
        assert child.exitcode is not None
    with pytest.raises(ComputationEnded, match="stopped"):
        answer(begun(processes, 1, operator.add, 1, 1))


UNPACK = """
import pickle, sys
import equiwarp.web.app
from equiwarp.web.processes import load_ahead
load_ahead()
before = set(sys.modules)
pickle.load(sys.stdin.buffer)
print(sorted(set(sys.modules) - before))
"""


def test_the_first_map_finds_all_that_it_needs_loaded(rng):
    """To load the linear algebra takes longer than to fit 40 values."""
    box = Box({"temperature": (20, 90), "pH": (3, 9)})
    x = box.sample(6, rng)
    packed = pickle.dumps(build_map(box, x, x[:, 0] / 10 + x[:, 1]))
    ran = subprocess.run([sys.executable, "-c", UNPACK], input=packed, capture_output=True, check=True)
    assert ran.stdout.decode().strip() == "[]"


def test_what_is_known_needs_no_process():
    assert answer(HeavyJob.known(7)) == 7
