"""Notebooks: a plot of a campaign that redraws itself whenever something is told.

    live = LivePlot(campaign)
    campaign.tell(1, 3.1)

Suggestions, campaigns and maps show themselves (``_repr_html_``); this is for watching.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from equiwarp._util import markup
from equiwarp.plotting.drawing import draw_errors, draw_map
from equiwarp.plotting.notebook import image
from equiwarp.plotting.style import new_figure
from equiwarp.plotting.upcoming import points_of, upcoming

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from equiwarp.campaign import Campaign

#: Inches of the plot.
SIZE = (8.6, 3.4)
#: Verbs of a campaign after which there is something new to see.
VERBS = ("ask", "tell", "tell_many", "tell_failed", "abandon", "amend", "add", "release")


class LivePlot:
    """The map so far, and the course of its error.

    Listens to one campaign object: verbs called on it redraw the plot in place, in the cell that made
    it. What other processes do shows at the next verb or :meth:`refresh`.

    Parameters
    ----------
    campaign : Campaign
    response : int
        Which response to draw.
    show : bool
        Put it on display now; otherwise :meth:`_repr_html_` does, once, without updates in place.
    """

    def __init__(self, campaign: Campaign, response: int = 0, show: bool = True) -> None:
        self.campaign = campaign
        self.response = response
        self.course: list[tuple[int, float]] = []
        self._seen = -1
        self._html = ""
        self._handle: Any = None
        for verb in VERBS:
            setattr(campaign, verb, self._listening(getattr(campaign, verb)))
        self.refresh()
        if show:
            from IPython.display import HTML, display

            self._handle = display(HTML(self._html), display_id=True)

    def close(self) -> None:
        """Stop listening."""
        for verb in VERBS:
            self.campaign.__dict__.pop(verb, None)

    def refresh(self) -> None:
        """Draw again if anything has happened since."""
        events = self.campaign.events(after=max(self._seen, 0))
        if not events and self._seen >= 0:
            return
        self._seen = max([self._seen, 0, *(event.id for event in events)])
        self._html = self._draw()
        if self._handle is not None:
            from IPython.display import HTML

            self._handle.update(HTML(self._html))

    def _repr_html_(self) -> str:
        return self._html

    def _listening(self, verb: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(verb)
        def told(*arguments: Any, **named: Any) -> Any:
            result = verb(*arguments, **named)
            self.refresh()
            return result

        return told

    def _draw(self) -> str:
        status = self.campaign.status()
        title = markup.heading(f"{status.name}: {markup.counted(status.counts)}")
        if not status.counts.get("done"):
            return title + markup.notes(["the map appears with the first value"])
        return title + "<br/>" + image(self._figure())

    def _figure(self) -> Figure:
        known = self.campaign.map()
        count, error = len(known.x), known.error()[self.response].value
        self.course = [(n, e) for n, e in self.course if n < count] + [(count, error)]
        figure, (left, right) = new_figure(1, 2, SIZE)
        coming = points_of(upcoming(self.campaign), self.campaign.domain)
        draw_map(left, known, self.response, coming=coming)
        draw_errors(right, [n for n, _ in self.course], [e for _, e in self.course])
        return figure
