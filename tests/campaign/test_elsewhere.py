"""Choices and maps that other processes make: what is sent there, and when a map is a new one."""

from __future__ import annotations

import pickle

import pytest

from equiwarp import Box, Campaign
from equiwarp.campaign.chooser import Chooser
from equiwarp.campaign.elsewhere import choose_elsewhere, fingerprint, inputs_of, thinned

BOX = Box({"a": (0, 1), "b": (0, 1)})


@pytest.fixture
def campaign(tmp_path):
    with Campaign("c", BOX, noise=0.1, store=str(tmp_path / "a.db"), n0=4) as made:
        for e in made.ask(4):
            made.tell(e.id, e.point["a"])
        yield made


def test_every_choice_is_made_elsewhere_also_by_a_changed_description(campaign):
    sent = []

    def run(inputs):
        sent.append(inputs)
        inputs = pickle.loads(pickle.dumps(inputs))
        return inputs.choose(Chooser(inputs.spec), *inputs.arguments)

    with Campaign("c", store=campaign.store.file) as plain:
        expected = [p.point for p in plain.preview(2)], [p.point for p in plain.preview(2, shared=["b"])]
        choose_elsewhere(campaign, run)
        assert [p.point for p in campaign.preview(2)] == expected[0]
        assert [p.point for p in campaign.preview(2, shared=["b"])] == expected[1]
        plain.widen("a", high=2.0)
    campaign.ask(1)
    assert [inputs.choose.__name__ for inputs in sent] == ["suggest", "choose_batch", "suggest"]
    assert [inputs.spec.domain.parameters[0].high for inputs in sent] == [1, 1, 2]


def test_a_map_is_a_new_one_when_values_failures_or_the_description_change(campaign):
    def now():
        return fingerprint(inputs_of(campaign))

    first = now()
    lost, told = campaign.ask(2)
    assert now() == first  # what is pending changes no fit
    campaign.tell_failed(lost.id, "tripped")
    failed = now()
    campaign.tell(told.id, 1.0)
    measured = now()
    with Campaign("c", store=campaign.store.file) as other:
        other.rename_response("value", "yield")
    assert len({first, failed, measured, now()}) == 4


def test_a_part_of_the_measurements_keeps_what_failed_and_what_is_pending(campaign):
    lost, _ = campaign.ask(2)
    campaign.tell_failed(lost.id)
    some = thinned(inputs_of(campaign), 3).known
    assert (some.measured.sum(), some.lost.sum(), len(some.waiting), len(some.blocks)) == (3, 1, 1, 5)
