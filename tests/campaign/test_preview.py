"""A preview is what the next ask hands out, on every domain and in every situation, and writes nothing."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.exceptions import Exhausted
from tests.cases import DOMAINS


def content(campaign):
    """Every row of every table, and all triggers and indices."""
    raw = sqlite3.connect(campaign.store.name)
    try:
        return "\n".join(raw.iterdump())
    finally:
        raw.close()


def seen(found):
    return [(e.point, e.why, e.origin) for e in found]


def ask_as_previewed(campaign, n):
    """Ask, after making sure that two previews agree with it and change nothing."""
    before = content(campaign), campaign.status(), campaign.events(), campaign.experiments()
    first, again = campaign.preview(n), campaign.preview(n)
    assert (content(campaign), campaign.status(), campaign.events(), campaign.experiments()) == before
    assert len(first) == n
    assert seen(first) == seen(again)
    asked = campaign.ask(n)
    assert seen(first) == seen(asked)
    assert content(campaign) != before[0]
    return asked


def value(campaign, experiment):
    z = campaign.domain.embed(campaign.domain.numbers(experiment.point)[None])
    return float(np.tanh(6 * (z[0, 0] - 0.4)) + z[0, -1])


def tell(campaign, experiments):
    for e in experiments:
        campaign.tell(e.id, value(campaign, e))


def live(campaign):
    """All situations one after another: in the start, across its end, and with every state about."""
    first, second = ask_as_previewed(campaign, 2)
    campaign.tell_failed(first.id, "tripped")
    campaign.tell(second.id, value(campaign, second))
    third = ask_as_previewed(campaign, 1)[0]
    campaign.release()
    again = ask_as_previewed(campaign, 1)[0]  # the released point comes again
    assert again.point == third.point
    batch = ask_as_previewed(campaign, 4)  # the last ones of the start, the others chosen
    assert {e.origin for e in batch} == {"sequence", "model"}
    tell(campaign, [again, *batch[:2]])
    campaign.tell_failed(batch[2].id, "tripped")
    campaign.abandon(batch[3].id, "explosive")
    waiting = ask_as_previewed(campaign, 2)  # these stay pending
    campaign.tell_failed(ask_as_previewed(campaign, 1)[0].id, "tripped again")
    more = ask_as_previewed(campaign, 3)
    tell(campaign, more[1:])
    campaign.release()
    assert waiting[0].state == "pending"
    ask_as_previewed(campaign, 2)


@pytest.mark.parametrize("name", DOMAINS)
def test_a_preview_is_the_next_ask_on_every_domain(tmp_path, name):
    with ew.Campaign("c", DOMAINS[name], store=tmp_path / "lab.db", strategy="eig", n0=5, noise=0.1) as c:
        live(c)


@pytest.mark.parametrize("name", ["square", "triangle"])
@pytest.mark.parametrize("strategy", ["equiwarp", "lookahead-gp", "fps"])
def test_a_preview_is_the_next_ask_of_other_strategies(tmp_path, strategy, name):
    with ew.Campaign("c", DOMAINS[name], store=tmp_path / "lab.db", strategy=strategy, n0=5) as c:
        live(c)


@pytest.mark.parametrize("strategy", ["sobol", "random"])
@pytest.mark.parametrize("name", ["square", "levels", "mixture"])
def test_a_preview_is_the_next_ask_of_an_open_loop(tmp_path, strategy, name):
    with ew.Campaign("c", DOMAINS[name], store=tmp_path / "lab.db", strategy=strategy) as c:
        first, second, _ = ask_as_previewed(c, 3)
        c.tell(first.id, 1.0)
        c.abandon(second.id)
        c.release()
        ask_as_previewed(c, 3)
        ask_as_previewed(c, 2)


def test_earlier_measurements_shorten_the_previewed_start_too(tmp_path):
    with ew.Campaign("c", DOMAINS["mixture"], store=tmp_path / "lab.db", strategy="eig", n0=4) as c:
        c.add(DOMAINS["mixture"].sample(3, np.random.default_rng(0)), [1.0, 2.0, 3.0])
        assert [p.origin for p in c.preview(2)] == ["sequence", "model"]
        ask_as_previewed(c, 2)


def test_a_handle_that_asked_before_and_a_fresh_one_preview_the_same(tmp_path):
    domain = DOMAINS["blend"]
    with ew.Campaign("c", domain, store=tmp_path / "lab.db", strategy="equiwarp", n0=3, noise=0.1) as old:
        tell(old, old.ask(4))
        tell(old, old.ask(1))
        with ew.Campaign("c", store=tmp_path / "lab.db") as fresh:
            assert seen(fresh.preview(2)) == seen(old.preview(2))


def test_a_preview_refuses_what_ask_refuses_and_draws_no_number(tmp_path):
    with ew.Campaign("c", ew.Box({"x": {"levels": [1, 2, 3]}}), store=tmp_path / "lab.db", n0=1) as c:
        c.ask(2)
        before = content(c)
        with pytest.raises(Exhausted, match=r"2 experiments were asked for and 1 are left"):
            c.preview(2)
        for n in (0, 1.5, True, "2"):
            with pytest.raises(ValueError, match="whole number"):
                c.preview(n)
        assert content(c) == before
        assert len(c.preview()) == 1
