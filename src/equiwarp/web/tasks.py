"""What the page computes in other processes: functions of records and arrays, and the loop that runs them.

A process that runs :func:`serve` gets a function of this file with its arguments, answers with the result
or the error, and waits for the next one. It keeps nothing that matters, so it may be ended at any moment.
"""

from __future__ import annotations

import os
import signal
import warnings
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from equiwarp._util.progress import Progress
from equiwarp.campaign import Campaign
from equiwarp.campaign.assessing import offsets_of
from equiwarp.campaign.assessment import content_of
from equiwarp.campaign.block_values import BlockOffsets
from equiwarp.campaign.chooser import Chooser, Chosen
from equiwarp.campaign.elsewhere import ChoiceInputs
from equiwarp.campaign.looking import MapInputs, map_from
from equiwarp.domains import Array
from equiwarp.exceptions import ComputationEnded, EquiwarpError
from equiwarp.maps.course import Course, course_of
from equiwarp.maps.diagnostics import MapFinding
from equiwarp.maps.map import Map
from equiwarp.maps.prediction import Prediction
from equiwarp.maps.stopping import StopRule
from equiwarp.plotting.layers import Layers, layers_of
from equiwarp.plotting.slices import Slice

#: Choosers that a process keeps: each has tables on its pool, which take a second to measure.
MOST_CHOOSERS = 8
_choosers: deque[Chooser] = deque(maxlen=MOST_CHOOSERS)


def fit(inputs: MapInputs, earlier: Map | None, progress: Progress | None = None) -> Map:
    """The map of these measurements, with its error; the fit starts from an earlier one."""
    map = map_from(inputs, earlier, progress)
    map.error()  # the map keeps it, and every prediction needs it
    return map


def past(map: Map, count: int, progress: Progress | None = None) -> Map:
    """The map of the first measurements alone, with its error."""
    earlier = map.refitted(np.arange(count), map.noise, progress=progress)
    earlier.error()
    return earlier


def renew(map: Map, pending: Array) -> Map:
    """The same map with other pending points: nothing is fitted again."""
    renewed = replace(map, pending=pending)
    renewed.error()
    return renewed


def predict(map: Map, slice: Slice) -> tuple[Prediction, Array | None]:
    """At the points of a slice that are inside: mean and deviation, ``(m, k)`` each, and whether it works.

    The latter is a probability, ``(m,)``; None if nothing has failed.
    """
    lost = map.failed is not None and len(map.failed) > 0
    if not slice.inside.any():
        nothing = np.empty((0, len(map.models)))
        return Prediction(nothing, nothing), np.empty(0) if lost else None
    shown = slice.points[slice.inside]
    return map.predict(shown), map.works(shown) if lost else None


def layers(map: Map, slice: Slice) -> Layers:
    """What drives the next choice, over a slice."""
    return layers_of(map, slice)


@dataclass(frozen=True)
class MapAssessment:
    """How good a map is: the course of its error, what is odd, and what a prior is worth, in sentences.

    The offsets of blocks that were taken off its values, by response, column and block. And errors of
    earlier maps, for next time, and what is kept for a summary.
    """

    course: Course
    findings: tuple[MapFinding, ...]
    prior: tuple[str, ...]
    offsets: dict[str, BlockOffsets]
    errors: dict[bytes, Array]
    said: dict[str, Any]


def judge(
    map: Map, rule: StopRule, known: dict[bytes, Array], inputs: MapInputs | None, progress: Progress
) -> MapAssessment:
    """Follow the error and look for what is odd; ``inputs`` of the map where blocks may be offsets."""
    known = dict(known)
    course = course_of(map, rule, progress=lambda done, total: progress(done, total + 1), remember=known)
    worth = tuple(str(worth) for worth in map.prior_worth() if worth is not None)
    offsets = {} if inputs is None else offsets_of(inputs)
    said = content_of(map, course.advice if rule.is_set else None, offsets)
    return MapAssessment(course, map.diagnostics(), worth, offsets, known, said)


def choose(inputs: ChoiceInputs) -> Chosen:
    """The strategy's next points."""
    chooser = next((known for known in _choosers if known.spec == inputs.spec), None)
    if chooser is None:
        chooser = Chooser(inputs.spec)
        _choosers.append(chooser)
    return inputs.choose(chooser, *inputs.arguments)


def draw(map: Map, slice: Slice, response: int, label: str) -> bytes:
    """The map of one response as a picture."""
    from equiwarp.plotting import figures
    from equiwarp.plotting.style import png

    return png(figures.map_figure(map, slice, response, label))


def report(store: str, name: str, who: str) -> str:
    """The report, made as the command makes it, through a connection of its own."""
    from equiwarp.report.document import report_html

    with Campaign(name, store=store, who=who) as campaign:
        return report_html(campaign)


def serve(line: Connection, niceness: int) -> None:
    """Run what arrives on the line until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the page ends us
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(os, "nice"):
        os.nice(niceness)  # telling a value never waits for a picture
    warnings.simplefilter("ignore")  # nobody reads them here; the page says what matters
    while True:
        try:
            work, arguments, reports = line.recv()
        except (EOFError, OSError):
            return
        try:
            answer = "done", _answer(line, work, arguments, reports)
        except EquiwarpError as error:
            answer = "failed", error
        except Exception as error:
            # Another package's error may not survive the way: its words do.
            answer = "failed", ComputationEnded(f"{type(error).__name__}: {error}")
        try:
            line.send(answer)
        except OSError:
            return
        except Exception as error:
            line.send(("failed", ComputationEnded(f"the answer cannot be sent: {error}")))


def _answer(line: Connection, work: Callable[..., Any], arguments: tuple[Any, ...], reports: bool) -> Any:
    if not reports:
        return work(*arguments)
    return work(*arguments, progress=lambda done, total: line.send(("progress", (done, total))))
