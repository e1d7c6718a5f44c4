"""What the page keeps between requests: open campaigns, their latest maps, and work under way.

All of it can be lost: the store has everything that matters. A map belongs to a version of its campaign
and is fitted once for all who look; while one is being fitted, those who come wait for it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from equiwarp.campaign import Campaign, Proposal
from equiwarp.domains import Array
from equiwarp.exceptions import UnknownCampaign
from equiwarp.maps.course import Course, course_of
from equiwarp.maps.diagnostics import MapFinding
from equiwarp.maps.map import Map
from equiwarp.plotting.upcoming import upcoming
from equiwarp.store import CampaignEntry, Store

#: Open campaigns and maps that are kept.
MOST_OPEN, MOST_MAPS = 64, 16


@dataclass(frozen=True)
class FittedMap:
    """A map and the version of the campaign that it shows; no map before the first value."""

    entry: CampaignEntry
    map: Map | None


@dataclass
class Work:
    """The course of the error and the next points, being computed or done."""

    entry: CampaignEntry
    done: int = 0
    total: int = 1
    running: bool = True
    course: Course | None = None
    next: list[Proposal] = field(default_factory=list)
    findings: tuple[MapFinding, ...] = ()
    problem: str = ""


@dataclass
class CampaignCache:
    """What is kept of one campaign."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    fitting: threading.Lock = field(default_factory=threading.Lock)
    fitted: FittedMap | None = None
    work: Work | None = None
    finished: Work | None = None
    errors: dict[bytes, Array] = field(default_factory=dict)


class Hub:
    """The store behind the page."""

    def __init__(self, where: str | Path | Store, who: str = "page") -> None:
        self.store = where if isinstance(where, Store) else Store(where)
        self.who = who
        self._lock = threading.Lock()
        self._open: OrderedDict[tuple[int, str], Campaign] = OrderedDict()
        self._caches: OrderedDict[int, CampaignCache] = OrderedDict()
        self._background = ThreadPoolExecutor(1, thread_name_prefix="equiwarp-course")

    def close(self) -> None:
        """Let go of the store; work under way is left unfinished."""
        self._background.shutdown(wait=True, cancel_futures=True)
        self.store.close()

    def entries(self) -> list[CampaignEntry]:
        """All campaigns, oldest first."""
        return self.store.read(lambda transaction: transaction.entries())

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

    def fitted(self, id: int) -> FittedMap:
        """The map of the present version, or of a later one if others told values meanwhile."""
        cache, entry = self.cache(id), self.entry(id)
        if cache.fitted is not None and cache.fitted.entry.version >= entry.version:
            return cache.fitted
        with cache.fitting:
            if cache.fitted is None or cache.fitted.entry.version < entry.version:
                entry = self.entry(id)
                campaign = self.campaign(id)
                measured = campaign.status().measured > 0
                cache.fitted = FittedMap(entry, campaign.map() if measured else None)
            return cache.fitted

    def course(self, id: int) -> Work:
        """The work on the course of the error: begun if there is none for this version."""
        cache, entry = self.cache(id), self.entry(id)
        with cache.lock:
            work = cache.work
            if work is not None and (work.running or work.entry.version >= entry.version):
                return work
            cache.work = work = Work(entry)
        self._background.submit(self._run, id, cache, work)
        return work

    def _run(self, id: int, cache: CampaignCache, work: Work) -> None:
        try:
            fitted = self.fitted(id)
            work.entry = fitted.entry
            if fitted.map is not None:

                def progress(done: int, total: int) -> None:
                    work.done, work.total = done, total + 2

                campaign = self.campaign(id)
                rule = campaign.spec.stop
                work.course = course_of(fitted.map, rule, progress=progress, remember=cache.errors)
                work.findings = fitted.map.diagnostics()
                work.done += 1
                work.next = upcoming(campaign)
                work.done = work.total
        except Exception as error:  # shown on the page; the next version tries again
            work.problem = str(error)
        finally:
            work.running = False
            if work.course is not None:
                cache.finished = work
