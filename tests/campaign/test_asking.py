"""Several people ask at once, and connections are lost after a commit: nobody gets what another got."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.campaign import asking
from equiwarp.store import steps

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


@pytest.fixture
def ann(tmp_path):
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", strategy="fps", n0=5, who="ann") as made:
        yield made


@pytest.fixture
def bob(ann):
    with ew.Campaign("c", store=ann.store.name, who="bob") as made:
        yield made


@pytest.fixture
def meanwhile(monkeypatch):
    """``meanwhile(step, work)``: the work is done when the step is reached for the first time."""

    def arrange(step, work):
        def watch(name):
            if name == step and watch in steps.watchers:
                steps.watchers.remove(watch)
                work()

        monkeypatch.setattr(steps, "watchers", [watch])

    return arrange


def apart(first, second):
    z = BOX.to_cube(np.array([list(first.point.values()), list(second.point.values())]))
    return np.linalg.norm(z[0] - z[1])


@pytest.mark.parametrize("step", ["ask:begun", "ask:chosen"])
def test_who_asks_while_another_chooses_gets_another_number_and_a_point_elsewhere(ann, bob, meanwhile, step):
    ann.ask(5)
    others = []
    meanwhile(step, lambda: others.extend(bob.ask(1)))
    mine, theirs = ann.ask(1)[0], others[0]
    assert mine.id != theirs.id
    assert ann.experiment(mine.id).ask != ann.experiment(theirs.id).ask
    assert apart(mine, theirs) > 0.5 * BOX.spacing()
    assert [e.who for e in ann.events(mine.id)] == ["ann"]
    assert len(ann.experiments("pending")) == 7
    assert bob.ask(1)[0].id == 8  # numbers are never drawn twice


def test_a_batch_is_chosen_again_if_the_sequence_went_on_meanwhile(ann, bob, meanwhile):
    """The locations are free again, and all the same the start does not return to them."""
    ann.ask(3)
    others = []

    def asks_and_fails():
        others.extend(bob.ask(2))
        for e in others:
            bob.tell_failed(e.id, "tripped")

    meanwhile("ask:chosen", asks_and_fails)
    batch = ann.ask(3)
    assert {e.origin for e in others} == {"sequence"}
    assert {e.origin for e in batch} == {"model"}
    assert not [e for e in batch if e.point in [other.point for other in others]]


def test_a_choice_that_was_entered_before_the_connection_was_lost_is_not_entered_again(ann):
    ann.ask(5)
    context, first = ann._context, ann._record().asks
    choice = asking.choose_next(context, 2, first)
    enter = lambda t: asking._settle(t, context, first, choice, True)  # noqa: E731
    once, again = context.store.write(enter), context.store.write(enter)
    assert [e.id for e in once] == [e.id for e in again] == [6, 7]
    assert len(ann.experiments()) == 7


def test_nor_are_points_of_the_sequence(ann):
    begin = asking._Begin(ann._context, 2, None)
    once, again = ann._context.store.write(begin), ann._context.store.write(begin)
    assert [e.id for e in once] == [e.id for e in again] == [1, 2]
    assert len(ann.experiments()) == 2
