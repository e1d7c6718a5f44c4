"""Numbers and texts at the edge of what a machine can hold: a clean error, or a campaign that goes on."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.exceptions import EquiwarpError, InvalidInput, SpecError, StoreError, UnknownExperiment
from equiwarp.store import migrate

BOX = ew.Box.unit(2)
HUGE = 10**400
SMALLEST = 5e-324


@pytest.fixture
def campaign(tmp_path):
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", n0=4, strategy="eig") as made:
        made.ask(4)
        yield made


@pytest.mark.parametrize("strategy", ["lookahead-gp", "equiwarp", "eig", "refit"])
@pytest.mark.parametrize("noise", [None, SMALLEST, 1e-320, 0.1])
def test_values_that_are_hardly_numbers_do_not_stop_a_campaign(strategy, noise):
    x = [[0.1, 0.2], [0.6, 0.4], [0.3, 0.9]]
    for y in ([SMALLEST, -0.0, SMALLEST], [1e-310, -2e-310, 0.0], [SMALLEST, -0.0, 0.0]):
        assert BOX.contains(ew.suggest(BOX, x, y, noise=noise, strategy=strategy).points).all()


def test_a_campaign_of_two_such_values_goes_on(tmp_path):
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", n0=2) as campaign:
        for e, value in zip(campaign.ask(2), [SMALLEST, -0.0], strict=True):
            campaign.tell(e.id, value)
        assert campaign.ask()[0].origin == "model"
        assert np.isfinite(campaign.map().predict([[0.5, 0.5]]).mean).all()


@pytest.mark.parametrize("n0", [10**30, 10**400, 2**62])
def test_a_start_that_nobody_can_measure_is_refused(tmp_path, n0):
    with pytest.raises(SpecError, match="n0"):
        ew.Campaign("c", BOX, store=tmp_path / "lab.db", n0=n0)


@pytest.mark.parametrize("bounds", [(0, SMALLEST), (0, 1e-310), (1, 1 + 2e-16), (1e20, 1e20 + 2**15)])
def test_a_range_without_room_for_numbers_is_refused(bounds):
    with pytest.raises(InvalidInput, match="too small to hold different numbers"):
        ew.Box({"x": bounds})
    assert ew.Box({"x": (0, 1e-200)}).dim == 1


def campaign_calls():
    return {
        "tell": lambda c: c.tell(1, HUGE),
        "tell with noise": lambda c: c.tell(1, 1.0, HUGE),
        "add a value": lambda c: c.add([[0.1, 0.2]], [HUGE]),
        "add a point": lambda c: c.add([[0.1, HUGE]], [1.0]),
        "an id": lambda c: c.experiment(HUGE),
        "tell an id": lambda c: c.tell(HUGE, 1.0),
        "events of an id": lambda c: c.events(HUGE),
        "ask": lambda c: c.ask(HUGE),
        "preview": lambda c: c.preview(10**5000),
        "stop": lambda c: c.stop_when(error=HUGE),
        "tell a span of time": lambda c: c.tell(1, np.timedelta64(3, "s")),
        "repeat": lambda c: c.repeat(1, HUGE),
        "half a range": lambda c: c.change(plausible={"value": 5}),
        "no response": lambda c: ew.Campaign("d", c.domain, noise=0.1, responses=[], store=c.store),
        "who is a number": lambda c: ew.Campaign("d", c.domain, store=c.store, who=5),
    }


@pytest.mark.parametrize("call", campaign_calls())
def test_a_whole_number_that_is_too_long_is_refused_in_a_short_sentence(campaign, call):
    with pytest.raises((InvalidInput, UnknownExperiment)) as caught:
        campaign_calls()[call](campaign)
    assert len(str(caught.value)) < 300
    assert campaign.status().counts["pending"] == 4


def test_events_after_the_last_possible_one_are_none(campaign):
    assert campaign.events(after=HUGE) == []


@pytest.mark.parametrize(
    "make",
    [
        lambda: ew.Box({"x": (0, HUGE)}),
        lambda: ew.Simplex({"a": HUGE, "b": 0}),
        lambda: ew.Sphere(HUGE),
        lambda: ew.Sphere(10**5000),
        lambda: ew.Candidates([[HUGE], [1]]),
        lambda: ew.Candidates({"a": [HUGE, 1]}),
        lambda: ew.suggest(BOX, [[0.1, 0.2]], [HUGE]),
        lambda: ew.suggest(BOX, [[0.1, HUGE]], [1]),
    ],
)
def test_so_it_is_wherever_numbers_are_given(make):
    with pytest.raises(InvalidInput) as caught:
        make()
    assert len(str(caught.value)) < 300


NUL, HALF = "a\0b", "a\ud800b"


@pytest.mark.parametrize("text", [NUL, HALF])
def test_texts_that_no_database_keeps_are_refused(tmp_path, campaign, text):
    store = tmp_path / "other.db"
    calls = [
        lambda: ew.Campaign("c", BOX, store=store, responses=[text]),
        lambda: ew.Campaign(text, BOX, store=store),
        lambda: ew.Campaign("c", ew.Box({text: (0, 1)}), store=store),
        lambda: ew.Campaign("c", BOX, store=store, who=text),
        lambda: campaign.tell(1, {text: 1.0}),
        lambda: campaign.tell_failed(1, text),
    ]
    for call in calls:
        with pytest.raises(InvalidInput, match="cannot be stored"):
            call()
    with pytest.raises(StoreError, match="no path"):
        ew.Campaign("c", BOX, store=str(tmp_path / text))
    assert campaign.experiment(1).state == "pending"


def test_a_path_that_is_too_long_is_an_error_of_ours(tmp_path):
    with pytest.raises(EquiwarpError, match="too long"):
        ew.Campaign("c", BOX, store=tmp_path / ("a" * 5000))


@pytest.mark.parametrize("step", ["_to", "_place"])
def test_a_creation_that_fails_leaves_no_draft(tmp_path, monkeypatch, step):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(migrate, step, fail)
    with pytest.raises(StoreError, match="room"):
        ew.Campaign("c", BOX, store=tmp_path / "lab.db")
    assert list(tmp_path.iterdir()) == []
