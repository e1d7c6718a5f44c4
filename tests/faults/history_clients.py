"""Clients that work on one campaign at the same time and write down what they asked and what they heard.

One uses Python, one the command line, one HTTP. Each works in a process of its own, with a clock that jumps.
A line is written before each call and after it, so that a client that is killed leaves a call without an
answer.
"""

from __future__ import annotations

import itertools
import json
import random
import time
from datetime import datetime, timedelta
from pathlib import Path

import fault_actions as act

import equiwarp as ew
from equiwarp.exceptions import Conflict, StoreError
from equiwarp.store import campaign_transaction

#: Few, so that the clients get in each other's way.
EXPERIMENTS = (1, 2, 3)
KEYS = ("red", "blue")


class ByPython:
    """Calls of the library."""

    def __init__(self, store: str) -> None:
        self.campaign = ew.Campaign("furnace", store=store)

    def ask(self, key):
        return self.campaign.ask(1, key)[0].id

    def tell(self, id, value):
        return _heard(lambda: self.campaign.tell(id, value))

    def amend(self, id, value):
        return _heard(lambda: self.campaign.amend(id, value))

    def read(self, id):
        value = self.campaign.experiment(id).value
        return ["none"] if value is None else [value]

    def seen(self, id):
        """The value and since when it is so."""
        found = self.campaign.experiment(id)
        return found.value, found.since

    def amend_seen(self, id, value, since):
        return _heard(lambda: self.campaign.amend(id, value, since=since))


def _heard(call):
    try:
        call()
    except Conflict:
        return "conflict"
    return "ok"


class ByCommands(ByPython):
    """The command line for what changes something."""

    def __init__(self, store: str) -> None:
        super().__init__(store)
        self.store = store

    def run(self, *words):
        from click.testing import CliRunner

        from equiwarp.cli import main

        result = CliRunner().invoke(main, [*map(str, words), "--store", self.store])
        if result.exit_code not in (0, 3):
            raise StoreError(result.output)
        return result

    def tell(self, id, value):
        return "conflict" if self.run("tell", id, value).exit_code else "ok"

    def amend(self, id, value):
        return "conflict" if self.run("amend", id, value).exit_code else "ok"

    def ask(self, key):
        if key is not None:
            return super().ask(key)
        return json.loads(self.run("ask", "--format", "json").stdout)[0]["id"]


class ByHttp(ByPython):
    """The server's application, asked as a browser asks it."""

    def __init__(self, store: str) -> None:
        import warnings

        super().__init__(store)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from fastapi.testclient import TestClient
        from equiwarp.web.app import create_app
        from equiwarp.web.security import Gate, hosts_for

        app = create_app(store, Gate(hosts_for(["127.0.0.1"], 8765)))
        here = "http://127.0.0.1:8765"
        self.client = TestClient(app, base_url=here, headers={"origin": here}, raise_server_exceptions=False)

    def post(self, path, **body):
        answer = self.client.post(f"/api/campaigns/1/{path}", json=body)
        if answer.status_code not in (200, 409):
            raise StoreError(answer.text)
        return answer

    def tell(self, id, value):
        return "ok" if self.post(f"experiments/{id}/tell", values=value).status_code == 200 else "conflict"

    def amend(self, id, value):
        return "ok" if self.post(f"experiments/{id}/amend", values=value).status_code == 200 else "conflict"

    def amend_seen(self, id, value, since):
        answer = self.post(f"experiments/{id}/amend", values=value, since=since)
        return "ok" if answer.status_code == 200 else "conflict"

    def ask(self, key):
        return self.post("ask", n=1, **({} if key is None else {"key": key})).json()[0]["id"]


CLIENTS = {"python": ByPython, "mortal": ByPython, "commands": ByCommands, "http": ByHttp}


class JumpingClock:
    """A clock that is set forward and back by hours."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice

    def now(self, zone):
        return datetime.now(zone) + timedelta(hours=self.dice.choice([-2, 0, 2]))

    def __getattr__(self, name):
        return getattr(datetime, name)


def work(store: str, notes: Path, kind: str, seed: int, calls: int, ready: Path) -> None:
    """So many random calls, noted; values are never the same twice. A mortal client dies after a commit."""
    act.wait_patiently()
    dice, note = random.Random(seed), act.Acknowledged(notes)
    campaign_transaction.datetime = JumpingClock(dice)
    client, values = CLIENTS[kind](store), (seed + i / 1000 for i in itertools.count(1))
    Path(f"{notes}-ready").touch()
    while not ready.exists():
        time.sleep(0.01)
    for number in range(calls):
        if kind == "mortal" and number == calls // 2:
            act.die_at("store:committed")
        verb = dice.choice(["ask", "tell", "amend", "amend", "amend seen", "read", "read"])
        _one(client, note, number, verb, dice, next(values))


def _one(client, note, number, verb, dice, value):
    if verb == "ask":
        key = dice.choice([None, *KEYS])
        call, about, given = (lambda: client.ask(key)), None, key
    else:
        about = dice.choice(EXPERIMENTS)
        given = value
        if verb == "amend seen":
            seen, since = client.seen(about)
            if seen is None:
                return
            given = [seen, value]
            call = lambda: client.amend_seen(about, value, since)  # noqa: E731
        elif verb == "read":
            call = lambda: client.read(about)  # noqa: E731
        else:
            call = lambda: getattr(client, verb)(about, value)  # noqa: E731
    note("begin", number, verb, about, given, time.monotonic())
    try:
        answer = call()
    except StoreError:
        answer = "unknown"  # whether it was done is not known
    note("end", number, answer, time.monotonic())
