"""A campaign that chooses by a strategy of somebody's own: given as an object, kept by name."""

from __future__ import annotations

import importlib
import sys

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.campaign.strategy_source import source_of
from equiwarp.exceptions import Mismatch, MissingPart, SpecError
from equiwarp.spec import CampaignSpec
from equiwarp.strategy.variance import Variance

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
MINE = ew.Strategy("mine", Variance(), equalizer=True, summary="equalized under a name of our own")

RULES = """
from equiwarp.strategy import Strategy
from equiwarp.strategy.variance import Variance

class Twice(Variance):
    pass

RULE = Strategy("twice", Twice(), summary="from another package")
OFFERED = Strategy("offered", Variance(), equalizer=True)
"""


def run(campaign, rounds=6):
    for _ in range(rounds):
        e = campaign.ask()[0]
        campaign.tell(e.id, e.point["temperature"] * e.point["pH"])
    return [(e.point, e.value) for e in campaign.experiments()]


def test_an_object_chooses_and_its_name_is_kept(tmp_path):
    store = tmp_path / "lab.db"
    with ew.Campaign("c", BOX, store=store, strategy=MINE, n0=3, noise=0.1) as campaign:
        run(campaign)
        assert campaign.spec.strategy == MINE
        assert campaign.status().strategy == "mine"
        assert campaign.experiments()[-1].why.strategy == "mine"
        assert campaign.map().forecast(1).shape == (2, 1)
        mine = [e.point for e in campaign.experiments()]
    with ew.Campaign("c", BOX, store=tmp_path / "b.db", strategy="equalized", n0=3, noise=0.1) as named:
        run(named)
        assert [e.point for e in named.experiments()] == mine


def test_without_the_object_the_campaign_says_what_is_missing(tmp_path):
    store = tmp_path / "lab.db"
    ew.Campaign("c", BOX, store=store, strategy=MINE).close()
    with pytest.raises(
        MissingPart, match=r"campaign 'c' .*strategy 'mine'.*not registered.*pass the Strategy"
    ):
        ew.Campaign("c", store=store)
    with ew.Campaign("c", store=store, strategy=MINE) as again:
        assert again.ask()[0].id == 1
    with pytest.raises(Mismatch, match="strategy is 'mine' in the store and 'eig' here"):
        ew.Campaign("c", store=store, strategy="eig")


@pytest.fixture
def rules(tmp_path, monkeypatch):
    """A package that is installed, with its metadata, and can be imported."""
    site = tmp_path / "site"
    info = site / "lab_rules-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "lab_rules.py").write_text(RULES)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lab-rules\nVersion: 1.0\n")
    (info / "top_level.txt").write_text("lab_rules\n")
    monkeypatch.syspath_prepend(str(site))
    yield importlib.import_module("lab_rules")
    sys.modules.pop("lab_rules")


def test_the_package_of_a_missing_strategy_is_named(tmp_path, rules):
    store = tmp_path / "lab.db"
    ew.Campaign("c", BOX, store=store, strategy=rules.RULE).close()
    with pytest.raises(MissingPart, match=r"'twice'.*came from the package lab-rules: install that"):
        ew.Campaign("c", store=store)
    assert ew.Campaign("c", store=store, strategy=rules.RULE).status().strategy == "twice"


def test_an_offered_strategy_is_traced_to_its_package(tmp_path, rules):
    """Also where it is made of parts of ours, so that its code does not say whose it is."""
    offered = ew.Strategy("offered", Variance(), equalizer=True)
    assert source_of(offered) is None
    info = tmp_path / "site" / "lab_rules-1.0.dist-info"
    (info / "entry_points.txt").write_text("[equiwarp.strategies]\noffered = lab_rules:OFFERED\n")
    assert source_of(offered) == {"package": "lab-rules"}


def test_a_strategy_of_a_script_is_traced_to_its_module(tmp_path):
    class Here(Variance):
        pass

    ew.Campaign("c", BOX, store=tmp_path / "lab.db", strategy=ew.Strategy("here", Here())).close()
    with pytest.raises(MissingPart, match=r"Python module .*test_own_strategy: import it"):
        ew.Campaign("c", store=tmp_path / "lab.db")


def test_an_object_may_not_borrow_a_registered_name(tmp_path):
    with pytest.raises(SpecError, match="'eig' is the name of another strategy"):
        ew.Campaign(
            "c", BOX, store=tmp_path / "lab.db", strategy=ew.Strategy("eig", Variance(), equalizer=True)
        )
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", strategy=ew.strategies()["eig"]) as campaign:
        assert campaign.spec.strategy == "eig"
    assert ew.Campaign("c", store=tmp_path / "lab.db").spec.strategy == "eig"


def test_a_description_takes_an_object_and_writes_its_name():
    spec = CampaignSpec("c", BOX, strategy=MINE)
    assert spec.strategy == MINE
    assert spec.to_dict()["strategy"] == "mine"
    assert CampaignSpec("c", BOX, strategy=ew.strategies()["fps"]).strategy == "fps"
    mirrored = ew.Strategy("mirrored", Variance(), kernel="neumann")
    with pytest.raises(SpecError, match="'mirrored' reflects at the faces of a box"):
        CampaignSpec("c", ew.Sphere(2), strategy=mirrored)


def test_a_campaign_of_a_description_with_an_object_opens_again(tmp_path):
    spec = CampaignSpec("c", BOX, strategy=MINE, n0=3)
    with ew.Campaign.from_spec(spec, tmp_path / "lab.db") as campaign:
        first = run(campaign)
    with ew.Campaign.from_spec(spec, tmp_path / "lab.db") as again:
        assert again.spec == spec
        assert [(e.point, e.value) for e in again.experiments()] == first
        assert np.isfinite(again.preview()[0].why.score)
