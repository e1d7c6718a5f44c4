"""An answer that gets lost after the commit: what was done is recognised, not done again and not denied."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.exc import OperationalError

import equiwarp as ew
from equiwarp.exceptions import Conflict, InvalidInput
from equiwarp.store import CampaignStore, campaign_transaction, doctor, steps

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


@pytest.fixture
def ann(tmp_path):
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", strategy="fps", n0=4, who="ann") as made:
        yield made


@pytest.fixture
def bob(ann):
    with ew.Campaign("c", store=ann.store.name, who="bob") as made:
        yield made


@pytest.fixture
def lost_answer(monkeypatch):
    """``lost_answer(work)``: the next commit is made, its answer gets lost, and work is done meanwhile."""

    def arrange(work=lambda: None):
        def watch(name):
            if name == "store:committed" and watch in steps.watchers:
                steps.watchers.remove(watch)
                work()
                gone = OperationalError("COMMIT", {}, Exception("the connection is gone"))
                gone.connection_invalidated = True
                raise gone

        monkeypatch.setattr(steps, "watchers", [watch])

    return arrange


VERBS = {
    "tell": lambda c: c.tell(1, 5.0),
    "tell_failed": lambda c: c.tell_failed(1, "tripped"),
    "abandon": lambda c: c.abandon(1),
    "tell_many": lambda c: c.tell_many([(1, 5.0, None), (2, 6.0, None)], [(3, "tripped")]),
    "add": lambda c: c.add([[30, 4]], [1.0]),
    "release": lambda c: [e.id for e in c.release()],
    "ask": lambda c: [e.id for e in c.ask(1)],
    "claim": lambda c: [e.id for e in c.claim(1)],
    "repeat": lambda c: [e.id for e in c.repeat(1, 2)],
    "note": lambda c: c.note(1, "cloudy"),
    "rename": lambda c: c.rename("d"),
    "rename_parameter": lambda c: c.rename_parameter("pH", "acidity"),
    "rename_response": lambda c: c.rename_response("value", "yield"),
    "widen": lambda c: c.widen("pH", high=10),
    "change": lambda c: c.change(description="the second oven"),
}
#: What is done before, and the verb.
LATER_VERBS = {
    "withdraw": (lambda c: c.tell(1, 5.0), lambda c: c.withdraw(1, "contaminated")),
    "undo": (lambda c: c.tell_failed(1, "tripped"), lambda c: c.undo(1)),
    "renew": (lambda c: c.claim(1), lambda c: c.renew(4).state),
}


@pytest.mark.parametrize("verb", [*VERBS, *LATER_VERBS])
def test_every_verb_is_done_once_and_returns_what_it_did(ann, tmp_path, lost_answer, verb):
    before, do = LATER_VERBS.get(verb) or (lambda _: None, VERBS[verb])
    with ew.Campaign("c", BOX, store=tmp_path / "twin.db", strategy="fps", n0=4, who="ann") as twin:
        for c in (ann, twin):
            c.ask(3), before(c)
        expected = do(twin)
        lost_answer()
        found = do(ann)
        assert [e.what for e in ann.events()] == [e.what for e in twin.events()]
    plain = lambda e: {**vars(e), "created": "", "since": ""} if isinstance(e, ew.Experiment) else e  # noqa: E731
    assert plain(found) == plain(expected)
    assert doctor(ann.store.name).ok


def test_a_chosen_point_is_entered_once(ann, lost_answer):
    ann.ask(4)
    lost_answer()
    assert [e.id for e in ann.ask(2)] == [5, 6]
    assert len(ann.experiments()) == 6


def test_a_tell_that_was_kept_and_amended_meanwhile_is_no_conflict(ann, bob, lost_answer):
    ann.ask(1)
    lost_answer(lambda: bob.amend(1, 6.0))
    assert ann.tell(1, 5.0).value == 6.0
    assert [e.what for e in ann.events(1)] == ["asked", "told", "amended"]


def test_an_amendment_recognises_its_own_success(ann):
    ann.ask(1)
    seen = ann.tell(1, 5.0).since
    assert ann.amend(1, 6.0, since=seen).value == 6.0
    # The client never heard of it and repeats the same request.
    assert ann.amend(1, 6.0, since=seen).value == 6.0
    assert [e.what for e in ann.events(1)] == ["asked", "told", "amended"]
    with pytest.raises(Conflict, match="after it was shown to you"):
        ann.amend(1, 7.0, since=seen)


def test_a_release_returns_what_it_released_as_it_left_it(ann, bob, monkeypatch):
    ann.ask(2)

    def watch(name):
        if name == "store:committed":
            steps.watchers.clear()
            bob.tell(1, 3.0)

    monkeypatch.setattr(steps, "watchers", [watch])
    assert [(e.id, e.state) for e in ann.release()] == [(1, "released"), (2, "released")]


# Clocks


class Clock:
    """A clock that can be set."""

    def __init__(self):
        self.moment = datetime.now(UTC)

    def now(self, _zone):
        return self.moment

    def __getattr__(self, name):
        return getattr(datetime, name)


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(campaign_transaction, "datetime", made)
    monkeypatch.setattr("equiwarp.campaign.telling.datetime", made)
    return made


def test_a_clock_that_stands_still_hides_no_change(ann, clock):
    ann.ask(1)
    seen = ann.tell(1, 5.0)
    ann.amend(1, 6.0)
    with pytest.raises(Conflict, match="after it was shown to you"):
        ann.amend(1, 7.0, since=seen.since)
    stamps = [e.at for e in ann.events(1)]
    assert len(set(stamps)) == len(stamps) == 3


def test_nor_does_one_that_was_set_back_to_the_very_moment(ann, clock):
    added = ann.add([[30, 4]], [5.0])[0]
    seen = ann.experiment(added).since
    clock.moment += timedelta(hours=1)
    ann.amend(added, 6.0)
    clock.moment -= timedelta(hours=1)
    ann.amend(added, 8.0)
    with pytest.raises(Conflict):
        ann.amend(added, 7.0, since=seen)


@pytest.mark.parametrize("age", [None, 0, timedelta(0)])
def test_a_clock_set_back_releases_all_the_same(ann, clock, age):
    ann.ask(2)
    clock.moment -= timedelta(hours=2)
    assert [e.id for e in ann.release(age)] == [1, 2]


@pytest.mark.parametrize("age", [1e308, float("nan"), float("inf"), -1.0, "long", timedelta.max])
def test_an_age_that_no_calendar_holds_is_refused(ann, age):
    with pytest.raises(InvalidInput, match="older_than"):
        ann.release(age)


# Keys of clients


def test_a_key_costs_no_further_transaction(ann, monkeypatch):
    """Neither the first time nor when it is repeated: all that it needs is read where it is handed out."""
    done = []
    for name in ("read", "write"):
        work = getattr(CampaignStore, name)

        def counted(self, function, name=name, work=work):
            done.append(name)
            return work(self, function)

        monkeypatch.setattr(CampaignStore, name, counted)
    needed = []
    for key in (None, "plate 7", "plate 7"):
        done.clear()
        ann.ask(2, key=key)
        needed.append(list(done))
    assert needed == [["write"]] * 3
    ann.ask(4)  # the start is over: the strategy chooses
    for key in (None, "plate 8"):
        done.clear()
        ann.ask(1, key=key)
        needed.append(list(done))
    assert needed[-1] == needed[-2] == ["write", "read", "write"]


@pytest.mark.parametrize("n", [2, 6])  # of the sequence alone, and with chosen points
def test_a_repeated_request_hands_out_the_same_experiments(ann, bob, n):
    first = ann.ask(n, key="plate 7")
    assert [e.id for e in bob.ask(n, key="plate 7")] == [e.id for e in first]
    assert len(ann.experiments()) == n
    ann.tell(first[0].id, 1.0)
    assert [(e.state, e.value) for e in ann.ask(n, key="plate 7")][:2] == [("done", 1.0), ("pending", None)]
    assert ann.ask(1, key="plate 8")[0].id == n + 1


@pytest.mark.parametrize("step", ["ask:begun", "ask:chosen"])
def test_two_requests_with_one_key_at_once_are_one(ann, bob, monkeypatch, step):
    ann.ask(4)
    other = []

    def watch(name):
        if name == step and not other:
            other.append(None)
            other[:] = bob.ask(2, key="k")

    monkeypatch.setattr(steps, "watchers", [watch])
    assert [e.id for e in ann.ask(2, key="k")] == [e.id for e in other] == [5, 6]
    assert len(ann.experiments()) == 6


def test_a_key_is_for_one_request(ann, tmp_path):
    ann.ask(2, key="k")
    with pytest.raises(Conflict, match="'k' was used to ask for 2 experiments, and now for 3"):
        ann.ask(3, key="k")
    with pytest.raises(InvalidInput, match="key"):
        ann.ask(1, key="")
    with pytest.raises(InvalidInput, match="key"):
        ann.ask(1, key=7)
    with ew.Campaign("other", BOX, store=ann.store) as other:
        assert other.ask(3, key="k")[0].id == 1
    held = ann.ask(1, key="held", fixed={"pH": 5})
    assert [e.id for e in ann.ask(1, key="held", fixed={"pH": 5.0})] == [held[0].id]
    for fixed in (None, {"pH": 6}):
        with pytest.raises(Conflict, match="'held' was used for a request with another fixed"):
            ann.ask(1, key="held", fixed=fixed)
    with pytest.raises(Conflict, match="'k' was used for a request with another shared"):
        ann.ask(2, key="k", shared=["pH"])


# Answers that nobody can read


@pytest.mark.parametrize(
    "words",
    [
        ["ask", "-n", "3"],
        ["ask", "-n", "3", "--format", "csv"],
        ["ask", "-n", "3", "--csv", "/dev/full", "--force"],
        ["claim", "-n", "3"],
        ["repeat", "1", "-n", "3"],
    ],
)
def test_what_cannot_be_shown_does_not_stay_pending(tmp_path, ann, words):
    ann.tell(ann.ask()[0].id, 1.0)
    ann.close()
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", "from equiwarp.cli import main; main()", *words,
             "--store", ann.store.name],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "released again" in done.stderr
    assert "Traceback" not in done.stderr
    assert ann.status().counts["pending"] == 0
    assert ann.status().counts["released"] == 3


def test_an_add_that_is_repeated_with_its_key_adds_nothing_twice(tmp_path):
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db") as c:
        x, y = [[30.0, 4.0], [60.0, 7.0]], [1.0, 2.0]
        ids = c.add(x, y, again=True, key="tray 7")
        assert c.add(x, y, again=True, key="tray 7") == ids == [1, 2]
        assert c.add(x, y, again=True, key="tray 8") == [3, 4]
        with pytest.raises(Conflict, match="'tray 7' was used to add 2 measurements, and now for 1"):
            c.add(x[:1], y[:1], again=True, key="tray 7")
        for other in ((x, [1.0, 2.5], None), ([[30.0, 4.0], [61.0, 7.0]], y, None), (x, y, 0.1)):
            with pytest.raises(Conflict, match="'tray 7' was used to add other measurements than these 2"):
                c.add(other[0], other[1], other[2], again=True, key="tray 7")
        with pytest.raises(InvalidInput, match="key must be a text"):
            c.add(x, y, key="")
        c.ask(1, key="tray 7")  # another verb's keys are others
        assert c.status().added == 4


def equiwarp(*words, store, before="", **more):
    """A command in a program of its own, started by a shell."""
    command = " ".join(map(shlex.quote, (sys.executable, "-m", "equiwarp", *words, "--store", store)))
    return subprocess.run(
        ["sh", "-c", f"{command} {before}"], capture_output=True, text=True, check=False, **more
    )


@pytest.mark.parametrize(
    "words",
    [["ask"], ["ask", "--format", "csv"], ["ask", "--csv", "-"], ["claim"], ["repeat", "1"]],
)
def test_what_nobody_can_read_because_the_output_is_closed_does_not_stay_pending(ann, words):
    ann.tell(ann.ask()[0].id, 1.0)
    ann.close()
    done = equiwarp(*words, store=ann.store.name, before=">&-")
    assert (done.returncode, ann.status().counts["pending"]) == (1, 0), done.stderr
    assert "standard output is closed" in done.stderr


def test_a_plate_needs_no_output_and_a_table_does(ann, tmp_path):
    done = equiwarp("ask", "--csv", str(tmp_path / "plate.csv"), store=ann.store.name, before=">&-")
    assert (done.returncode, ann.status().counts["pending"]) == (0, 1), done.stderr
    assert (tmp_path / "plate.csv").read_text().startswith("id,")
    for words in (["export"], ["export", "--plate"], ["list", "--format", "json"]):
        done = equiwarp(*words, store=ann.store.name, before=">&-")
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), words
        assert done.stderr.startswith("error: standard output is closed"), words


@pytest.mark.parametrize("words", [["ask"], ["ask", "--csv", "-"], ["ask", "--format", "json"]])
def test_what_the_output_has_no_letters_for_does_not_stay_pending(tmp_path, words):
    """Windows writes files in the letters of the country."""
    with ew.Campaign("c", ew.Box({"λ": (20, 90)}), store=tmp_path / "a.db", strategy="fps") as c:
        environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
        done = equiwarp(*words, store=c.store.name, env=environment)
        assert (done.returncode, c.status().counts["pending"]) == (1, 0), done.stderr
        assert "standard output is latin-1, which has no '\\u03bb'" in done.stderr
        done = equiwarp("export", store=c.store.name, env=environment)
        assert done.returncode == 1
        assert "PYTHONIOENCODING=utf-8" in done.stderr
