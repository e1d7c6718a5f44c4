"""A run in a notebook: one line of progress, and a picture of map and error that follows it."""

from __future__ import annotations

import threading
from importlib import import_module
from typing import TYPE_CHECKING, Any

from equiwarp._util import markup
from equiwarp.exceptions import MissingPart
from equiwarp.plotting.drawing import draw_errors, draw_map
from equiwarp.plotting.notebook import image
from equiwarp.plotting.style import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from equiwarp.runner.handle import Runner

#: Inches of the picture.
SIZE = (8.6, 3.4)


class LiveRun:
    """The picture of a run as it is now, and the errors of the maps that were drawn so far."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.course: list[tuple[int, float]] = []

    def html(self) -> str:
        """Progress, and once there is a value the map and the course of its error."""
        title = markup.heading(f"{self.runner.campaign.name}: {self.runner.progress()}")
        if not self.runner.campaign.status().counts["done"]:
            return title + markup.notes(["the map appears with the first value"])
        return f"{title}<br/>{image(self._figure())}{markup.notes(self.runner.notes)}"

    def _figure(self) -> Figure:
        known = self.runner.campaign.map()
        count, error = len(known.x), known.error()[0].value
        self.course = [(n, e) for n, e in self.course if n < count] + [(count, error)]
        figure, (left, right) = new_figure(1, 2, SIZE)
        draw_map(left, known, 0, coming=known.pending)
        draw_errors(right, [n for n, _ in self.course], [e for _, e in self.course])
        return figure


def show_live(runner: Runner, every: float) -> threading.Thread:
    """Put the picture on display and redraw it in place until the run has ended."""
    try:
        display: Any = import_module("IPython.display")
    except ImportError as error:
        raise MissingPart(f"a live picture needs: pip install 'equiwarp[notebook]' ({error})") from None
    live = LiveRun(runner)
    handle = display.display(display.HTML(live.html()), display_id=True)

    def follow() -> None:
        going = True
        while going:
            runner.wait_quietly(every)
            going = runner.running  # before the picture: the last one shows the end
            handle.update(display.HTML(live.html()))

    thread = threading.Thread(target=follow, daemon=True, name="equiwarp-live")
    thread.start()
    return thread
