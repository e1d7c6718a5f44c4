"""The command line and the page export the same bytes."""

from __future__ import annotations

import csv
import json

import pytest
from click.testing import CliRunner

from equiwarp.cli import main


@pytest.fixture(params=[False, True], ids=["without noise", "with noise"])
def told(request, campaign):
    """The campaign of the page's tests, with a failure that a spreadsheet would run, and perhaps a noise."""
    campaign.tell_failed(6, '=HYPERLINK("x"), "ü"')
    for e in campaign.ask(1):
        campaign.tell(e.id, 1.25, noise=0.5 if request.param else None)
    return request.param


@pytest.mark.parametrize(("what", "options"), [("experiments", []), ("events", ["--events"])])
def test_command_line_and_page_export_the_same_bytes(client, store, told, tmp_path, what, options):
    file = tmp_path / "out.csv"
    result = CliRunner().invoke(main, ["export", "--store", store, "-o", str(file), *options])
    assert result.exit_code == 0, result.output
    page = client.get(f"/api/campaigns/1/export.csv?what={what}").content
    assert page == file.read_bytes()
    rows = list(csv.DictReader(page.decode().splitlines()))
    if what == "events":
        assert json.loads(rows[-1]["detail"])["noise"] == ([0.5] if told else None)
    else:
        assert ("noise yield" in rows[0]) == told


def test_plates_are_the_same_bytes_too(client, store, campaign, tmp_path):
    file = tmp_path / "plate.csv"
    CliRunner().invoke(main, ["export", "--store", store, "--plate", "-o", str(file)])
    assert client.get("/api/campaigns/1/plate.csv").content == file.read_bytes()
