"""What the child processes of the fault tests do. They die by a real signal, at a named step."""

from __future__ import annotations

import json
import os
import resource
import signal
import tempfile
from pathlib import Path
from typing import Any

import equiwarp as ew
from equiwarp.exceptions import Conflict
from equiwarp.store import steps

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


def die_at(step: str) -> None:
    """Arrange for kill -9 when this step is reached."""
    steps.watchers.append(lambda name: os.kill(os.getpid(), signal.SIGKILL) if name == step else None)


def wait_at(step: str, here: Path, go_on: Path) -> None:
    """Arrange to stop once at this step: make the file `here`, wait for the file `go_on`."""
    import time

    def watch(name: str) -> None:
        if name == step and not here.exists():
            here.touch()
            while not go_on.exists():
                time.sleep(0.01)

    steps.watchers.append(watch)


def wait_patiently() -> None:
    """Let no process give up because the machine is busy with others."""
    from equiwarp.store import core, engine

    core.PATIENCE = engine.PATIENCE = 3600.0


class Acknowledged:
    """A file of what the library has confirmed, written before anything else happens."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, *entry: Any) -> None:
        with self.path.open("a") as file:
            file.write(json.dumps(entry) + "\n")
            file.flush()

    def read(self) -> list[list[Any]]:
        return [json.loads(line) for line in self.path.read_text().splitlines()] if self.path.exists() else []


def live_and_die(store: str, acks: Path, step: str) -> None:
    """Ask and tell until the step is reached. The first two points are fixed, the next are chosen."""
    acknowledge = Acknowledged(acks)
    campaign = ew.Campaign("furnace", BOX, store=store, strategy="fps", n0=2)
    for number in range(4):
        if number == 2:  # two rounds in peace, so that there is something to lose
            die_at(step)
        experiment = campaign.ask()[0]
        acknowledge("asked", experiment.id, experiment.point)
        campaign.tell(experiment.id, 1.5 * number)
        acknowledge("told", experiment.id, 1.5 * number)


def begin_and_die(store: str, step: str) -> None:
    die_at(step)
    ew.Campaign("furnace", BOX, store=store)


def open_and_die(store: str, step: str) -> None:
    die_at(step)
    ew.Campaign("furnace", store=store)


def add_and_die(store: str, step: str) -> None:
    campaign = ew.Campaign("furnace", store=store)
    die_at(step)
    campaign.add([[30.0, 4.0]] * 100, [1.0] * 100)


def tell_plate_and_die(store: str, plate: str, step: str) -> None:
    from equiwarp.campaign.plates import take_plate
    from equiwarp.tables.table import read_table

    campaign = ew.Campaign("furnace", store=store)
    die_at(step)
    take_plate(campaign, read_table(plate))


def many_pairs(store: str, acks: Path, strategy: str, pairs: int) -> None:
    """Ask and tell again and again, as one of many."""
    wait_patiently()
    campaign = ew.Campaign("furnace", BOX, store=store, strategy=strategy, n0=1)
    given = []
    for _ in range(pairs):
        experiment = campaign.ask()[0]
        given.append([experiment.id, list(experiment.point.values())])
        campaign.tell(experiment.id, float(experiment.id))
    Acknowledged(acks)(given)


def tell_once(store: str, acks: Path, value: float, start: Path) -> None:
    """Tell experiment 1 a value, at the same moment as others."""

    campaign = ew.Campaign("furnace", store=store)
    while not start.exists():
        pass
    try:
        campaign.tell(1, value)
    except Conflict as conflict:
        Acknowledged(acks)("lost", value, str(conflict))
    else:
        Acknowledged(acks)("won", value)


def tell_slowly(store: str, acks: Path, here: Path, go_on: Path) -> None:
    """Stop in the middle of a tell until the parent says so."""
    campaign = ew.Campaign("furnace", store=store)
    wait_at("tell:written", here, go_on)
    campaign.tell(1, 2.5)
    Acknowledged(acks)("told", 1, 2.5)


def tell_until_full(store: str, acks: Path, room: int) -> None:
    """Tell values while the file may grow by so many bytes; note the error that ends it."""
    acknowledge = Acknowledged(acks)
    campaign = ew.Campaign("furnace", store=store)
    pending = campaign.experiments("pending")
    limit = os.path.getsize(store) + room
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    for experiment in pending:
        try:
            campaign.tell_failed(experiment.id, "long reason " * 100)
        except Exception as error:  # whatever it is, the parent judges it
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            acknowledge("error", type(error).__name__, str(error))
            campaign.tell_failed(experiment.id, "there is room again")
            acknowledge("told", experiment.id)
            return
        acknowledge("told", experiment.id)


def try_as_nobody(store: str, acks: Path) -> None:
    """Look at a read-only store and try to change it, without root's privileges."""
    with tempfile.TemporaryDirectory() as folder, ew.Campaign("warm", BOX, store=f"{folder}/x.db") as other:
        # Everything must be imported before: Python itself may be out of nobody's reach.
        other.tell(other.ask()[0].id, 1.0)
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    acknowledge = Acknowledged(acks)
    campaign = ew.Campaign("furnace", store=store)
    acknowledge("looked", campaign.status().counts["done"], len(campaign.events()), len(campaign.preview(2)))
    for verb in (campaign.ask, lambda: campaign.tell(2, 3.0)):
        try:
            verb()
        except Exception as error:
            acknowledge("error", type(error).__name__, str(error))
        else:
            acknowledge("no error")
