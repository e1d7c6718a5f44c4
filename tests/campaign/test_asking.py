"""Several people ask at once, and connections are lost after a commit: nobody gets what another got."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.campaign import asking
from equiwarp.campaign.chooser import NEAR
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
    assert apart(mine, theirs) > NEAR * BOX.spacing(7)
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
    enter = asking._Settle(context, first, 2, choice, patient=True)
    once, again = (context.store.write(enter).records for _ in range(2))
    assert [e.id for e in once] == [e.id for e in again] == [6, 7]
    assert len(ann.experiments()) == 7


def test_nor_are_points_of_the_sequence(ann):
    begin = asking._Begin(ann._context, 2, None)
    once, again = (ann._context.store.write(begin).records for _ in range(2))
    assert [e.id for e in once] == [e.id for e in again] == [1, 2]
    assert len(ann.experiments()) == 2


def in_step(campaign, askers, n=1):
    """Askers who all choose at the same moment, then enter what they chose, one after another.

    The worst that can happen: nobody knows of the others before they enter. How many choices it took until
    the last had theirs.
    """
    context, rounds = campaign._context, 0
    waiting = [context.store.write(asking._Begin(context, n)) for _ in range(askers)]
    while waiting:
        spare = asking.SPARES[min(rounds, len(asking.SPARES) - 1)]
        choices = [(number, asking.choose_next(context, n, number, spare)) for number in waiting]
        patient = rounds < len(asking.SPARES) - 1
        waiting = [
            number
            for number, choice in choices
            if context.store.write(asking._Settle(context, number, n, choice, patient)) is None
        ]
        rounds += 1
    return rounds


@pytest.mark.parametrize(("askers", "n"), [(4, 1), (32, 1), (8, 3)])
@pytest.mark.parametrize("strategy", ["fps", "lookahead-gp"])
def test_however_many_ask_at_once_each_chooses_a_few_times_and_no_two_are_near(tmp_path, askers, n, strategy):
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", strategy=strategy, n0=5) as campaign:
        for e in campaign.ask(5):
            campaign.tell(e.id, float(np.sin(e.point["temperature"] / 9) + e.point["pH"]))
        assert in_step(campaign, askers, n) <= len(asking.SPARES)
        z = BOX.to_cube(np.array([list(e.point.values()) for e in campaign.experiments("pending")]))
        assert len(z) == askers * n
        distance = np.linalg.norm(z[:, None] - z[None], axis=2) + np.eye(len(z))
        assert distance.min() >= NEAR * BOX.spacing(5 + askers * n)


def test_where_there_are_many_points_a_neighbour_is_no_reason_to_choose_again(tmp_path):
    """Half a lengthscale is far in a design of hundreds: everything new lies that near to something."""
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", strategy="fps", n0=1) as campaign:
        x = BOX.from_cube(np.random.default_rng(0).random((400, 2)))
        campaign.add(x, x[:, 0])
        context = campaign._context
        number = context.store.write(asking._Begin(context, 1))
        choice = asking.choose_next(context, 1, number)
        aside = 0.6 * BOX.spacing(401) * (-1 if choice.points[0, 1] > 6 else 1)
        beside = BOX.to_cube(choice.points) + np.array([0.0, aside])
        campaign.add(BOX.from_cube(beside), [1.0])
        assert abs(aside) < 0.5 * BOX.spacing()
        found = context.store.write(asking._Settle(context, number, 1, choice, patient=True))
        assert found.records[0].point == tuple(choice.points[0])


@pytest.mark.parametrize("when", ["before", "meanwhile", "meanwhile, and told"])
def test_a_distance_is_kept_from_what_was_handed_out_meanwhile_not_from_what_was_measured_before(
    ann, bob, when
):
    """Beside what it knew, a strategy may choose: with noise, a second value there may be worth most."""
    (first,) = ann.ask(5)[4:]
    ann.tell(first.id, 1.0)
    context = ann._context
    number = context.store.write(asking._Begin(context, 1))
    choice = asking.choose_next(context, 1, number)
    (other,) = bob.ask(1)
    if when == "meanwhile, and told":
        bob.tell(other.id, 2.0)
    place = first if when == "before" else other
    z = BOX.to_cube(np.array([list(place.point.values())]))
    step = 0.5 * NEAR * BOX.spacing(7) * (-1 if z[0, 0] > 0.5 else 1)
    beside = replace(choice, points=BOX.from_cube(z + np.array([step, 0.0])))
    found = context.store.write(asking._Settle(context, number, 1, beside, patient=True))
    assert (found is None) is (when != "before")


def test_the_last_free_places_go_to_different_askers(tmp_path):
    """Eight places, all near each other's neighbours: whoever comes last takes the farthest that is free."""
    places = ew.Candidates([[float(i)] for i in range(8)])
    with ew.Campaign("c", places, store=tmp_path / "lab.db", strategy="fps", n0=1) as campaign:
        campaign.tell(campaign.ask()[0].id, 1.0)
        in_step(campaign, 7)
        assert sorted(e.point["x1"] for e in campaign.experiments()) == list(map(float, range(8)))
