"""Run with ``failing_disk.c`` preloaded: a change is tried with one call to the disk failing after another.

    python disk_trials.py FOLDER KIND ACTION STEP    (every STEP-th call fails)

Each trial is a child that opens a store, arms the disk, tells a value and closes the store again. Prints a
JSON list of what each trial came to: how it ended, what it said, and what the store says afterwards.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sys
from pathlib import Path

import equiwarp as ew
from equiwarp.store import doctor

DISK = ctypes.CDLL(None)
KINDS = ("write", "sync")
ACTIONS = ("error", "full", "short", "kill before", "kill half", "kill after")
#: How a child ends that made fewer calls.
NOT_REACHED = 3
BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


def prepare(folder: Path) -> Path:
    with ew.Campaign("furnace", BOX, store=folder / "whole.db", strategy="random") as campaign:
        for e in campaign.ask(3)[:2]:
            campaign.tell(e.id, float(e.id))
    return folder / "whole.db"


def change(store: Path, said: Path, kind: int, nth: int, action: int) -> None:
    """Tell a value on the failing disk; note what came of it."""
    with ew.Campaign("furnace", store=store) as campaign:
        DISK.fault_arm(kind, nth, action)
        try:
            campaign.tell(3, 3.0)
        except ew.EquiwarpError as error:
            said.write_text(f"{type(error).__name__}: {error}")
        else:
            said.write_text("acknowledged")
        campaign.close()
        DISK.fault_disarm()
        if not DISK.fault_fired():
            os._exit(NOT_REACHED)


def trial(whole: Path, folder: Path, kind: int, nth: int, action: int) -> dict[str, object]:
    place = folder / f"trial-{nth}"
    place.mkdir()
    store, said = place / "lab.db", place / "said"
    shutil.copy(whole, store)
    child = os.fork()
    if child == 0:
        try:
            change(store, said, kind, nth, action)
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    ended = os.waitstatus_to_exitcode(status)
    report = doctor(store)
    with ew.Campaign("furnace", store=store) as campaign:
        found = [e.value for e in campaign.experiments()]
        again = campaign.tell(3, 3.0).value
    return {
        "ended": ended,
        "said": said.read_text() if said.exists() else "",
        "values": found,
        "again": again,
        "sound": report.ok and doctor(store).ok,
        "report": str(report),
    }


def main(folder: str, kind: str, action: str, step: str) -> None:
    place, outcomes = Path(folder), []
    whole = prepare(place)
    for nth in range(1, 500, int(step)):
        outcome = trial(whole, place, KINDS.index(kind), nth, ACTIONS.index(action))
        if outcome["ended"] == NOT_REACHED:
            break
        outcomes.append(outcome)
    print(json.dumps(outcomes))


if __name__ == "__main__":
    main(*sys.argv[1:])
