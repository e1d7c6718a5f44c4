"""The loop of a run: it alone keeps the books; choosing, judging and computing happen beside it.

Whatever happens elsewhere arrives as an event in one queue: a call has ended, experiments are chosen, the
map is drawn, somebody wants to stop. Between events the loop hands what is ready to free workers.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from equiwarp._util.threads import one_thread
from equiwarp.campaign import Campaign
from equiwarp.campaign.learning import learn_beside
from equiwarp.exceptions import EquiwarpError, RunStopped
from equiwarp.runner.asking import ask_within
from equiwarp.runner.calls import Calls, is_broken
from equiwarp.runner.events import Events
from equiwarp.runner.executors import Workers
from equiwarp.runner.function import Evaluated, Simulator
from equiwarp.runner.judging import FORECAST_AHEAD, Judgement, JudgingPace, judge
from equiwarp.runner.outcomes import (
    Assignment,
    Told,
    deserves_retry,
    error_of,
    first_line,
    reason_of,
    tell_all,
    worker_was_lost,
)
from equiwarp.runner.ownership import RunIdentity, release_orphans
from equiwarp.runner.pace import Pace
from equiwarp.runner.plan import RunPlan
from equiwarp.runner.progress import ProgressReport, RunProgress
from equiwarp.runner.store_patience import PASSING, StorePatience

#: If the first experiments fail and none succeeds, the function is wrong and not the settings.
HOPELESS = 10
#: Seconds: between looks for runs that died, and between reports.
ORPHANS_EVERY, REPORT_EVERY = 30.0, 0.2
#: Seconds: how long the end waits for a choice and for values that are being told.
END_PATIENCE = 60.0


class RunLoop:
    """One run, from the first experiment to the last.

    Parameters
    ----------
    campaign : Campaign
        Signed with ``me``.
    simulator : Simulator
    workers : Workers
    plan : RunPlan
    me : RunIdentity
    report : callable, optional
        Called with the progress now and then; without it and without a stop rule no map is drawn.
    """

    def __init__(
        self,
        campaign: Campaign,
        simulator: Simulator,
        workers: Workers,
        plan: RunPlan,
        me: RunIdentity,
        report: ProgressReport | None = None,
    ) -> None:
        self.campaign, self.plan, self.me, self.workers = campaign, plan, me, workers
        self.progress, self.notes = RunProgress(), list[str]()
        self._report, self._events, self._store = report, Events(), StorePatience()
        self._calls = Calls(
            workers,
            simulator,
            campaign.domain.names,
            plan.timeout,
            lambda ended: self._events.put(lambda: self._ended(ended)),
        )
        self._chooser = learn_beside(campaign)
        self._ready, self._untold, self._telling = deque[Assignment](), list[Told](), list[Told]()
        self._pace, self._judging = Pace(), JudgingPace()
        self._asking = self._fitting = self._let_go = False
        self._reason, self._began = "", time.monotonic()
        self._next_report = self._next_orphans = 0.0
        self._dry, self._known = False, 0

    def cancel(self, finish: bool, reason: str) -> None:
        """Stop, from any thread: wait for what runs, or give it back."""
        self._events.put(lambda: self._stop(reason, let_go=not finish))

    def run(self) -> str:
        """Work until there is no more to do; why it ended."""
        with one_thread() if self._cores_are_taken() else contextlib.nullcontext():
            try:
                self._began = time.monotonic()
                self._judge_what_is_there()
                while not self._over():
                    self._look_after_orphans()
                    self._ask_for_more()
                    self._begin_ready()
                    self._say()
                    self._wait_and_take()
                    self._tell()
                    self._judge_if_due()
            finally:
                self._leave()
        return self._reason

    def _cores_are_taken(self) -> bool:
        """Do the workers leave no core of this machine to the choices?"""
        return self.workers.own and self._calls.count() >= (os.cpu_count() or 1)

    # Handing out

    def _over(self) -> bool:
        duration = self.plan.duration
        if duration is not None and time.monotonic() - self._began > duration:
            self._stop(f"the time of {duration:g} s is over")
        if self._let_go:
            return True
        at_work = len(self._calls) or self._asking or self._untold or self._telling
        return bool(self._reason) and not at_work

    def _stop(self, reason: str, let_go: bool = False) -> None:
        """Begin nothing new; the first reason is the one that counts."""
        self._reason = self._reason or reason
        self._let_go = self._let_go or let_go

    def _ask_for_more(self) -> None:
        if self._asking or self._reason or self._dry:
            return
        count = self._calls.count()
        fixed, free = self.plan.ahead, min(self._calls.free(), count)
        least, enough = self._pace.stock(count) if fixed is None else (fixed, fixed)
        self._chooser.beside = (
            fixed is None and enough > 0
        )  # nobody waits for a fit that the next ask can use
        wanted = free + enough - len(self._ready)
        if len(self._ready) < free + least and wanted > 0:
            self._asking, begin = True, time.monotonic()
            self._events.beside(
                lambda: ask_within(self.campaign, wanted, self.plan.budget),
                lambda found: self._chosen(found, time.monotonic() - begin),
            )

    def _chosen(self, found: Any, seconds: float) -> None:
        self._asking = False
        if isinstance(found, PASSING):
            self._store.wait(found)
        elif isinstance(found, BaseException):
            raise found
        else:
            self._store.reached()
            self._dry = not found  # asking again helps only when something has changed
            self._ready.extend(Assignment(experiment) for experiment in found)
            if found:
                self._pace.chosen(seconds)
            elif not len(self._calls) and not self._ready:
                budget = self.plan.budget
                self._stop(
                    "the domain has no experiment left"
                    if budget is None
                    else f"the budget of {budget} experiments is used up"
                )

    def _begin_ready(self) -> None:
        while self._ready and not self._reason and self._calls.free() > 0:
            self._calls.begin(self._ready[0])
            self._ready.popleft()

    # Taking back

    def _wait_and_take(self) -> None:
        """The next events, until something is due that is none."""
        self._events.take(self._patience())
        self._end_overdue()

    def _patience(self) -> float:
        """Seconds until something has to be looked at that is no event."""
        now, limits = time.monotonic(), [1.0]
        overdue = self._calls.next_overdue()
        if overdue is not None:
            limits.append(overdue - now)
        if self.plan.duration is not None:
            limits.append(self._began + self.plan.duration - now)
        return max(0.001, min(limits))

    def _ended(self, future: Future[Evaluated]) -> None:
        job = self._calls.take(future)
        if job is None:  # its time was over before
            return
        error = error_of(future)
        if error is None:
            answer = future.result()
            self._pace.finished(answer.seconds)
            self._calls.computed(answer.seconds)
            self._untold.append(Told(job.experiment.id, answer.value))
        elif job.attempt < self.plan.retries and deserves_retry(error):
            self._ready.appendleft(job.again())
            self.progress = replace(self.progress, retried=self.progress.retried + 1)
        else:
            self._untold.append(Told(job.experiment.id, failed=reason_of(error, job.attempt + 1)))
        if error is not None and worker_was_lost(error) and is_broken(self.workers.executor):
            raise RunStopped(f"the executor is broken, all its workers are lost: {error}") from error

    def _end_overdue(self) -> None:
        for job in self._calls.overdue():
            failed = f"no value within {self.plan.timeout:g} s"
            self._untold.append(Told(job.experiment.id, failed=failed))

    def _tell(self) -> None:
        """Have the store told, beside: what ends meanwhile is told next, all at once."""
        if self._untold and not self._telling:
            self._telling, self._untold = self._untold, []
            telling = self._telling
            self._events.beside(lambda: tell_all(self.campaign, telling), self._told)

    def _told(self, found: Any) -> None:
        telling, self._telling = self._telling, []
        if isinstance(found, BaseException):
            self._untold = telling + self._untold  # what is not told is kept
            if not isinstance(found, PASSING):
                raise found
            self._store.wait(found)
            return
        self._store.reached()
        (told, notes), self._dry = found, False
        self.notes += notes
        failures = [first_line(t.failed) for t in told if t.failed]
        done, failed = self.progress.done + len(told) - len(failures), self.progress.failed + len(failures)
        self.progress = replace(self.progress, done=done, failed=failed)
        if failures and not done and not self._known and failed >= max(HOPELESS, self._calls.count()):
            raise RunStopped(
                f"the first {failed} experiments failed and none succeeded; the last one: {failures[-1]}. "
                "Correct the function and run again"
            )

    # Beside

    def _judge_what_is_there(self) -> None:
        """A campaign that goes on may be good enough already."""
        self._known = self.campaign.status().counts["done"]
        if self.plan.has_rule and self._judging.due(self._known, time.monotonic()):
            self._judging.begun(self._known)
            self._judged(judge(self.campaign, self.plan.stop))

    def _judge_if_due(self) -> None:
        wanted = self.plan.has_rule or self._report is not None
        values = self._known + self.progress.done
        if wanted and not self._fitting and not self._reason and self._judging.due(values, time.monotonic()):
            self._fitting = True
            self._judging.begun(values)
            self._events.beside(lambda: judge(self.campaign, self.plan.stop), self._judged)

    def _judged(self, found: Any) -> None:
        self._fitting = False
        if isinstance(found, RunStopped):
            raise found
        if not isinstance(found, Judgement):
            note = f"the map could not be drawn: {found}"
            self.notes += [] if note in self.notes else [note]
            return
        self._judging.ended(found.seconds, time.monotonic())
        self.progress = replace(
            self.progress, error=found.error, forecast=found.forecast, ahead=FORECAST_AHEAD
        )
        if found.stop:
            self._stop(found.stop)

    def _look_after_orphans(self) -> None:
        now = time.monotonic()
        if now >= self._next_orphans and not self._reason:
            self._next_orphans = now + ORPHANS_EVERY
            with contextlib.suppress(*PASSING):
                for id in release_orphans(self.campaign, self.me, self.plan):
                    self.notes.append(f"experiment {id} was released: the run that had it is gone")
                    self._dry = False

    def _say(self, last: bool = False) -> None:
        now = time.monotonic()
        self.progress = replace(
            self.progress,
            running=len(self._calls),
            ready=len(self._ready),
            elapsed=now - self._began,
            busy=self._calls.busy_share(),
            reason=self._reason if last else "",
        )
        if self._report is not None and (last or now >= self._next_report):
            self._next_report = now + REPORT_EVERY
            self._report(self.progress)

    def _leave(self) -> None:
        """Give back what was not computed, and let go of the workers."""
        self._wait_for_store()
        left = [job.experiment.id for job in [*self._calls.end_all(), *self._ready]]
        self._ready.clear()
        self.workers.close(now=self._let_go or self._calls.stuck or not self._reason)
        self._give_back(left)
        self._reason = self._reason or "an error ended it"
        self._say(last=True)

    def _give_back(self, left: list[int]) -> None:
        """Tell what is untold, and release the rest; whoever looks after the run hears what was lost."""
        try:
            if self._untold:
                tell_all(self.campaign, self._untold)
        except Exception as error:
            lost = "; ".join(f"{t.id}: {first_line(t.failed) or t.value}" for t in self._untold)
            self.notes.append(f"these could not be told ({error}): {lost}")
        try:
            if left:
                self.campaign.release(ids=left)
        except EquiwarpError as error:
            self.notes.append(f"{left} could not be released: {error}")

    def _wait_for_store(self) -> None:
        """What is being handed out would stay pending if nobody waited, and what is told would come twice."""
        end = time.monotonic() + END_PATIENCE
        while (self._asking or self._telling) and time.monotonic() < end:
            with contextlib.suppress(Exception):
                self._events.take(1.0)
