"""Whatever clients do at once, and whatever happens to them: some order of calls explains their answers."""

from __future__ import annotations

import math
import signal
import time
from collections import defaultdict

import fault_actions as act
import history_clients
import pytest

import equiwarp as ew
from equiwarp.store import doctor
from tests.reference.linearizability import UNKNOWN, Call, linearizable, numbers, one_experiment

NOTHING = ("none",)


def recorded(path):
    """The calls of one client; one without an end has an unknown answer and may happen at any later time."""
    begun, calls = {}, []
    for what, number, *more in act.Acknowledged(path).read():
        if what == "begin":
            begun[number] = more
            continue
        verb, about, given, began = begun.pop(number)
        answer, ended = more
        calls.append((about, _call(verb, given, answer, began, math.inf if answer == UNKNOWN else ended)))
    calls += [(about, _call(v, given, UNKNOWN, began, math.inf)) for v, about, given, began in begun.values()]
    return calls


def _call(verb, given, answer, began, ended):
    plain = lambda x: tuple(x) if isinstance(x, list) else x  # noqa: E731
    return Call(verb, plain(given), plain(answer), began, ended)


def explained(calls, asked):
    """Whether the calls on each experiment, and all asks, can be put in an order."""
    groups = defaultdict(list)
    for about, call in calls:
        groups[about].append(call)
    asks = groups.pop(None, [])
    wrong = [id for id, group in groups.items() if not linearizable(group, one_experiment, NOTHING)]
    return wrong, linearizable(asks, numbers, (asked, ()))


def _wait_for(paths):
    while not all(path.exists() for path in paths):
        time.sleep(0.01)


def test_mixed_clients_under_kills_restarts_and_clock_jumps(store, tmp_path, start, request):
    with ew.Campaign("furnace", act.BOX, store=store, strategy="random") as campaign:
        campaign.ask(len(history_clients.EXPERIMENTS))
    kinds = ["mortal", "python", "commands", "http", "python"]
    notes, go = [tmp_path / f"notes-{i}" for i in range(len(kinds))], tmp_path / "go"
    children = [
        start(history_clients.work, store, path, kind, 10 * (i + 1), 24, go)
        for i, (path, kind) in enumerate(zip(notes, kinds, strict=True))
    ]
    _wait_for([path.with_name(f"{path.name}-ready") for path in notes])
    go.touch()
    _wait_for([notes[0]])
    if "postgres" in store:
        request.getfixturevalue("postgres").control("restart", "-m", "immediate")
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [-signal.SIGKILL, 0, 0, 0, 0]
    calls = [call for path in notes for call in recorded(path)]
    assert len(calls) > 60
    assert explained(calls, len(history_clients.EXPERIMENTS)) == ([], True)
    assert doctor(store).ok, str(doctor(store))


# The checker itself


def one(*calls):
    return linearizable([Call(*call) for call in calls], one_experiment, NOTHING)


def test_the_checker_accepts_what_one_client_could_have_done():
    assert one(("tell", 1.0, "ok", 0, 1), ("read", 0, (1.0,), 2, 3))
    # Two who tell at once: either may win, but one of them must.
    assert one(("tell", 1.0, "ok", 0, 9), ("tell", 2.0, "conflict", 0, 9), ("read", 0, (1.0,), 10, 11))
    # A read during a change may see either.
    both = [("tell", 1.0, "ok", 0, 1), ("amend", 2.0, "ok", 2, 9)]
    assert one(*both, ("read", 0, (1.0,), 3, 4))
    assert one(*both, ("read", 0, (2.0,), 3, 4))
    # A killed call happened, or not.
    killed = ("tell", 1.0, UNKNOWN, 0)
    assert one(killed, ("read", 0, (1.0,), 5, 6))
    assert one(killed, ("read", 0, NOTHING, 5, 6))
    assert one(killed, ("read", 0, NOTHING, 5, 6), ("read", 0, (1.0,), 7, 8))


WRONG = {
    "a value that was acknowledged and is gone": [("tell", 1.0, "ok", 0, 1), ("read", 0, NOTHING, 2, 3)],
    "two winners": [("tell", 1.0, "ok", 0, 9), ("tell", 2.0, "ok", 0, 9)],
    "no winner": [("tell", 1.0, "conflict", 0, 9), ("tell", 2.0, "conflict", 0, 9)],
    "a value nobody told": [("tell", 1.0, "ok", 0, 1), ("read", 0, (3.0,), 2, 3)],
    "an old value after a new one was seen": [
        ("tell", 1.0, "ok", 0, 1),
        ("amend", 2.0, "ok", 2, 9),
        ("read", 0, (2.0,), 3, 4),
        ("read", 0, (1.0,), 5, 6),
    ],
    "an amendment of what was no longer so": [
        ("tell", 1.0, "ok", 0, 1),
        ("amend", 2.0, "ok", 2, 3),
        ("amend seen", (1.0, 3.0), "ok", 4, 5),
    ],
    "an amendment denied although nothing had changed": [
        ("tell", 1.0, "ok", 0, 1),
        ("amend seen", (1.0, 3.0), "conflict", 4, 5),
    ],
    "a killed call that was undone": [
        ("tell", 1.0, UNKNOWN, 0),
        ("read", 0, (1.0,), 5, 6),
        ("read", 0, NOTHING, 7, 8),
    ],
}


@pytest.mark.parametrize("history", WRONG)
def test_the_checker_rejects(history):
    assert not one(*WRONG[history])


def asks(*calls):
    return linearizable([Call("ask", *call) for call in calls], numbers, (0, ()))


def test_the_checker_knows_how_ids_are_handed_out():
    assert asks((None, 2, 0, 9), (None, 1, 0, 9))
    assert asks(("k", 1, 0, 1), ("k", 1, 2, 3), (None, 2, 4, 5))
    assert asks((None, UNKNOWN, 0), (None, 2, 5, 6))
    assert not asks((None, 1, 0, 9), (None, 1, 0, 9)), "one id for two"
    assert not asks((None, 2, 0, 1), (None, 1, 2, 3)), "an id from the past"
    assert not asks(("k", 1, 0, 1), ("k", 2, 2, 3)), "another answer to the same key"
    assert not asks((None, 1, 0, 1), (None, 3, 2, 3)), "an id that nobody was given"


def test_a_client_that_stopped_in_a_call_left_it_unknown(tmp_path):
    note = act.Acknowledged(tmp_path / "notes")
    note("begin", 0, "tell", 1, 2.5, 10.0)
    note("end", 0, "ok", 11.0)
    note("begin", 1, "amend seen", 1, [2.5, 3.5], 12.0)
    assert recorded(tmp_path / "notes") == [
        (1, Call("tell", 2.5, "ok", 10.0, 11.0)),
        (1, Call("amend seen", (2.5, 3.5), UNKNOWN, 12.0)),
    ]
