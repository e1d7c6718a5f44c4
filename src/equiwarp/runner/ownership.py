"""Which run has an experiment, and whether that run is still alive.

A run signs what it does: the ``who`` of its events ends with host, process, the process's start and a token.
When a run begins, and now and then later, it looks at pending experiments of other runs: those of a process
of this machine that is gone are released, and so are those that another machine should have ended long ago.
"""

from __future__ import annotations

import os
import re
import socket
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from equiwarp.campaign import Campaign, Experiment
from equiwarp.runner.plan import RunPlan

SIGNED = re.compile(r"\(run (\S+) (\d+) (\d+) (\w+)\)$")
#: Seconds beyond the time limits that a run on another machine is given.
GRACE = 60.0


@dataclass(frozen=True)
class RunIdentity:
    """The process that a run lives in. ``started`` is 0 where the system does not tell."""

    host: str
    process: int
    started: int
    token: str

    @classmethod
    def new(cls) -> RunIdentity:
        """A run of this process."""
        me = os.getpid()
        return cls(socket.gethostname(), me, _started(me) or 0, uuid.uuid4().hex[:8])

    @classmethod
    def read(cls, who: str) -> RunIdentity | None:
        """Whose signature ends this text; None if no run signed it."""
        found = SIGNED.search(who)
        return None if found is None else cls(found[1], int(found[2]), int(found[3]), found[4])

    def sign(self, who: str) -> str:
        """``who`` as the events of this run show it."""
        return f"{who} (run {self.host} {self.process} {self.started} {self.token})"

    def alive(self) -> bool | None:
        """Whether the process still exists; None if it is on another machine."""
        if self.host != socket.gethostname():
            return None
        started = _started(self.process)
        return started is not None and self.started in (0, started)


def release_orphans(campaign: Campaign, me: RunIdentity, plan: RunPlan) -> list[int]:
    """Release pending experiments of runs that are gone; their ids."""
    orphans = [e.id for e in campaign.experiments("pending") if _orphan(campaign, e, me, plan)]
    return [e.id for e in campaign.release(ids=orphans)] if orphans else []


def _orphan(campaign: Campaign, experiment: Experiment, me: RunIdentity, plan: RunPlan) -> bool:
    asked = [event for event in campaign.events(experiment.id) if event.what == "asked"]
    owner = RunIdentity.read(asked[-1].who) if asked else None
    if owner is None or owner == me:  # a person has it, or this run itself
        return False
    alive = owner.alive()
    if alive is not None or plan.timeout is None:
        return alive is False
    age = (datetime.now(UTC) - datetime.fromisoformat(experiment.since)).total_seconds()
    return age > (plan.retries + 1) * plan.timeout + GRACE


def _started(process: int) -> int | None:
    """When a process of this machine started, in the system's ticks; None if it is gone, 0 if unknown."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        if Path("/proc/self/stat").exists():
            return None
    except OSError:
        return 0
    else:
        state, *rest = stat.rpartition(")")[2].split()
        return None if state in "ZX" else int(rest[18])
    if os.name == "nt":  # there, signal 0 is Ctrl-C
        return 0
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return None
    except OSError:
        return 0
    return 0
