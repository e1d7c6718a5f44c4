"""What the page keeps between requests: open campaigns, their latest maps, and work under way.

All of it can be lost: the store has everything that matters. Heavy work is done in other processes
(:mod:`equiwarp.web.processes`): two for choices that somebody asks for, and some for everything that is
looked at. A map belongs to the measurements that it was fitted to and is fitted once for all who look; so is
each picture of it. What is known already needs no process.
"""

from __future__ import annotations

import contextvars
import hashlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import anyio
import numpy as np

from equiwarp.campaign import Campaign, Proposal
from equiwarp.campaign.assessing import keep_said
from equiwarp.campaign.block_values import BlockOffsets, has_offsets
from equiwarp.campaign.chooser import Chosen
from equiwarp.campaign.elsewhere import (
    ChoiceInputs,
    choose_elsewhere,
    fingerprint,
    inputs_of,
    thinned,
)
from equiwarp.campaign.looking import MapInputs
from equiwarp.domains import Array
from equiwarp.exceptions import ComputationEnded, UnknownCampaign
from equiwarp.maps.course import Course
from equiwarp.maps.diagnostics import MapFinding
from equiwarp.maps.map import Map
from equiwarp.maps.prediction import Prediction
from equiwarp.plotting.layers import Layers
from equiwarp.plotting.slices import Slice
from equiwarp.plotting.upcoming import upcoming
from equiwarp.store import Actor, CampaignEntry, CampaignTransaction, Store
from equiwarp.web import tasks
from equiwarp.web.jobs import HeavyJob
from equiwarp.web.processes import Processes

T = TypeVar("T")
#: Open campaigns, maps, pictures of each map, and errors of earlier maps that are kept.
MOST_OPEN, MOST_MAPS, MOST_PICTURES, MOST_ERRORS = 64, 16, 48, 64
#: Processes that choose, and that compute what is looked at. One campaign may have all of them but one: here
#: that is two, so that a coarse map can be drawn while the whole one is fitted.
CHOOSING, LOOKING = 2, max(3, os.cpu_count() or 1)
#: Seconds after which nobody looks at a page that does not ask how far its work is.
UNWATCHED = 60.0
#: From so many measurements on, a map of a part of them is drawn while the whole one is fitted.
COARSE_FROM, COARSE = 300, 150


@dataclass(frozen=True)
class FittedMap:
    """A map and the version of the campaign that it shows; no map before the first value.

    Attributes
    ----------
    measurements : str
        Fingerprint of what it was fitted to.
    coarse : bool
        Whether that is a part of what has been measured, for the time being.
    learned : int
        The state of the campaign that it is of.
    inputs : MapInputs or None
        What it was fitted to, where offsets of blocks belong to what it says.
    """

    entry: CampaignEntry
    map: Map | None
    measurements: str = ""
    coarse: bool = False
    learned: int = 0
    inputs: MapInputs | None = None


@dataclass
class Work:
    """The course of the error and the next points, being computed or done."""

    entry: CampaignEntry
    done: int = 0
    total: int = 1
    running: bool = True
    doing: str = ""
    course: Course | None = None
    next: list[Proposal] = field(default_factory=list)
    findings: tuple[MapFinding, ...] = ()
    prior: tuple[str, ...] = ()
    offsets: dict[str, BlockOffsets] = field(default_factory=dict)
    problem: str = ""
    watched: float = field(default_factory=time.monotonic)

    def unwatched(self) -> bool:
        return time.monotonic() - self.watched > UNWATCHED


@dataclass(frozen=True)
class Caller:
    """For whom a choice is made: how to see that they left, and whether it is no visitor."""

    gone: Callable[[], bool]
    background: bool = False


#: Set by whoever lets a campaign choose; threads that are started for a request inherit it.
CALLER: contextvars.ContextVar[Caller | None] = contextvars.ContextVar("caller", default=None)


@dataclass
class CampaignCache:
    """What is kept of one campaign."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    jobs_lock: threading.Lock = field(default_factory=threading.Lock)
    jobs: dict[Hashable, HeavyJob[Any]] = field(default_factory=dict)
    answers: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict)
    fitted: FittedMap | None = None
    work: Work | None = None
    finished: Work | None = None
    errors: dict[bytes, Array] = field(default_factory=dict)
    #: Threads for asks. More would not help: the second has to keep away from the first.
    askers: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(2))


class Hub:
    """The store behind the page."""

    def __init__(self, where: str | Path | Store, who: str = "page") -> None:
        self.store = where if isinstance(where, Store) else Store(where)
        self.who = who
        self._lock = threading.Lock()
        self._open: OrderedDict[tuple[int, str], Campaign] = OrderedDict()
        self._caches: OrderedDict[int, CampaignCache] = OrderedDict()
        self.choosing, self.looking = Processes(CHOOSING), Processes(LOOKING, niceness=5)

    def stop(self) -> None:
        """End all work under way, at once."""
        self.choosing.close()
        self.looking.close()

    def close(self) -> None:
        """End all work and let go of the store."""
        self.stop()
        self.store.close()

    # Campaigns

    def entries(self) -> list[CampaignEntry]:
        """All campaigns, oldest first."""
        return self.store.read(lambda transaction: transaction.entries())

    def last_activity(self) -> dict[int, str]:
        """When something happened last in each campaign, by its id."""
        return self.store.read(lambda transaction: transaction.last_activity())

    def put_away(self) -> set[int]:
        """Ids of campaigns that the list keeps apart, because somebody is done with them."""
        return self.store.read(lambda transaction: transaction.put_away())

    def archive(self, id: int, who: str, away: bool) -> None:
        """Put a campaign away, or take it out again; said twice, it is written down once."""
        self.entry(id)
        if (id in self.put_away()) == away:
            return

        def work(transaction: CampaignTransaction) -> None:
            transaction.take()
            transaction.log("put away" if away else "taken out")

        self.store.of(Actor(id, who or self.who)).write(work)

    def entry(self, id: int) -> CampaignEntry:
        """One campaign as it is now."""
        found = self.store.read(lambda transaction: transaction.entry(id))
        if found is None:
            raise UnknownCampaign(f"there is no campaign {id} in this store")
        return found

    def named(self, name: str) -> CampaignEntry | None:
        return self.store.read(lambda transaction: transaction.entry_named(name))

    def campaign(self, id: int, who: str = "") -> Campaign:
        """A campaign in the name of a person."""
        key = (id, who or self.who)
        with self._lock:
            found = self._open.get(key)
            if found is not None:
                self._open.move_to_end(key)
                return found
        made = Campaign(self.entry(id).name, store=self.store, who=key[1])
        choose_elsewhere(made, lambda inputs: self._choose(id, inputs))
        with self._lock:
            self._open[key] = made
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
        return made

    def cache(self, id: int) -> CampaignCache:
        with self._lock:
            cache = self._caches.setdefault(id, CampaignCache())
            self._caches.move_to_end(id)
            while len(self._caches) > MOST_MAPS:
                self._caches.popitem(last=False)
        return cache

    def known_course(self, id: int) -> Course | None:
        """The course of a campaign's error if it has been computed; nothing is begun."""
        with self._lock:
            cache = self._caches.get(id)
        return None if cache is None or cache.finished is None else cache.finished.course

    def steps(self, id: int) -> tuple[int, int]:
        """How many steps of a campaign's fit are done, and of how many; of none 0 of 0, visitors' first."""
        cache = self.cache(id)
        with cache.jobs_lock:
            under_way = [job for job in cache.jobs.values() if job.steps[1]]
        first = min(under_way, key=lambda job: job.background, default=None)
        return (0, 0) if first is None else first.steps

    def _choose(self, id: int, inputs: ChoiceInputs) -> Chosen:
        """Have a choice made; what the page only wants to show does not take the place of those who ask."""
        caller = CALLER.get() or Caller(lambda: False)
        job: HeavyJob[Chosen] = HeavyJob(id, tasks.choose, (inputs,), background=caller.background)
        (self.looking if caller.background else self.choosing).submit(job)
        return job.wait(caller.gone, caller.background)

    # Maps and pictures of them: jobs that the caller has joined

    def fitted(self, id: int, background: bool = False) -> HeavyJob[FittedMap]:
        """The map of the present version, or of a later one if others told values meanwhile."""
        cache, entry = self.cache(id), self.entry(id)
        known = cache.fitted
        if known is not None and known.entry.version >= entry.version:
            return HeavyJob.known(known)
        inputs = inputs_of(self.campaign(id))
        measurements = fingerprint(inputs)

        def keep(map: Map | None) -> FittedMap:
            learned, kept = inputs.campaign.learned, inputs if has_offsets(inputs.spec) else None
            made = FittedMap(entry, map, measurements, learned=learned, inputs=kept)
            if cache.fitted is None or cache.fitted.entry.version <= entry.version:
                cache.fitted = made
            return made

        if not inputs.known.measured.any():
            return HeavyJob.known(keep(None))
        if known is not None and known.map is not None and known.measurements == measurements:
            waiting = inputs.known.waiting
            work, arguments = tasks.renew, (known.map, waiting)
            key = ("renew", measurements, waiting.tobytes())
            return self._shared(id, key, work, arguments, finish=keep, background=background)
        earlier = None if known is None else known.map
        return self._shared(
            id,
            ("fit", measurements),
            tasks.fit,
            (inputs, earlier),
            finish=keep,
            background=background,
            reports=True,
        )

    def coarse(self, id: int) -> HeavyJob[FittedMap] | None:
        """A map of some measurements, to look at while the whole one is fitted; None if that is quick."""
        cache, entry = self.cache(id), self.entry(id)
        if cache.fitted is not None and cache.fitted.entry.version >= entry.version:
            return None
        inputs = inputs_of(self.campaign(id))
        few = int(inputs.known.measured.sum()) < COARSE_FROM
        if few or (cache.fitted and cache.fitted.measurements == fingerprint(inputs)):
            return None
        some = thinned(inputs, COARSE)
        measurements = fingerprint(some)
        return self._shared(
            id,
            ("fit", measurements),
            tasks.fit,
            (some, None if cache.fitted is None else cache.fitted.map),
            finish=lambda map: FittedMap(entry, map, measurements, coarse=True),
            keep=True,
            reports=True,
        )

    def past(self, id: int, fitted: FittedMap, count: int) -> HeavyJob[FittedMap]:
        """The map as it was after so many measurements."""
        measurements = f"{fitted.measurements}, the first {count}"
        return self._shared(
            id,
            ("past", measurements),
            tasks.past,
            (fitted.map, count),
            finish=lambda map: FittedMap(fitted.entry, map, measurements),
            keep=True,
            reports=True,
        )

    def predicted(
        self, id: int, fitted: FittedMap, slice: Slice
    ) -> HeavyJob[tuple[Prediction, Array | None]]:
        """What a map says over a slice, of all responses, and where it works."""
        key = ("predict", fitted.measurements, _place(slice))
        return self._shared(id, key, tasks.predict, (fitted.map, slice), keep=True)

    def layered(self, id: int, fitted: FittedMap, slice: Slice) -> HeavyJob[Layers]:
        """What drives the next choice, over a slice."""
        key = ("layers", fitted.entry.version, fitted.measurements, _place(slice))
        return self._shared(id, key, tasks.layers, (fitted.map, slice), keep=True)

    def drawn(self, id: int, fitted: FittedMap, slice: Slice, response: int, label: str) -> HeavyJob[bytes]:
        """The map of one response as a picture."""
        key = ("draw", fitted.entry.version, fitted.measurements, _place(slice), response)
        return self._shared(id, key, tasks.draw, (fitted.map, slice, response, label), keep=True)

    def seen(
        self,
        id: int,
        fitted: FittedMap,
        work: Callable[..., Any],
        *arguments: Hashable,
        keep: bool = True,
        reports: bool = False,
    ) -> HeavyJob[Any]:
        """What a function of :mod:`equiwarp.web.views` says of a map, computed once for all who look."""
        key = (work.__name__, fitted.entry.version, fitted.measurements, *arguments)
        return self._shared(id, key, work, (fitted.map, *arguments), keep=keep, reports=reports)

    def report(self, id: int, who: str = "") -> HeavyJob[str]:
        """The report of a campaign, in somebody's name."""
        entry = self.entry(id)
        where = self.store.url.render_as_string(hide_password=False)
        store = str(self.store.file) if self.store.file else where
        author = who or self.who
        return self._shared(id, ("report", entry.version, author), tasks.report, (store, entry.name, author))

    def _shared(
        self,
        id: int,
        key: Hashable,
        work: Callable[..., Any],
        arguments: tuple[Any, ...],
        *,
        finish: Callable[[Any], Any] | None = None,
        keep: bool = False,
        background: bool = False,
        reports: bool = False,
    ) -> HeavyJob[Any]:
        """The job of this key: known, under way for somebody else, or begun now."""
        cache = self.cache(id)

        def ended(_: object) -> None:
            with cache.jobs_lock:
                if cache.jobs.get(key) is job:
                    del cache.jobs[key]
                if keep and job.future.exception() is None:
                    cache.answers[key] = job.future.result()
                    while len(cache.answers) > MOST_PICTURES:
                        cache.answers.popitem(last=False)

        with cache.jobs_lock:
            if key in cache.answers:
                cache.answers.move_to_end(key)
                return HeavyJob.known(cache.answers[key])
            found = cache.jobs.get(key)
            if found is not None and found.join(background):
                return found
            job: HeavyJob[Any] = HeavyJob(
                id, work, arguments, finish=finish, reports=reports, background=background
            )
            cache.jobs[key] = job
        job.future.add_done_callback(ended)
        self.looking.submit(job)
        return job

    # The course of the error, in the background

    def course(self, id: int) -> Work:
        """The work on the course of the error: begun if there is none for this version."""
        cache, entry = self.cache(id), self.entry(id)
        with cache.jobs_lock:
            work = cache.work
            if work is not None and (work.running or work.entry.version >= entry.version):
                work.watched = time.monotonic()
                return work
            cache.work = work = Work(entry)
        threading.Thread(
            target=self._run, args=(id, cache, work), name="equiwarp-course", daemon=True
        ).start()
        return work

    def _run(self, id: int, cache: CampaignCache, work: Work) -> None:
        """Wait for one step after the other; this thread computes nothing."""
        CALLER.set(Caller(work.unwatched, background=True))
        try:
            work.doing = "fitting the map"
            fitted = self.fitted(id, background=True).wait(work.unwatched, background=True)
            work.entry = fitted.entry
            if fitted.map is not None:
                work.doing = "following the error"
                judged = self._judge(id, cache, work, fitted).wait(work.unwatched, background=True)
                work.findings, work.prior, work.course = judged.findings, judged.prior, judged.course
                work.offsets = judged.offsets
                keep_said(self.campaign(id), fitted.learned, judged.said)
                work.doing = "choosing the next points"
                work.next = upcoming(self.campaign(id))
                work.done = work.total
        except ComputationEnded as error:
            work.problem = str(error)
            if work.unwatched():
                cache.work = None  # whoever looks next begins anew
        except Exception as error:  # shown on the page; the next version tries again
            work.problem = str(error)
        finally:
            if work.course is not None:
                cache.finished = work
            work.running = False  # last: whoever sees it finds the rest in place

    def _judge(
        self, id: int, cache: CampaignCache, work: Work, fitted: FittedMap
    ) -> HeavyJob[tasks.MapAssessment]:
        def progress(done: int, total: int) -> None:
            work.done, work.total = done, total + 1

        def finish(judged: tasks.MapAssessment) -> tasks.MapAssessment:
            cache.errors = dict(list(judged.errors.items())[-MOST_ERRORS:])
            return judged

        rule = self.campaign(id).spec.stop
        arguments = (fitted.map, rule, cache.errors, fitted.inputs)
        job: HeavyJob[tasks.MapAssessment] = HeavyJob(
            id, tasks.judge, arguments, finish=finish, progress=progress, background=True
        )
        self.looking.submit(job)
        return job


def _place(slice: Slice) -> Hashable:
    """Equal for equal slices: with the points, since another campaign's map may be seen at this one's."""
    digest = hashlib.sha256(np.ascontiguousarray(slice.points).tobytes())
    digest.update(np.ascontiguousarray(slice.inside).tobytes())
    axes, held = tuple(axis.name for axis in slice.axes), tuple(sorted(slice.at.items()))
    return axes, held, slice.shape, digest.hexdigest()
