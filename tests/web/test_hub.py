"""What the page shows as the next points is what the next ask hands out."""

from __future__ import annotations

import time

import pytest

import equiwarp as ew
from equiwarp.plotting.upcoming import SHOWN
from equiwarp.web.hub import Hub

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
DOMAINS = {
    "box": BOX,
    "stepped": ew.Box({"dial": {"low": 0, "high": 1, "step": 0.05}, "flow": (1, 5)}),
    "simplex": ew.Simplex({"water": 0.1, "salt": 0.0, "oil": 0.2}),
    "constrained": ew.Constrained(BOX, ["temperature + 5*pH <= 100"]),
}


@pytest.fixture
def hub(tmp_path):
    made = Hub(tmp_path / "lab.db")
    yield made
    made.close()


def work_of(hub, id):
    while (work := hub.course(id)).running:  # as a page does: what nobody asks for is dropped
        time.sleep(0.01)
    assert work.problem == ""
    return work


@pytest.mark.parametrize("name", DOMAINS)
def test_the_points_shown_are_those_handed_out(hub, name):
    campaign = ew.Campaign("c", DOMAINS[name], store=hub.store, strategy="eig", n0=4, noise=0.1)
    for e in campaign.ask(6):
        campaign.tell(e.id, float(e.id))
    bad, worse, _ = campaign.ask(3)
    campaign.abandon(bad.id, "explosive")
    campaign.tell_failed(worse.id, "tripped")
    shown = work_of(hub, hub.named("c").id).next
    assert [(p.point, p.why) for p in shown] == [(e.point, e.why) for e in campaign.ask(SHOWN)]


def test_points_of_the_start_are_shown_and_fewer_where_fewer_are_left(hub):
    levels = ew.Box({"x": {"levels": [1, 2, 3, 4, 5]}})
    campaign = ew.Campaign("c", levels, store=hub.store, strategy="fps", n0=2)
    campaign.tell(campaign.ask()[0].id, 1.0)
    id = hub.named("c").id
    shown = work_of(hub, id).next
    assert [p.origin for p in shown] == ["sequence", "model", "model", "model"]
    campaign.tell(campaign.ask(2)[0].id, 2.0)
    assert len(work_of(hub, id).next) == 2
    campaign.ask(2)
    assert work_of(hub, id).next == []
