"""What a run does beside its choices: it fits models, tells values, and leaves the cores to the workers."""

from __future__ import annotations

import threading
from importlib import import_module

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import equiwarp as ew
from equiwarp._util.side_by_side import each, side_by_side
from equiwarp.campaign.chooser import Chooser
from equiwarp.campaign.learning import learn_beside
from equiwarp.strategy import map_models
from tests._util.test_threads import blas_threads
from tests.runner.test_processes import LIMIT

BOX = ew.Box({"x": (0, 1), "y": (0, 2)})


@pytest.mark.parametrize(("cores", "expected"), [(2, {1}), (3, {2})])
def test_choices_have_one_thread_if_the_workers_leave_them_no_core(monkeypatch, cores, expected):
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    seen = set()

    def function(x, y):
        seen.update(blas_threads())
        return x

    with threadpool_limits(2, user_api="blas"):
        ew.run(function, BOX, budget=2, executor="threads", workers=2, strategy="fps")
        assert seen == expected
        assert blas_threads() == {2}


def test_parts_are_worked_off_in_their_order_and_together_only_where_that_is_wanted():
    together = threading.Barrier(3)

    def work(i):
        together.wait(LIMIT)  # breaks unless all three are at work
        return 10 * i

    with side_by_side():
        assert each(work, range(3)) == [0, 10, 20]
    names = each(lambda _: threading.current_thread().name, range(3))
    assert set(names) == {threading.current_thread().name}


@pytest.fixture
def campaign(tmp_path):
    found = ew.Campaign("sim", BOX, store=tmp_path / "a.db", noise=0.01)
    x = BOX.sample(24, np.random.default_rng(0))
    found.add(x, np.sin(4 * x[:, 0]) * x[:, 1])
    return found


def test_a_choice_does_not_wait_for_the_fit_that_the_next_one_uses(campaign, monkeypatch):
    plain = [e.point for e in ew.Campaign("sim", store=campaign.store).preview(2)]
    chooser = learn_beside(campaign)
    assert [e.point for e in campaign.preview(2)] == plain  # as any other, and it has learnt
    chooser.beside = True
    go, fit, fitted = threading.Event(), map_models.fit, []

    def patient(task):
        assert go.wait(LIMIT)
        fitted.append(len(task.y))
        return fit(task)

    monkeypatch.setattr(map_models, "fit", patient)
    x = BOX.sample(16, np.random.default_rng(1))
    campaign.add(x, np.sin(4 * x[:, 0]) * x[:, 1])
    before = chooser._learnt
    assert len(campaign.preview(2)) == 2  # while the fit waits
    assert chooser._learnt is before
    go.set()
    chooser._fitting.join(LIMIT)
    assert set(fitted) == {40}
    assert chooser._learnt is not before
    chooser.beside = False
    assert [e.point for e in campaign.preview(2)] == [
        e.point for e in ew.Campaign("sim", store=campaign.store).preview(2)
    ]


def test_a_fit_that_fails_beside_is_made_by_the_next_choice_which_says_why(campaign, monkeypatch):
    chooser = learn_beside(campaign)
    campaign.preview()
    chooser.beside = True

    def fails(*_):
        raise ArithmeticError("no summit")

    monkeypatch.setattr("equiwarp.strategy.map_models._fit", fails)
    x = BOX.sample(16, np.random.default_rng(1))
    campaign.add(x, x[:, 0])
    campaign.preview()
    chooser._fitting.join(LIMIT)
    with pytest.raises(ArithmeticError, match="no summit"):
        campaign.preview()


def test_another_kind_of_choice_is_made_as_ever(campaign):
    chooser = learn_beside(campaign)
    campaign.preview()
    chooser.beside = True
    assert chooser.let(lambda own: own is chooser) is True
    assert chooser.described_by(campaign.spec).let(Chooser.configuration, 0).seed == campaign.spec.seed


def test_a_slow_store_does_not_keep_workers_waiting(monkeypatch):
    """The second experiment begins although the first value is still being told."""
    told, second = threading.Event(), threading.Event()
    tell_all = import_module("equiwarp.runner.loop").tell_all

    def slow(campaign, outcomes):
        assert told.wait(LIMIT)
        return tell_all(campaign, outcomes)

    def function(x, y):
        if calls.count(0) == 0:
            calls.append(0)
        else:
            second.set()
            told.set()
        return x

    calls = []
    monkeypatch.setattr("equiwarp.runner.loop.tell_all", slow)
    runner = ew.start_run(function, BOX, budget=3, executor="threads", workers=2, strategy="fps")
    campaign = runner.wait(LIMIT)
    assert second.is_set()
    assert campaign.status().counts["done"] == 3
