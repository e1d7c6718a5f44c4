"""An aim in a campaign: said at the beginning, in a file, or later, and on record."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew

BOX = ew.Box({"temperature": ew.Parameter(20, 90, unit="°C"), "pH": (3, 9)})


def measure(e):
    return 100 * np.exp(-(((e.point["temperature"] - 60) / 20) ** 2) - ((e.point["pH"] - 6) / 2) ** 2)


def begin(path, **more):
    more = {"responses": [ew.Response("yield", "%", 1.0)], "n0": 8, **more}
    c = ew.Campaign("furnace", BOX, store=path / "f.db", **more)
    for e in c.ask(10):
        c.tell(e.id, measure(e))
    return c


def test_the_aim_enters_choice_map_and_record(tmp_path):
    aim = ew.Aim(near={"yield": 60})
    with begin(tmp_path, aim=aim) as c:
        assert c.spec.aim == aim
        assert c.map().aim == aim
        chosen = c.preview(2)
        c.change(aim="everywhere")
        assert c.spec.aim == ew.Aim()
        assert c.map().aimed() is None
        assert [p.point for p in c.preview(2)] != [p.point for p in chosen]
        c.change(aim={"near": {"yield": 60}})
        assert [p.point for p in c.preview(2)] == [p.point for p in chosen]
        event = [e for e in c.events() if e.what == "changed"][-1]
        assert event.detail["aim"] == {"before": {}, "after": {"near": {"yield": 60.0}}}
    with ew.Campaign("furnace", BOX, store=tmp_path / "f.db", aim=aim) as again:
        assert again.spec.aim == aim
    with pytest.raises(ew.Mismatch, match="aim"):
        ew.Campaign("furnace", BOX, store=tmp_path / "f.db", aim={"near": {"yield": 70}})


def test_names_change_in_the_aim_too(tmp_path):
    with begin(tmp_path, aim={"above": {"yield": 60}, "weight": "temperature / 90"}) as c:
        c.rename_response("yield", "output")
        c.rename_parameter("temperature", "heat")
        assert c.spec.aim.to_dict() == {"above": {"output": 60.0}, "weight": "heat / 90"}
        assert c.ask(1)


def test_what_cannot_be_meant_is_refused_and_nothing_is_lost(tmp_path):
    with begin(tmp_path) as c:
        before = c.events()
        for aim, words in [
            ({"near": {"yeild": 60}}, "aim: there is no response 'yeild'; did you mean 'yield'?"),
            ({"weight": "temp > 3"}, "unknown parameter 'temp'"),
            ({"between": {"yield": [3, 2]}}, "must rise"),
        ]:
            with pytest.raises(ew.EquiwarpError) as refused:
                c.change(aim=aim)
            assert words in str(refused.value)
        assert c.events() == before
    with pytest.raises(ew.SpecError, match="no response 'cost'"):
        ew.Campaign("other", BOX, store=tmp_path / "f.db", responses=["yield"], aim={"near": {"cost": 1}})


def test_a_level_says_that_there_is_one_response(tmp_path):
    """Otherwise nobody would know which of two it is a level of."""
    with ew.Campaign("one", BOX, store=tmp_path / "o.db", aim={"near": 60}) as c:
        (e,) = c.ask(1)
        with pytest.raises(ew.InvalidInput):
            c.tell(e.id, [1.0, 2.0])
        c.tell(e.id, 1.0)


def test_a_file_says_it(tmp_path):
    text = """
name = "furnace"
[domain]
type = "box"
parameters = [{name = "temperature", low = 20, high = 90}]
[[responses]]
name = "yield"
[aim]
near = {yield = [60, 80]}
weight = "temperature > 30"
"""
    path = tmp_path / "f.toml"
    path.write_text(text)
    spec = ew.CampaignSpec.from_toml(path)
    assert spec.aim == ew.Aim(near={"yield": [60, 80]}, weight="temperature > 30")
    assert ew.CampaignSpec.from_dict(spec.to_dict()).aim == spec.aim
    for old, new, place in [
        ("near = {yield", "nere = {yield", "unknown goal 'nere'; did you mean 'near'"),
        ("near = {yield", "near = {yeild", "no response 'yeild'"),
        ("temperature > 30", "temp > 30", "unknown parameter 'temp'"),
        ("[60, 80]", '"60"', "aim.near.yield"),
    ]:
        path.write_text(text.replace(old, new))
        with pytest.raises(ew.SpecError) as refused:
            ew.CampaignSpec.from_toml(path)
        assert place in str(refused.value)
        assert "aim" in refused.value.problems[0].path
