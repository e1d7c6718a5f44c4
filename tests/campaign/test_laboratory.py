"""The verbs of the bench: withdraw, undo, note, repeat."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.exceptions import Conflict, InvalidInput, UnknownExperiment
from equiwarp.store import doctor

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


@pytest.fixture
def campaign(tmp_path):
    with ew.Campaign("lab", BOX, store=tmp_path / "lab.db", strategy="fps", n0=4, blocks=["day"]) as made:
        yield made
    assert doctor(tmp_path / "lab.db").ok


def test_a_withdrawn_value_leaves_the_map_and_stays_in_the_history(campaign):
    one, two = campaign.ask(2)
    with pytest.raises(Conflict, match="no value to withdraw"):
        campaign.withdraw(one.id)
    campaign.tell(one.id, 1.0)
    campaign.tell(two.id, 2.0)
    gone = campaign.withdraw(one.id, "contaminated")
    assert (gone.state, gone.value, gone.reason) == ("withdrawn", 1.0, "contaminated")
    assert campaign.withdraw(one.id, "contaminated").since == gone.since
    assert campaign.map().y.tolist() == [[2.0]]
    assert campaign.status().counts["withdrawn"] == 1
    for verb in (lambda: campaign.tell(one.id, 1.0), lambda: campaign.amend(one.id, 3.0)):
        with pytest.raises(Conflict, match="withdrawn"):
            verb()
    assert campaign.undo(one.id).state == "done"
    assert len(campaign.map().y) == 2


def test_an_added_measurement_can_be_withdrawn_and_brought_back(campaign):
    (id,) = campaign.add([[30, 4]], [1.0])
    assert campaign.withdraw(id, "other instrument").state == "withdrawn"
    restored = campaign.undo(id)
    assert (restored.state, restored.reason) == ("done", None)


def test_a_withdrawn_place_may_be_suggested_again(tmp_path):
    levels = ew.Box({"x": {"levels": [1, 2]}})
    with ew.Campaign("c", levels, store=tmp_path / "lab.db", strategy="fps", n0=1) as c:
        one, two = c.ask()[0], c.ask()[0]
        c.tell(one.id, 1.0)
        c.tell(two.id, 2.0)
        c.withdraw(one.id)
        assert c.ask()[0].point == one.point


@pytest.mark.parametrize("verb", ["tell_failed", "abandon"])
def test_a_slip_is_undone(campaign, verb):
    e = campaign.ask()[0]
    getattr(campaign, verb)(e.id, "wrong row")
    back = campaign.undo(e.id)
    assert (back.state, back.reason) == ("pending", None)
    assert (
        campaign.events(e.id)[-1].detail["undone"] == {"tell_failed": "failed", "abandon": "abandoned"}[verb]
    )
    with pytest.raises(Conflict, match="is pending; only a failure"):
        campaign.undo(e.id)
    assert campaign.tell(e.id, 1.0).state == "done"


def test_what_failed_and_was_then_abandoned_is_failed_again(campaign):
    e = campaign.ask()[0]
    campaign.tell_failed(e.id, "tripped")
    campaign.abandon(e.id, "never mind")
    back = campaign.undo(e.id)
    assert (back.state, back.reason) == ("failed", "tripped")
    assert campaign.undo(e.id).state == "pending"


def test_a_release_is_undone_unless_the_place_is_taken(campaign):
    one, two = campaign.ask(2)
    campaign.release()
    assert campaign.undo(two.id).state == "pending"
    again = campaign.ask()[0]
    assert again.point == one.point
    with pytest.raises(Conflict, match=f"handed out again as experiment {again.id}"):
        campaign.undo(one.id)
    with pytest.raises(UnknownExperiment):
        campaign.undo(99)


def test_notes_sample_and_block_are_kept_in_any_state(campaign):
    e = campaign.ask()[0]
    campaign.note(e.id, "cloudy")
    campaign.tell(e.id, 1.0)
    noted = campaign.note(e.id, "clear after an hour", sample="S-17", block={"day": "Monday"})
    assert noted.notes == ("cloudy", "clear after an hour")
    assert (noted.sample, noted.block, noted.state) == ("S-17", {"day": "Monday"}, "done")
    assert [x.what for x in campaign.events(e.id)] == ["asked", "noted", "told", "noted"]
    with pytest.raises(InvalidInput, match="nothing to note"):
        campaign.note(e.id)


def test_repeats_point_to_the_first_and_the_map_pools_them(tmp_path):
    rng = np.random.default_rng(1)
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", n0=6) as c:
        for e in c.ask(6):
            c.tell(e.id, e.point["temperature"] / 10 + 0.5 * rng.standard_normal())
        repeats = c.repeat(1, 12)
        assert [e.repeats for e in repeats] == [1] * 12
        assert {str(e.point) for e in repeats} == {str(c.experiment(1).point)}
        assert repeats[0].origin == "repeat"
        assert "repeat" in str(repeats[0].why)
        for e in repeats:
            c.tell(e.id, c.experiment(1).point["temperature"] / 10 + 0.5 * rng.standard_normal())
        assert c.repeat(repeats[0].id)[0].repeats == 1
        fitted, same = c.map(), [e.value for e in c.experiments("done") if e.id == 1 or e.repeats == 1]
        assert fitted.error()[0].noise == pytest.approx(np.std(same, ddof=1), rel=0.15)
        here = fitted.predict([list(c.experiment(1).point.values())])
        assert abs(here.mean[0, 0] - np.mean(same)) < 0.1
        assert here.deviation[0, 0] < 0.3
        assert c.ask()[0].point != c.experiment(1).point
        with pytest.raises(InvalidInput, match="whole number"):
            c.repeat(1, 0)


def test_a_withdrawn_experiment_can_be_repeated(campaign):
    e = campaign.ask()[0]
    campaign.tell(e.id, 1.0)
    campaign.withdraw(e.id, "contaminated")
    again = campaign.repeat(e.id)[0]
    assert (again.point, again.repeats) == (e.point, e.id)
    assert campaign.tell(again.id, 1.1).state == "done"


def test_a_block_that_is_an_offset_does_not_disturb_the_map(tmp_path):
    rng = np.random.default_rng(0)

    def value(point):
        return point["temperature"] / 20 + (point["pH"] - 6) ** 2 / 3

    def mapped(name, blocks):
        c = ew.Campaign(name, BOX, store=tmp_path / "lab.db", noise=0.05, n0=24, blocks=blocks)
        for i, e in enumerate(c.ask(24)):
            day = ("Monday", "Tuesday")[i % 2]
            shift = 2.0 if day == "Tuesday" else 0.0
            c.tell(e.id, value(e.point) + shift + 0.05 * rng.standard_normal(), block={"day": day})
        points = BOX.sample(200, np.random.default_rng(1))
        truth = np.array([value(dict(zip(BOX.names, p, strict=True))) for p in points]) + 1.0
        return c, np.sqrt(np.mean((c.map().predict(points).mean[:, 0] - truth) ** 2))

    plain, recorded = mapped("recorded", {"day": "record"})
    with_offsets, corrected = mapped("offset", {"day": "offset"})
    assert plain.offsets() == {}
    found = with_offsets.offsets()["value"]["day"]
    assert found["Tuesday"] - found["Monday"] == pytest.approx(2.0, abs=0.15)
    assert corrected < 0.2 * recorded
    assert with_offsets.ask()[0].origin == "model"
