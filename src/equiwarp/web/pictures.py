"""The map over a slice, put together from what the processes computed and what the store says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from fastapi import Request

from equiwarp.campaign import Campaign
from equiwarp.domains import Array, Domain
from equiwarp.exceptions import InvalidInput
from equiwarp.maps.prediction import Prediction
from equiwarp.plotting.slices import Slice, cut
from equiwarp.plotting.style import labelled
from equiwarp.tables.columns import same_unit
from equiwarp.web import as_json
from equiwarp.web.hub import FittedMap, Hub
from equiwarp.web.jobs import HeavyJob
from equiwarp.web.waiting import answer_of, quickly


@dataclass(frozen=True)
class Viewer:
    """One who looks at a campaign."""

    request: Request
    hub: Hub
    id: int
    campaign: Campaign

    async def slice_of(self, wanted: as_json.MapRequest) -> Slice:
        """The slice that they want to see; refused before anything is fitted if there is none."""

        def lay_out() -> Slice:
            as_json.require_response(self.campaign, wanted.response)
            return cut(self.campaign.domain, wanted.axes, wanted.at)

        return await quickly(lay_out)

    async def fitted(self, coarse: bool = False, upto: int | None = None) -> FittedMap:
        """The map, or as it was; if a coarse one will do and the whole one takes a while, that."""
        if upto is not None:
            whole = await self.fitted()
            if whole.map is None or upto >= len(whole.map.x):
                return whole
            return await answer_of(self.request, lambda: self.hub.past(self.id, whole, upto))
        quick: HeavyJob[FittedMap] | None = (
            await quickly(lambda: self.hub.coarse(self.id)) if coarse else None
        )
        return await answer_of(self.request, lambda: quick or self.hub.fitted(self.id))


async def map_over_slice(viewer: Viewer, wanted: as_json.MapRequest) -> dict[str, Any]:
    """Mean and deviation, the design, and on demand what drives the next choice."""
    hub, id = viewer.hub, viewer.id
    slice = await viewer.slice_of(wanted)
    fitted = await viewer.fitted(wanted.coarse, wanted.upto)
    answer = await quickly(lambda: as_json.picture(viewer.campaign, fitted, slice, wanted))
    if fitted.map is None:
        return answer
    prediction, works = await answer_of(viewer.request, lambda: hub.predicted(id, fitted, slice))
    answer["layers"] = as_json.predicted(prediction, slice, wanted.response)
    if works is not None:
        answer["layers"]["works"] = as_json.six_digits(slice.spread(works))
    if wanted.overlay:
        answer["overlaid"] = await quickly(lambda: as_json.overlaid(prediction, slice, viewer.campaign))
    if wanted.minus:
        answer["layers"]["difference"] = await difference(viewer, wanted, slice, prediction)
    if wanted.layered:
        layers = await answer_of(viewer.request, lambda: hub.layered(id, fitted, slice))
        answer["layers"] |= as_json.rounded(layers)
        answer["next"] = as_json.coming(slice, hub.cache(id).finished)
    return answer


async def difference(
    viewer: Viewer, wanted: as_json.MapRequest, slice: Slice, ours: Prediction
) -> list[float | None]:
    """The map less another one, at every point of a slice; nothing where only one of them has the place."""
    other = viewer
    if wanted.minus != "now":
        id = int(wanted.minus)
        campaign = await quickly(lambda: viewer.hub.campaign(id))
        other = Viewer(viewer.request, viewer.hub, id, campaign)
        if not comparable(campaign, viewer.campaign):
            reason = f"{campaign.name!r} has other parameters or responses, or other units"
            raise InvalidInput(f"{reason}; their maps cannot be compared")
    fitted = await other.fitted()
    if fitted.map is None:
        raise InvalidInput(f"{other.campaign.name!r} has no value yet")
    points = renumbered(slice.points, viewer.campaign.domain, other.campaign.domain)
    inside = slice.inside & other.campaign.domain.contains(points)
    theirs = replace(slice, domain=other.campaign.domain, points=points, inside=inside)
    said, _ = await answer_of(viewer.request, lambda: viewer.hub.predicted(other.id, fitted, theirs))
    values = slice.spread(ours.mean[:, wanted.response]) - theirs.spread(said.mean[:, wanted.response])
    return as_json.six_digits(values)


def comparable(one: Campaign, other: Campaign) -> bool:
    """Whether the maps of two campaigns can be compared: in names, what is a category, and units."""
    if (one.domain.names, one.responses) != (other.domain.names, other.responses):
        return False
    if set(one.domain.categories) != set(other.domain.categories):
        return False
    units, theirs = as_json.units(one), as_json.units(other)
    return all(not unit or not theirs.get(n) or same_unit(unit, theirs[n]) for n, unit in units.items())


def renumbered(x: Array, ours: Domain, theirs: Domain) -> Array:
    """Points ``(n, columns)`` of a domain in another that may list its categories in another order.

    A category that the other one has not is no number of any of its own.
    """
    found = x.copy()
    for name, labels in ours.categories.items():
        column, known = ours.names.index(name), theirs.categories[name]
        numbers = np.array([known.index(label) if label in known else -1 for label in labels])
        found[:, column] = numbers[x[:, column].astype(np.intp)]
    return found


async def at_a_place(viewer: Viewer, wanted: as_json.MapRequest, cell: int) -> dict[str, Any]:
    """What the map says at one cell of a picture, of all responses."""
    slice = await viewer.slice_of(wanted)
    if cell >= len(slice.points) or not slice.inside[cell]:
        raise InvalidInput(f"cell {cell} of this picture is not a place where one can measure")
    fitted = await viewer.fitted(wanted.coarse, wanted.upto)
    answer = await quickly(lambda: as_json.place(viewer.campaign, slice, cell))
    if fitted.map is None:
        return {**answer, "predicted": []}
    said, works = await answer_of(viewer.request, lambda: viewer.hub.predicted(viewer.id, fitted, slice))
    row = int(slice.inside[:cell].sum())
    names = zip(fitted.map.responses, fitted.map.units, said.mean[row], said.deviation[row], strict=True)
    answer["predicted"] = [
        {"response": name, "unit": unit, "mean": float(mean), "deviation": float(deviation)}
        for name, unit, mean, deviation in names
    ]
    return {**answer, "works": None if works is None else float(works[row])}


async def map_as_png(viewer: Viewer, wanted: as_json.MapRequest) -> bytes:
    """The map of one response as a picture."""
    slice = await viewer.slice_of(wanted)
    fitted = await viewer.fitted()
    if fitted.map is None:
        raise InvalidInput("there is no map before the first value")
    label = await quickly(partial(_label, viewer.campaign, wanted.response))
    return await answer_of(
        viewer.request, lambda: viewer.hub.drawn(viewer.id, fitted, slice, wanted.response, label)
    )


def _label(campaign: Campaign, response: int) -> str:
    name = campaign.responses[response]
    return labelled(name, as_json.units(campaign).get(name, ""))
