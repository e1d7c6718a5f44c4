"""What a map said of itself is kept: a summary shows it, says of which state it is, and fits nothing."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from sqlalchemy import event

import equiwarp as ew
from equiwarp.campaign import assessing
from equiwarp.campaign.assessing import is_quick
from equiwarp.cli import main
from equiwarp.exceptions import StoreReadOnly
from equiwarp.store import doctor, transfer
from equiwarp.store.assessments import KeptAssessment, keep_assessment
from equiwarp.web.hub import Hub

BOX = ew.Box({"heat": (20, 90), "time": (1, 5)})


def response(x):
    return np.sin(x[:, 0] / 20) + x[:, 1]


@pytest.fixture
def store(tmp_path):
    return tmp_path / "lab.db"


@pytest.fixture
def c(store):
    with ew.Campaign("c", BOX, store=store, noise=0.1, strategy="fps", n0=4) as made:
        x = BOX.sample(10, np.random.default_rng(0))
        made.add(x, response(x))
        yield made


@pytest.fixture
def large(monkeypatch):
    """Ten values are many: a map of them is not fitted for a summary."""
    monkeypatch.setattr(assessing, "MOST_VALUES", 9)


def said(store, *words):
    done = CliRunner().invoke(main, [*words, "--store", str(store)])
    assert done.exit_code == 0, done.output
    return done.stdout


def refuse(*_):
    raise AssertionError("a map was fitted")


def test_it_is_what_the_map_says(c):
    c.change(stop=ew.StopRule(error=1e-9, gain_per_experiment=1e-9))
    made, fitted = c.assess(), c.map()
    (error,), advice = fitted.error(), fitted.stop(c.spec.stop)
    assert (made.error, made.interval) == ({"value": error.value}, {"value": (error.low, error.high)})
    assert (made.may_stop, made.stop_reason) == (advice.stop, advice.reason)
    assert [f["sentence"] for f in made.findings] == [f.sentence for f in fitted.diagnostics()]
    assert made.measured == 10
    assert c.status().assessment == made


def test_everybody_sees_it_and_nobody_fits_it_again(c, store, monkeypatch):
    made = c.assess()
    monkeypatch.setattr(assessing, "map_from", refuse)
    with ew.Campaign("c", store=store) as other:
        assert other.status().assessment == made
    shown = json.loads(said(store, "status", "--format", "json"))
    assert (shown["error"], shown["interval"]["value"]) == (made.error, list(made.interval["value"]))
    assert shown["map"] == {"values": 10, "made": made.made, "current": True}
    assert f"{made.error['value']:.4g}" in said(store, "status")


def test_handing_out_experiments_leaves_it_current_and_learning_does_not(c):
    (asked,) = c.ask()
    c.assess()
    (other,) = c.ask()  # a choice of the strategy, which takes a number first
    assert c.status().assessment.current
    for change in (
        lambda: c.tell(asked.id, 2.0),
        lambda: c.amend(asked.id, 2.5),
        lambda: c.withdraw(asked.id, "wrong sample"),
        lambda: c.tell_failed(other.id, "tripped"),
        lambda: c.add([[30.0, 2.0]], [1.0]),
        lambda: c.change(aim=ew.Aim(above=2.0)),
    ):
        c.assess()
        change()
        assert not c.status().assessment.current


def test_a_map_of_an_earlier_state_does_not_replace_a_later_one(c):
    made, learned = c.assess(), c._record().learned
    earlier = KeptAssessment(learned - 1, "then", {"measured": 1, "error": {}, "findings": []})
    c._context.store.write(lambda transaction: keep_assessment(transaction, earlier))
    assert c.status().assessment == made
    c.add([[30.0, 2.0]], [1.0])
    assert c.assess().measured == c.status().assessment.measured == 11


def test_status_of_a_large_campaign_fits_nothing_and_says_what_is_known(c, store, large, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(assessing, "map_from", refuse)
        assert "not fitted yet; `equiwarp map` says how good it is" in said(store, "status")
        assert json.loads(said(store, "status", "--format", "json"))["map"] is None
    said(store, "map")
    made = c.status().assessment
    monkeypatch.setattr(assessing, "map_from", refuse)
    assert "makes it anew" not in said(store, "status")
    c.amend(1, 3.5)
    anew = f"of {made.made[:16]}Z; `equiwarp map` makes it anew"
    assert f"before the last changes, {anew}" in said(store, "status")
    c.add([[30.0, 2.0]], [1.0])
    shown = said(store, "status")
    assert f"of 10 of 11 values, {anew}" in shown
    assert f"map error of value  {made.error['value']:.4g}" in shown
    assert json.loads(said(store, "status", "--format", "json"))["map"]["current"] is False
    assert "map" not in json.loads(said(store, "status", "--quick", "--format", "json"))


def test_status_of_a_small_campaign_fits_the_map_once(c, store, monkeypatch):
    shown = json.loads(said(store, "status", "--format", "json"))
    assert shown["error"]["value"] == c.map().error()[0].value
    monkeypatch.setattr(assessing, "map_from", refuse)
    assert json.loads(said(store, "status", "--format", "json")) == shown


@pytest.mark.parametrize(
    ("measured", "responses", "dim", "quick"),
    [(200, 1, 2, True), (201, 1, 2, False), (100, 2, 10, True), (101, 2, 10, False), (101, 1, 20, False)],
)
def test_what_counts_as_quick(c, measured, responses, dim, quick):
    status = replace(c.status(), measured=measured, responses=("y",) * responses)
    assert is_quick(ew.Box.unit(dim), status) is quick


def test_a_summary_costs_the_same_however_much_was_measured(c):
    """Counted in steps of SQLite's machine: a step is a row, a column or a comparison."""
    steps = []

    def watch(connection, *_):
        raw = connection.connection.driver_connection
        raw.set_progress_handler(lambda: steps.append(1), 1)

    event.listen(c.store.engine, "before_cursor_execute", watch)
    c.assess()
    steps.clear()
    c.status()
    few = len(steps)
    x = BOX.sample(2000, np.random.default_rng(1))
    c.add(x, response(x))
    steps.clear()
    assert c.status().measured == 2010
    assert 0 < len(steps) <= few


def test_a_map_of_a_store_that_cannot_be_written_says_the_same(c, monkeypatch):
    def full(*_):
        raise StoreReadOnly("no permission")

    monkeypatch.setattr("equiwarp.store.core.CampaignStore.write", full)
    assert c.assess().measured == 10
    assert c.status().assessment is None


def test_report_and_page_keep_it_too(c, store, tmp_path):
    said(store, "report", str(tmp_path / "report.html"))
    first = c.status().assessment
    assert first.measured == 10
    c.add([[30.0, 2.0]], [1.0])
    look_at_the_page(store)
    kept = c.status().assessment
    assert (kept.measured, kept.current) == (11, True)
    assert kept.error == pytest.approx(c.assess().error, rel=0.05)  # its fit began from another map


def look_at_the_page(store):
    """Have the page follow the error of the only campaign, to its end."""
    hub = Hub(store)
    try:
        while (work := hub.course(1)).running:
            time.sleep(0.01)
        assert work.problem == ""
    finally:
        hub.close()


def test_the_page_keeps_it_with_the_offsets_of_blocks(store):
    with ew.Campaign("c", BOX, store=store, noise=0.05, n0=12, blocks={"day": "offset"}) as c:
        for e in c.ask(12):
            x = np.array([list(e.point.values())])
            day = ("Monday", "Tuesday")[e.id % 2]
            c.tell(e.id, float(response(x)[0]) + 3.0 * (day == "Tuesday"), block={"day": day})
        look_at_the_page(store)
        kept = c.status().assessment
        assert kept.current
        assert kept.offsets == c.offsets()
        assert kept.offsets["value"]["day"]["Tuesday"] == pytest.approx(1.5, abs=0.3)


def test_it_moves_with_the_campaign_and_doctor_finds_nothing_odd(c, store, tmp_path):
    made = c.assess()
    for copy in (
        transfer.backup(store, tmp_path / "copy.db"),
        transfer.archive(store, "c", tmp_path / "paper.db"),
    ):
        assert doctor(copy).ok
        with ew.Campaign("c", store=copy) as other:
            assert other.status().assessment == made
    transfer.take_in(tmp_path / "paper.db", tmp_path / "other.db")
    with ew.Campaign("c", store=tmp_path / "other.db") as other:
        assert other.status().assessment == made
        other.tell(other.ask()[0].id, 1.0)
        assert not other.status().assessment.current
