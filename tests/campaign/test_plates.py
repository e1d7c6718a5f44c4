"""Tables in and out of a campaign: what plates and measurements do, and what is exported."""

from __future__ import annotations

import io

import numpy as np
import pytest

import equiwarp as ew
from equiwarp import Box, Campaign
from equiwarp.campaign.exports import export_events, export_experiments
from equiwarp.campaign.plates import plate_of, read_plate, take_measurements, take_plate, write_plate
from equiwarp.exceptions import TableError
from equiwarp.store import CampaignTransaction, doctor
from equiwarp.tables.table import read_table

BOX = Box({"temperature": (20, 90), "pH": (3, 9)})


@pytest.fixture
def campaign(tmp_path):
    box = Box({"temperature": (20, 90), "pH": (3, 9)})
    with Campaign("tea", box, store=tmp_path / "tea.db", responses=["taste"], n0=6, strategy="sobol") as made:
        made.ask(3)
        yield made


def table(*lines):
    return read_table(io.StringIO("\n".join(lines)), "plate.csv")


def test_a_plate_is_taken_and_what_it_said_comes_back(campaign):
    taken = take_plate(campaign, table("id,taste,failed", "1,2.5,", "2,,spilt", "3,,"))
    assert (taken.told, taken.failed, taken.open) == ((1,), (2,), (3,))
    assert [e.state for e in campaign.experiments()] == ["done", "failed", "pending"]


def test_a_written_plate_can_be_taken_once_filled(campaign):
    file = io.StringIO()
    write_plate(file, campaign, campaign.experiments("pending"))
    lines = file.getvalue().splitlines()
    assert lines[0] == "id,temperature,pH,taste,failed"
    filled = [line.replace(",,", ",1.5,") for line in lines]
    assert take_plate(campaign, table(*filled)).told == (1, 2, 3)


@pytest.mark.parametrize("shown", ["point", "asked"])
def test_a_plate_may_show_the_settings_that_were_used_or_those_that_were_asked_for(tmp_path, shown):
    """What we write has where it was measured; a plate from before that has what we asked for."""
    with Campaign("tea", BOX, store=tmp_path / "tea.db", responses=["taste", "smell"], n0=6) as c:
        c.ask(2)
        c.tell(1, {"taste": 1.0}, at={"temperature": 33.3})
        told = c.experiment(1)
        settings = list(getattr(told, shown).values())
        written = plate_of(c, c.experiments("pending"))
        assert written.rows[0][1:3] == list(told.point.values())
        filled = table("id,temperature,pH,taste,smell", f"1,{settings[0]},{settings[1]},,2.5")
        for _ in range(2):  # the same plate again changes nothing
            assert take_plate(c, filled).told == (1,)
            assert c.experiment(1).values == {"taste": 1.0, "smell": 2.5}
            assert (c.experiment(1).point, c.experiment(1).asked) == (told.point, told.asked)
        with pytest.raises(TableError, match="44 is not the setting of experiment 1"):
            take_plate(c, table("id,temperature,taste,smell", "1,44,,2.5"))


@pytest.mark.parametrize(
    ("line", "place", "code"),
    [
        ("1,x,", "plate.csv, line 2, column 'taste'", "not_a_number"),
        ("1,nan,", "plate.csv, line 2, column 'taste'", "not_finite"),
        ("1,1e200,", "plate.csv, line 2, column 'taste'", "too_large"),
        ("1,1,spilt", "plate.csv, line 2, column 'taste'", "value_and_failure"),
        ("9,1,", "plate.csv, line 2, column 'id'", "unknown_id"),
        ("1,,", "plate.csv", "empty"),
    ],
)
def test_a_refusal_carries_its_place_and_code(campaign, line, place, code):
    with pytest.raises(TableError) as caught:
        take_plate(campaign, table("id,taste,failed", line))
    assert (caught.value.place, caught.value.code) == (place, code)
    assert str(caught.value).startswith(f"{place}: {caught.value.message}")
    assert str(caught.value).endswith(caught.value.remedy)
    assert not campaign.experiments("done")


def test_measurements_outside_are_added_and_told_of(campaign):
    taken = take_measurements(campaign, table("temperature,pH,taste", "30,4,1", "200,4,2"))
    assert (taken.added, taken.outside) == ((4, 5), 1)
    assert len(taken.notes) == 1
    assert "1 of 2 points lie outside the domain" in taken.notes[0]
    assert take_measurements(campaign, table("temperature,pH,taste", "30,5,1")).notes == ()


def test_noise_has_a_column_only_where_a_value_has_its_own(campaign):
    campaign.tell(1, 2.5)
    assert "noise taste" not in export_experiments(campaign).columns
    campaign.tell(2, 2.5, noise=0.1)
    export = export_experiments(campaign)
    assert export.columns[:5] == ["id", "temperature", "pH", "taste", "noise taste"]
    assert [row.get("noise taste") for row in export.rows] == [None, 0.1, None]
    assert "noise taste" not in export_experiments(campaign, ["pending"]).columns


def test_details_of_events_stay_data(campaign):
    campaign.tell(1, 2.5)
    last = export_events(campaign).rows[-1]
    assert (last["what"], last["experiment"]) == ("told", 1)
    assert last["detail"]["value"] == {"taste": 2.5}


def test_blocks_and_samples_of_a_plate_are_recorded_and_other_columns_named(tmp_path):
    blocks = {"day": "offset", "operator": "record"}
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", responses=["y"], blocks=blocks) as c:
        plate = plate_of(c, c.ask(3, block={"day": "-1"}))
        assert plate.columns[-2:] == ["day", "operator"]
        assert plate.rows[0][-2:] == ["-1", None]
        text = (
            "id,y,failed,Day,operator,Sample,remark\n1,2,,'-1,Ann,S-1,dim\n2,,cracked,Tue,,S-2,\n3,,,Wed,,,\n"
        )
        filled = read_plate(c, read_table(text.encode(), "plate.csv"))
        assert filled.notes == (
            "the column 'remark' was not read: the campaign has no parameter, response or block of that name",
        )
        assert filled.rows[0]["operator"] == "Ann"
        filled.take()
        first, second, third = c.experiments()
        assert (first.block, first.sample) == ({"day": "-1", "operator": "Ann"}, "S-1")
        assert (second.state, second.block, second.sample) == ("failed", {"day": "Tue"}, "S-2")
        assert (third.state, third.block) == ("pending", {"day": "-1"})
        assert doctor(tmp_path / "lab.db").ok


def test_blocks_and_samples_of_earlier_measurements_are_recorded(tmp_path):
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", responses=["y"], blocks=["day"]) as c:
        names = ",".join(BOX.names)
        middle = ",".join(map(str, BOX.sample(1, np.random.default_rng(0))[0].tolist()))
        text = f"{names},y,day,sample\n{middle},2,Mon,S-1\n{middle},<3,,\n"
        take_measurements(c, read_table(text.encode(), "old.csv"))
        first, second = c.experiments()
        assert (first.block, first.sample, second.block, second.sample) == ({"day": "Mon"}, "S-1", {}, "")
        assert second.below == ("y",)
        x = BOX.sample(2, np.random.default_rng(1))
        c.add(x, [5.0, 6.0], block={"day": ["Tue", None]}, sample="S-9")
        assert [(e.block, e.sample) for e in c.experiments()[2:]] == [({"day": "Tue"}, "S-9"), ({}, "S-9")]
        for wrong, words in [
            ({"dya": "Mon"}, "unknown column 'dya'"),
            ({"day": ["Mon"]}, "1 texts for 2 points"),
        ]:
            with pytest.raises(ew.InvalidInput, match=words):
                c.add(x, [7.0, 8.0], block=wrong)


def test_a_plate_reads_its_own_experiments_only(tmp_path, monkeypatch):
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", responses=["y"]) as c:
        c.ask(3)
        monkeypatch.setattr(CampaignTransaction, "experiments", None)
        assert read_plate(c, read_table(b"id,y\n2,1.5\n", "plate.csv")).take().told == (2,)
        with pytest.raises(TableError, match="no experiment 77"):
            read_plate(c, read_table(b"id,y\n77,1.5\n", "plate.csv"))


def test_a_plate_says_of_which_experiments_it_had_failed(campaign):
    campaign.tell_failed(2, "spilt")
    read = read_plate(campaign, table("id,taste", "1,2.5", "2,3"))
    assert [row["what"] for row in read.rows] == ["new", "new, it had failed"]


def test_a_conflict_names_the_response_of_several(tmp_path):
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", responses=["a", "b"], n0=6) as c:
        c.ask(1)
        c.tell(1, {"a": 1.0})
        with pytest.raises(
            ew.exceptions.Conflict, match=r"has the value a = 1.0 since .* and now a = 2.0 was"
        ):
            c.tell(1, {"a": 2.0})
