"""Campaigns as plain data, for the API and the templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from equiwarp._util.plain import plain
from equiwarp._util.text import three_digits
from equiwarp.campaign import Campaign
from equiwarp.campaign.block_values import BlockOffsets
from equiwarp.campaign.experiment import Experiment
from equiwarp.domains import Array, Domain
from equiwarp.domains.followed import along_axes, followed
from equiwarp.domains.view import AXES, Axis, View
from equiwarp.exceptions import InvalidInput
from equiwarp.maps.course import Course
from equiwarp.maps.prediction import Prediction
from equiwarp.plotting.edges import beyond_the_edge
from equiwarp.plotting.layers import Layers
from equiwarp.plotting.slices import Slice
from equiwarp.store import CampaignEntry
from equiwarp.web.hub import FittedMap, Work


def units(campaign: Campaign) -> dict[str, str]:
    """Units of parameters and responses, by name."""
    view = campaign.domain.view()
    known = {axis.name: axis.unit for axis in view.axes} if not view.charted else {}
    declared = {r.name: r.unit for r in campaign.spec.responses}
    return {**dict.fromkeys((*campaign.domain.names, *campaign.responses), ""), **known, **declared}


def experiment(e: Experiment) -> dict[str, Any]:
    """One experiment, with the reason in words and in numbers."""
    return plain(
        {
            "id": e.id,
            "point": e.point,
            "state": e.state,
            "values": e.values,
            "noise": e.noise,
            "reason": e.reason,
            "origin": e.origin,
            "inside": e.inside,
            "ask": e.ask,
            "created": e.created,
            "since": e.since,
            "why": {"words": str(e.why), **e.why.as_dict()},
            "below": e.below,
            "above": e.above,
            "missing": e.missing,
            "asked": e.asked,
            "repeats": e.repeats,
            "block": e.block,
            "sample": e.sample,
            "notes": e.notes,
            "lease": e.lease,
        }
    )


def campaign(entry: CampaignEntry, c: Campaign) -> dict[str, Any]:
    """A campaign at a glance, with what a viewer may choose."""
    status, view, spec = c.status(), c.domain.view(), c.spec
    return {
        "id": entry.id,
        "name": entry.name,
        "description": spec.description,
        "created": entry.created,
        "version": entry.version,
        "strategy": status.strategy,
        "prior": status.prior,
        "seed": status.seed,
        "counts": status.counts,
        "measured": status.measured,
        "added": status.added,
        "outside": status.outside,
        "start_left": status.start_left,
        "oldest_pending": status.oldest_pending,
        "notes": list(status.notes),
        "parameters": list(c.domain.names),
        "vector": _vector(c.domain),
        "categories": {name: list(values) for name, values in c.domain.categories.items()},
        "responses": list(status.responses),
        "units": units(c),
        "stop": {"error": spec.stop.error, "gain_per_experiment": spec.stop.gain_per_experiment},
        "view": _view(view),
        "blocks": dict(spec.blocks),
        "change_cost": dict(spec.change_cost),
        "plausible": {r.name: [r.low, r.high] for r in spec.responses},
        "aim": spec.aim.to_dict(),
    }


def known_error(course: Course | None) -> dict[str, Any]:
    """The error of the first response and whether one may stop; null where nobody has looked yet."""
    if course is None:
        return {"error": None, "may_stop": None}
    return {"error": plain(course.now[0].value), "may_stop": bool(course.advice.stop)}


def direction(domain: Domain, point: Mapping[str, Any]) -> dict[str, float]:
    """The direction in a point as two angles in degrees, which one can point to; empty if it has none."""
    view = domain.view()
    if view.kind != "globe":
        return {}
    along = along_axes(domain, domain.numbers(point)[None])[0]
    azimuth, elevation = along[view.vector : view.vector + 2]
    return {"azimuth": round(float(azimuth), 1) + 0.0, "elevation": round(float(elevation), 1) + 0.0}


def _view(view: View) -> dict[str, Any]:
    ordered = sorted(view.axes, key=lambda axis: bool(axis.labels))  # numbers make the better picture
    flat = view.kind != "globe"
    axes = [{**axis_of(axis), "drawable": flat and view.may_be_drawn(axis)} for axis in ordered]
    return {"kind": view.kind, "free": AXES[view.kind], "axes": axes}


def axis_of(axis: Axis) -> dict[str, Any]:
    """An axis as drawings need it."""
    return {
        "name": axis.name,
        "unit": axis.unit,
        "low": axis.low,
        "high": axis.high,
        "scale": axis.scale,
        "settings": list(axis.settings),
        "labels": list(axis.labels),
        "periodic": axis.periodic,
        "middle": axis.middle,
        "place": _slider(axis),
    }


def _slider(axis: Axis) -> int:
    """Where a slider begins: among the settings, or among 200 steps."""
    if axis.settings:
        return axis.settings.index(axis.middle)
    return round(200 * float(axis.unit_of(np.array(axis.middle))))


@dataclass(frozen=True)
class MapRequest:
    """What somebody wants to see: along which axes, the others held where, and whether with layers.

    ``coarse``: while the map is being fitted, one of fewer measurements will do. ``upto``: the map as it was
    after so many measurements. ``minus``: also the difference to the map as it is now ("now"), or to that of
    another campaign by its id. ``overlay``: also what the map says of every response.
    """

    axes: tuple[str, ...] = ()
    at: Mapping[str, float] = field(default_factory=dict)
    response: int = 0
    layered: bool = False
    coarse: bool = False
    upto: int | None = None
    minus: str = ""
    overlay: bool = False


def require_response(c: Campaign, response: int) -> None:
    if not 0 <= response < len(c.responses):
        raise InvalidInput(f"there is no response {response}; there are {len(c.responses)}, counted from 0")


def picture(c: Campaign, fitted: FittedMap, slice: Slice, wanted: MapRequest) -> dict[str, Any]:
    """The frame of a map over a slice, with the design; its layers are computed elsewhere."""
    name = c.responses[wanted.response]
    done = c.status().measured
    values = 0 if fitted.map is None else int(np.isfinite(fitted.map.y[:, wanted.response]).sum())
    known = values if fitted.map is not None and not fitted.coarse else done
    return {
        "kind": slice.view.kind,
        "version": fitted.entry.version,
        "response": name,
        "unit": units(c).get(name, ""),
        "axes": [axis_of(axis) for axis in slice.axes],
        "grid": [values.tolist() for values in slice.grid],
        "shape": list(slice.shape),
        "at": slice.at,
        "measurements": 0 if fitted.map is None else len(fitted.map.x),
        "values": values,
        "measured": done,
        "coarse": fitted.coarse,
        "early": (known if wanted.upto is None else min(known, wanted.upto)) < 2 * (1 + c.domain.dim),
        "upto": wanted.upto,
        "error": None if fitted.map is None else plain(fitted.map.error()[wanted.response].value),
        "vector": _vector(c.domain),
        "left": _left(slice),
        "beyond": [[[float(f"{v:.6g}") for v in place] for place in part] for part in beyond_the_edge(slice)],
        "levels": _levels(c, name),
        "design": [p for p in _design(c, slice, wanted.response) if _was_there(p, fitted, wanted)],
        "layers": {},
        "next": [],
    }


def _was_there(point: dict[str, Any], fitted: FittedMap, wanted: MapRequest) -> bool:
    """Whether a point of the design belongs to the map as it was."""
    return wanted.upto is None or (fitted.map is not None and point["id"] in fitted.map.ids)


def _vector(domain: Domain) -> list[str]:
    """What the three components of a direction are called; empty if the picture is no globe."""
    view = domain.view()
    return list(domain.names[view.vector : view.vector + 3]) if view.kind == "globe" else []


def _left(slice: Slice) -> float:
    """What a triangle shares out among its three components; 0 for other pictures."""
    if slice.view.kind != "ternary":
        return 0.0
    view = slice.view
    others = sum(value for name, value in slice.at.items() if view.may_be_drawn(view.axis(name)))
    return view.total - others - sum(axis.low for axis in slice.axes)


def _levels(c: Campaign, response: str) -> list[float]:
    """The levels of a response that the aim is about."""
    mine = [goal for goal in c.spec.aim.goals if (goal.response or c.responses[0]) == response]
    return [float(level) for goal in mine for level in goal.levels]


def predicted(prediction: Prediction, slice: Slice, response: int) -> dict[str, list[float | None]]:
    """Mean and deviation of one response over all points of a slice."""
    mean, deviation = prediction.mean[:, response], prediction.deviation[:, response]
    return {"mean": six_digits(slice.spread(mean)), "deviation": six_digits(slice.spread(deviation))}


def overlaid(prediction: Prediction, slice: Slice, c: Campaign) -> list[dict[str, Any]]:
    """Mean and deviation of every response, to be drawn over each other."""
    return [
        {"response": name, "unit": units(c).get(name, ""), **predicted(prediction, slice, j)}
        for j, name in enumerate(c.responses)
    ]


def rounded(layers: Layers) -> dict[str, list[float | None]]:
    """What drives the next choice, for JSON."""
    return {name: six_digits(values) for name, values in vars(layers).items()}


def six_digits(values: Array) -> list[float | None]:
    """For JSON: six digits, null where there is nothing."""
    return [None if not np.isfinite(v) else float(f"{v:.6g}") for v in values.tolist()]


def _design(c: Campaign, slice: Slice, response: int) -> list[dict[str, Any]]:
    """Where experiments fall in the picture.

    What was abandoned or released is not in it, nor what was added without this response. Their ``role`` is
    the state in which they are drawn: measured once this response is, though others come later. A value that
    is a limit has its text beside it.
    """
    name = c.responses[response]
    inside = [e for e in c.experiments(["done", "pending", "failed"]) if e.inside]
    shown = [e for e in inside if e.state != "done" or name in e.shown]
    if not shown:
        return []
    x = np.array([c.domain.numbers(e.point) for e in shown])
    place, apart = slice.place(x), slice.apart(x)
    return [
        {
            "id": e.id,
            "state": e.state,
            "role": "done" if e.state == "pending" and name in e.shown else e.state,
            "place": [float(f"{v:.6g}") for v in place[i]],
            "apart": round(float(apart[i]), 4),
            "value": (e.values or {}).get(name),
            "limit": limit if isinstance(limit := e.shown.get(name), str) else None,
            "point": e.point,
        }
        for i, e in enumerate(shown)
    ]


def limits(c: Campaign) -> dict[int, dict[str, str]]:
    """What was told as a limit, such as ``<5``, by experiment and response."""
    limited = [e for e in c.experiments(["done", "pending", "failed"]) if e.below or e.above]
    return {e.id: {name: v for name, v in e.shown.items() if isinstance(v, str)} for e in limited}


def place(c: Campaign, slice: Slice, cell: int) -> dict[str, Any]:
    """One cell of a picture: its point as people set it, its place along the axes, what is known there."""
    point = c.domain.rounded(slice.points[[cell]])
    along = zip(followed(c.domain).axes, along_axes(c.domain, slice.points[[cell]])[0], strict=True)
    here = c.domain.numbers(c.domain.named(point[0]))
    known = [e for e in c.experiments(["done", "pending"]) if np.allclose(c.domain.numbers(e.point), here)]
    return {
        "point": c.domain.named(point[0]),
        "direction": direction(c.domain, c.domain.named(point[0])) or None,
        "at": {axis.name: float(value) for axis, value in along},
        "experiments": [e.id for e in known],
    }


def coming(slice: Slice, work: Work | None) -> list[dict[str, Any]]:
    """Where the next experiments would be, if they were asked for now; empty until that is known."""
    if work is None or not work.next:
        return []
    points = np.array([slice.domain.numbers(proposal.point) for proposal in work.next])
    place, apart = slice.place(points), slice.apart(points)
    return [
        {"place": place[i].tolist(), "apart": float(apart[i]), "point": proposal.point}
        for i, proposal in enumerate(work.next)
    ]


def course(c: Campaign, work: Work, finished: Work | None) -> dict[str, Any]:
    """The course of the error as far as it is known, and the progress of what is being computed."""
    shown = work if work.course is not None else finished
    answer: dict[str, Any] = {
        "version": None if shown is None else shown.entry.version,
        "working": work.running,
        "outdated": work.running and shown is not work,
        "done": work.done,
        "total": work.total,
        "doing": work.doing if work.running else "",
        "problem": work.problem,
        "responses": list(c.responses),
        "units": [units(c).get(name, "") for name in c.responses],
        "stop": {"error": c.spec.stop.error, "gain_per_experiment": c.spec.stop.gain_per_experiment},
        "course": None,
        "findings": [],
        "prior": [],
        "offsets": [],
    }
    if shown is not None and shown.course is not None:
        known = shown.course
        answer["course"] = {
            "counts": known.counts.tolist(),
            "errors": known.errors.tolist(),
            "forecast": known.forecast.error.tolist(),
            "band": [known.forecast.low.tolist(), known.forecast.high.tolist()],
            "pending": known.pending,
            "now": [vars(e) for e in known.now],
            "may_stop": known.advice.stop if c.spec.stop.is_set else None,
            "reason": known.advice.reason if c.spec.stop.is_set else None,
            "aim": None if known.aimed is None else known.aimed.as_dict(),
        }
        answer["prior"] = list(shown.prior)
        answer["offsets"] = list(_offset_sentences(shown.offsets, units(c)))
        answer["findings"] = [{**vars(found), "numbers": dict(found.numbers)} for found in shown.findings]
    return plain(answer)


def _offset_sentences(offsets: Mapping[str, BlockOffsets], units: Mapping[str, str]) -> Iterator[str]:
    """What was taken off the values of each block before the map was drawn, by response and column."""
    for response, columns in offsets.items():
        unit = units.get(response, "")
        for column, blocks in columns.items():
            shifts = [f"{block} {_signed(shift)} {unit}".rstrip() for block, shift in blocks.items()]
            said = ", ".join(shifts)
            if said:
                yield f"Offsets of {column}, taken off {response} before the map is drawn: {said}"


def _signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'}{three_digits(abs(value))}"
