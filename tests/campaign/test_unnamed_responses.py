"""Responses that nobody named when the campaign began: the first value decides, and the choices know it."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew

BOX = ew.Box({"x": (0, 1), "y": (0, 2)})


def both(point):
    """Two responses of very different size and shape."""
    return {
        "slope": 0.1 * point["x"] + np.sin(2 * point["y"]),
        "bump": 1000 * np.exp(-30 * (point["x"] - 0.7) ** 2),
    }


@pytest.mark.parametrize("strategy", ["map", "lookahead-gp", "equiwarp"])
def test_a_campaign_chooses_by_several_responses_in_the_program_that_told_the_first_value(strategy, tmp_path):
    c = ew.Campaign("plain", BOX, store=tmp_path / "a.db", strategy=strategy, n0=4, seed=0)
    for e in c.ask(4):
        c.tell(e.id, both(e.point))
    (chosen,) = c.ask()
    assert chosen.why.source == "model"
    assert chosen.why.name in ("", "slope", "bump")
    if strategy == "map":
        assert chosen.why.name


def test_a_single_response_with_a_name_is_called_by_it(tmp_path):
    c = ew.Campaign("plain", BOX, store=tmp_path / "a.db", n0=4, seed=0)
    for e in c.ask(4):
        c.tell(e.id, {"yield": both(e.point)["slope"]})
    assert c.preview()[0].why.name == "yield"


def test_a_run_has_several_responses():
    campaign = ew.run(lambda x, y: both({"x": x, "y": y}), BOX, n0=10, budget=16, executor="threads", seed=0)
    chosen = [e.why.name for e in campaign.experiments("done") if e.origin == "model"]
    assert len(chosen) == 16 - 10
    assert set(chosen) <= {"slope", "bump"}


def test_a_prior_is_taken_by_the_names_of_responses_before_and_after_the_campaign_is_opened_again(tmp_path):
    """The prior has them in another order, so that only their names tell which is which."""
    coarse = ew.Campaign("coarse", BOX, store=tmp_path / "a.db", strategy="fps", seed=3)
    for e in coarse.ask(20):
        coarse.tell(e.id, dict(reversed(both(e.point).items())))
    assert coarse.responses == ("bump", "slope")
    c = ew.Campaign("fine", BOX, store=tmp_path / "a.db", n0=4, seed=0, prior=coarse)
    for e in c.ask(4):
        c.tell(e.id, both(e.point))
    here = [(p.point, p.why) for p in c.preview(3)]
    again = ew.Campaign("fine", store=tmp_path / "a.db")
    assert here == [(p.point, p.why) for p in again.preview(3)]
