"""A campaign that was stored before one of our columns had its name opens, and keeps its own name."""

from __future__ import annotations

import pytest

import equiwarp as ew
from equiwarp.campaign.exports import export_experiments
from equiwarp.spec import checks


def test_a_name_that_was_free_when_the_campaign_began_stays(tmp_path, monkeypatch):
    since = ew.Box({"since": (1900, 2000)})
    with pytest.raises(ew.SpecError, match="'since' is a column of every table"):
        ew.Campaign("old", since, store=tmp_path / "lab.db")
    earlier = tuple(name for name in checks.RESERVED if name != "since")
    with monkeypatch.context() as before:
        before.setattr(checks, "RESERVED", earlier)
        with ew.Campaign("old", since, store=tmp_path / "lab.db", n0=2) as c:
            c.tell(c.ask()[0].id, 1.0)
    with ew.Campaign("old", store=tmp_path / "lab.db") as c:
        exported, (first,) = export_experiments(c), c.experiments()
    assert exported.columns.count("since") == 1
    assert exported.rows[0]["since"] == first.point["since"]
