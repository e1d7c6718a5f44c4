"""Claims: experiments that are handed out for a limited time, which ends by the clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import equiwarp as ew
from equiwarp.exceptions import Conflict, InvalidInput
from equiwarp.store import campaign_transaction, doctor

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


@pytest.fixture
def campaign(tmp_path):
    with ew.Campaign("lab", BOX, store=tmp_path / "lab.db", strategy="fps", n0=4) as made:
        yield made
    assert doctor(tmp_path / "lab.db").ok


def test_a_claim_ends_by_itself_when_somebody_asks(campaign):
    held = campaign.claim(1, lease=timedelta(hours=1))[0]
    assert held.lease is not None
    lost = campaign.claim(1, lease=1e-6)[0]
    again = campaign.ask()[0]
    assert again.point == lost.point
    assert campaign.experiment(lost.id).state == "released"
    assert campaign.experiment(held.id).state == "pending"
    assert campaign.events(lost.id)[-1].detail == {"lease": "ended"}
    # The worker was only slow: its value is welcome.
    assert campaign.tell(lost.id, 1.0).state == "done"


def test_a_claim_can_be_renewed_until_it_has_ended(campaign):
    held = campaign.claim(1, lease=60)[0]
    longer = campaign.renew(held.id, 3600)
    assert longer.lease > (datetime.now(UTC) + timedelta(minutes=59)).isoformat()
    campaign.ask()
    assert campaign.experiment(held.id).state == "pending"
    assert campaign.tell(held.id, 1.0).lease is None
    with pytest.raises(Conflict, match="not held any more"):
        campaign.renew(held.id)
    for lease in (0, -1, "soon", float("nan")):
        with pytest.raises(InvalidInput, match="lease"):
            campaign.claim(1, lease=lease)


@pytest.fixture
def clock(monkeypatch):
    """Sets the clock of the store so many seconds ahead."""

    def ahead(seconds):
        moment = (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="microseconds")
        monkeypatch.setattr(campaign_transaction, "now", lambda: moment)

    return ahead


def test_a_lease_ends_by_the_clock_for_everybody_who_looks(campaign, clock):
    held, kept = campaign.claim(1, lease=60)[0], campaign.ask()[0]
    before = campaign.status()
    assert (before.counts["pending"], before.counts["released"]) == (2, 0)
    clock(61)
    after = campaign.status()
    assert (after.counts["pending"], after.counts["released"]) == (1, 1)
    assert after.oldest_pending == kept.since
    assert campaign.experiment(held.id).state == "released"
    assert campaign.experiment(held.id).lease is None
    assert [e.id for e in campaign.experiments("pending")] == [kept.id]
    assert [e.id for e in campaign.experiments("released")] == [held.id]
    assert [e.id for e in campaign.experiments(["pending", "released"])] == [held.id, kept.id]
    assert campaign.preview(1)[0].point == held.point
    assert [e.what for e in campaign.events(held.id)] == ["asked"]  # nobody has written since


@pytest.mark.parametrize("writes", [
    lambda c, other: c.tell(other, 1.0),
    lambda c, other: c.note(other, "cloudy"),
    lambda c, other: c.add([[40.0, 5.0]], [1.0]),
    lambda c, other: c.release(ids=[]),
])  # fmt: skip
def test_whoever_writes_next_writes_down_that_a_lease_has_ended(campaign, clock, writes):
    held, other = campaign.claim(1, lease=60)[0], campaign.ask()[0]
    clock(61)
    writes(campaign, other.id)
    last = campaign.events(held.id)[-1]
    assert (last.what, last.detail) == ("released", {"lease": "ended"})
    assert doctor(campaign.store.file).ok
    assert campaign.ask()[0].point == held.point


def test_a_lease_that_has_ended_cannot_be_renewed_and_its_value_is_still_welcome(campaign, clock):
    held = campaign.claim(1, lease=60)[0]
    clock(61)
    with pytest.raises(Conflict, match=r"released since .* not held any more"):
        campaign.renew(held.id)
    with pytest.raises(Conflict, match="released"):
        campaign.withdraw(held.id)
    assert campaign.tell(held.id, 1.0).state == "done"
    assert [e.what for e in campaign.events(held.id)] == ["asked", "released", "told"]
    assert campaign.status().counts["done"] == 1


def test_a_map_does_not_wait_for_what_was_released_by_the_clock(campaign, clock):
    for e in campaign.ask(4):
        campaign.tell(e.id, e.point["temperature"])
    campaign.claim(2, lease=60)
    assert len(campaign.map().pending) == 2
    clock(61)
    assert len(campaign.map().pending) == 0


def test_an_ordinary_ask_is_never_released_by_itself(campaign):
    e = campaign.ask()[0]
    assert e.lease is None
    campaign.ask()
    assert campaign.experiment(e.id).state == "pending"
