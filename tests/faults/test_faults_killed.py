"""kill -9 at every step of ask and tell: nothing acknowledged is lost, and the campaign goes on."""

from __future__ import annotations

import signal
from pathlib import Path

import fault_actions as act
import pytest

import equiwarp as ew
from equiwarp.campaign.plates import take_plate, write_plate
from equiwarp.store import doctor
from equiwarp.tables.table import read_table


@pytest.mark.parametrize(
    "step",
    ["ask:begun", "ask:chosen", "ask:written", "ask:settled", "tell:written", "store:committed", "tell:done"],
)
def test_what_was_acknowledged_survives_kill_9(store, step, tmp_path, start):
    acks = tmp_path / "acks"
    child = start(act.live_and_die, store, acks, step)
    child.join()
    assert child.exitcode == -signal.SIGKILL

    known = act.Acknowledged(acks).read()
    assert len(known) >= 4
    campaign = ew.Campaign("furnace", store=store)
    for what, number, entry in known:
        experiment = campaign.experiment(number)
        if what == "asked":
            assert experiment.point == entry
        else:
            assert (experiment.state, experiment.value) == ("done", entry)
    assert doctor(store).ok, str(doctor(store))

    # A value that was not acknowledged is there whole or not at all, and can be told again.
    told = {number for what, number, _ in known if what == "told"}
    for number in {number for what, number, _ in known if what == "asked"} - told:
        campaign.tell(number, 1.5 * (number - 1))
    # An experiment that nobody heard of can be released, and the campaign goes on.
    campaign.release()
    fresh = campaign.ask(2)
    for experiment in fresh:
        campaign.tell(experiment.id, 0.0)
    points = [tuple(e.point.values()) for e in campaign.experiments() if e.state == "done"]
    assert len(set(points)) == len(points)


def test_a_killed_choice_leaves_a_gap_in_the_numbers_and_nothing_else(tmp_path, start):
    store, acks = str(tmp_path / "lab.db"), tmp_path / "acks"
    child = start(act.live_and_die, store, acks, "ask:chosen")
    child.join()
    campaign = ew.Campaign("furnace", store=store)
    assert campaign.status().asks == 3
    assert len(campaign.experiments()) == 2
    assert campaign.ask()[0].id == 3


def test_a_campaign_killed_while_it_is_begun_can_be_begun_again(tmp_path, start):
    store = tmp_path / "lab.db"
    child = start(act.begin_and_die, str(store), "create:drafted")
    child.join()
    assert child.exitcode == -signal.SIGKILL
    assert not store.exists()
    ew.Campaign("furnace", act.BOX, store=store)
    assert any(f.check == "leftover" for f in doctor(store).findings)
    assert doctor(store).ok


def test_an_add_that_is_killed_adds_nothing(store, start):
    campaign = ew.Campaign("furnace", act.BOX, store=store)
    campaign.add([[40.0, 5.0]], [2.0])
    child = start(act.add_and_die, store, "add:written")
    child.join()
    assert child.exitcode == -signal.SIGKILL
    assert [e.value for e in campaign.experiments()] == [2.0]
    assert len(campaign.add([[30.0, 4.0]] * 100, [1.0] * 100)) == 100


@pytest.mark.parametrize(("step", "kept"), [("tell:written", False), ("store:committed", True)])
def test_a_plate_that_is_killed_is_there_whole_or_not_at_all(store, tmp_path, start, step, kept):
    campaign = ew.Campaign("furnace", act.BOX, store=store, strategy="random")
    plate = tmp_path / "plate.csv"
    with plate.open("w", newline="") as file:
        write_plate(file, campaign, campaign.ask(3))
    lines = plate.read_text().splitlines()
    filled = [lines[0], *(line.replace(",,", f",{i}.5,", 1) for i, line in enumerate(lines[1:], start=1))]
    plate.write_text("\n".join(filled))
    child = start(act.tell_plate_and_die, store, str(plate), step)
    child.join()
    assert child.exitcode == -signal.SIGKILL
    assert [e.value for e in campaign.experiments("done")] == ([1.5, 2.5, 3.5] if kept else [])
    # Nobody knows whether it was taken, so it is handed in again.
    take_plate(campaign, read_table(str(plate)))
    assert [e.value for e in campaign.experiments()] == [1.5, 2.5, 3.5]
    assert [e.what for e in campaign.events()].count("told") == 3
    assert doctor(store).ok, str(doctor(store))


def test_the_hook_itself_kills(tmp_path, start):
    """The tests above prove nothing if the named steps are never reached."""
    child = start(act.live_and_die, str(tmp_path / "lab.db"), tmp_path / "acks", "no such step")
    child.join()
    assert child.exitcode == 0
    assert len(act.Acknowledged(Path(tmp_path / "acks")).read()) == 8
