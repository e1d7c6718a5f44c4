"""``Runner``: a run in the background, with a handle to watch, to wait for and to cancel it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from equiwarp._util.display import html_of
from equiwarp._util.text import several
from equiwarp.runner.progress import RunProgress

if TYPE_CHECKING:
    from equiwarp.campaign import Campaign
    from equiwarp.runner.loop import RunLoop

#: What Ctrl-C does with the experiments that are being computed.
OnInterrupt = Literal["finish", "release"]


class Runner:
    """A run that goes on in the background. :func:`equiwarp.start_run` makes it.

    In a notebook it shows where the run stands, and :meth:`live` a picture that follows it.

    Parameters
    ----------
    campaign : Campaign
        What is measured; it can be looked at while the run goes on.
    loop : RunLoop
        The run itself, which begins now.

    Examples
    --------
    >>> import equiwarp as ew
    >>> box = ew.Box({"x": (0, 1)})
    >>> runner = ew.start_run(lambda x: x**2, box, budget=6, executor="threads", workers=2)
    >>> len(runner.wait().experiments("done"))
    6
    >>> runner.reason
    'the budget of 6 experiments is used up'
    """

    def __init__(self, campaign: Campaign, loop: RunLoop) -> None:
        self.campaign = campaign
        self._loop = loop
        self._error: BaseException | None = None
        # Not Thread.join: Ctrl-C in the middle of it can make a living thread look ended.
        self._ended = threading.Event()
        threading.Thread(target=self._work, daemon=True, name="equiwarp-run-loop").start()

    def _work(self) -> None:
        try:
            self._loop.run()
        except BaseException as error:
            self._error = error
            for note in self._loop.notes:  # whoever waits may have no hand on this run
                error.add_note(note)
        finally:
            self._ended.set()

    def __repr__(self) -> str:
        return f"Runner({self.campaign.name!r}: {self.progress()})"

    def _repr_html_(self) -> str:
        return html_of(self)

    @property
    def running(self) -> bool:
        """Whether the run still goes on."""
        return not self._ended.is_set()

    @property
    def reason(self) -> str:
        """Why it ended; empty while it goes on."""
        return self.progress().reason

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should know, as sentences: experiments of dead runs, values that others had told."""
        return tuple(self._loop.notes)

    def progress(self) -> RunProgress:
        """Say where the run stands now.

        Returns
        -------
        RunProgress
        """
        return self._loop.progress

    def cancel(self, finish: bool = False) -> None:
        """Stop the run; nothing new is begun. Returns at once, :meth:`wait` waits for the end.

        Parameters
        ----------
        finish : bool
            Whether to wait for the experiments that are being computed. Otherwise they are given back.
        """
        self._loop.cancel(finish, "it was cancelled")

    def wait(self, timeout: float | None = None) -> Campaign:
        """Wait until the run ends.

        Parameters
        ----------
        timeout : float, optional
            Wait for at most so many seconds; look at :attr:`running` to see whether that was enough.

        Returns
        -------
        Campaign
            The campaign with all that was measured.

        Raises
        ------
        RunStopped
            If the run could not go on: every experiment failed, or no worker was left.
        StoreError
            If the store was out of reach for too long.
        """
        self.wait_quietly(timeout)
        if self._error is not None:
            raise self._error
        return self.campaign

    def wait_quietly(self, timeout: float | None = None) -> bool:
        """Wait until the run ends, whatever ended it.

        Parameters
        ----------
        timeout : float, optional
            Wait for at most so many seconds.

        Returns
        -------
        bool
            Whether it has ended.
        """
        return self._ended.wait(timeout)

    def live(self, every: float = 2.0) -> None:
        """Show a picture of the map and the course of its error in a notebook, redrawn until the run ends.

        Parameters
        ----------
        every : float
            Seconds between two pictures.
        """
        from importlib import import_module

        import_module("equiwarp.plotting.live").show_live(self, every)

    def wait_for_people(self, on_interrupt: OnInterrupt) -> Campaign:
        """Wait, and let Ctrl-C end the run: once to finish what is computed, twice to give it back.

        SIGTERM gives everything back too, and then ends the program, as it would have without a run.

        Parameters
        ----------
        on_interrupt : "finish" or "release"
            What the first Ctrl-C does.

        Returns
        -------
        Campaign
        """
        with _terminable(self._loop):
            return self._wait_for_people(on_interrupt)

    def _wait_for_people(self, on_interrupt: OnInterrupt) -> Campaign:
        interrupts, to_say = 0, False
        while self.running:
            try:
                if to_say:  # here, so that the next Ctrl-C is caught however soon it comes
                    to_say = False
                    running = self.progress().running
                    waits = several(running, "experiment") if running else "a choice under way"
                    again = "gives them back" if running > 1 else "gives it back" if running else "ends it"
                    print(f"\nwaiting for {waits}; Ctrl-C again {again} at once", file=sys.stderr)
                self.wait_quietly(0.2)
            except KeyboardInterrupt:
                interrupts += 1
                to_say = on_interrupt == "finish" and interrupts == 1
                self._loop.cancel(to_say, "it was interrupted")
        self.wait()
        if interrupts:
            raise KeyboardInterrupt
        return self.campaign


@contextlib.contextmanager
def _terminable(loop: RunLoop) -> Iterator[None]:
    """SIGTERM, which schedulers of clusters send before they kill, ends the run first, unless it is used."""
    here = threading.current_thread() is threading.main_thread()
    if not here or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    me, came = os.getpid(), list[int]()

    def end(number: int, _: object) -> None:
        if os.getpid() != me:  # a child that the function forked
            _end_by(number)
        came.append(number)
        loop.cancel(False, "it was terminated")

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if came:
            _end_by(signal.SIGTERM)


def _end_by(number: int) -> None:
    """End this process by a signal, as if nobody had caught it."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
