"""Tables in and out of a campaign: what plates and measurements do, and what is exported."""

from __future__ import annotations

import io

import pytest

from equiwarp import Box, Campaign
from equiwarp.campaign.exports import export_events, export_experiments
from equiwarp.campaign.plates import take_measurements, take_plate, write_plate
from equiwarp.exceptions import TableError
from equiwarp.tables.table import read_table


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
