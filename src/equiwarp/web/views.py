"""What the page shows of a map beside the map itself, as plain data: computed in other processes."""

from __future__ import annotations

from typing import Any

import numpy as np

from equiwarp._util.plain import plain
from equiwarp._util.progress import Progress
from equiwarp.domains import Array
from equiwarp.domains.followed import along_axes, followed
from equiwarp.maps.left_out import left_out_of
from equiwarp.maps.map import Map
from equiwarp.plotting.profiles import ProfileCurve, apart_from, profiles_of
from equiwarp.plotting.style import labelled, png

#: Settings by name, as something that can be a key.
Held = tuple[tuple[str, float], ...]
#: Measurements farther from a profile than this share of an axis are not shown beside it.
NEAR = 0.35
#: Places at which the map is drawn as lines between parallel axes: more would be one grey surface.
PLACES = 384


def digits(values: Array, count: int = 6) -> list[Any]:
    """For JSON: so many digits, null where there is nothing; nested as the array is."""
    if values.ndim > 1:
        return [digits(row, count) for row in values]
    return [float(f"{v:.{count}g}") if np.isfinite(v) else None for v in values.tolist()]


def profile(map: Map, at: Held, moved: str) -> dict[str, Any]:
    """The map along every axis through one setting, of all responses."""
    found = profiles_of(map, dict(at), moved)
    here = found.here
    return {
        "at": found.setting,
        "point": map.domain.named(map.domain.rounded(found.point[None])[0]) if here is not None else None,
        "here": None if here is None else [digits(here.mean[0]), digits(here.deviation[0])],
        "works": found.works,
        "curves": [_curve(map, curve) for curve in found.curves],
        "values": digits(map.y.T),
        "ids": list(map.ids),
        "responses": list(map.responses),
        "units": list(map.units),
        "measurements": len(map.x),
    }


def _curve(map: Map, curve: ProfileCurve) -> dict[str, Any]:
    along = along_axes(map.domain, map.x)[:, followed(map.domain).index(curve.profile.axis.name)]
    away = apart_from(map, curve.profile)
    near = np.flatnonzero(away < NEAR)
    return {
        "axis": curve.profile.axis.name,
        "grid": digits(curve.profile.grid),
        "mean": digits(curve.mean.T),
        "deviation": digits(curve.deviation.T),
        "near": [[int(i), float(f"{along[i]:.6g}"), round(float(away[i]), 3)] for i in near],
    }


def effects(map: Map, progress: Progress | None = None) -> dict[str, Any]:
    """Which parameters matter, by how much, and how sure that is; with their main effects."""
    shares = map.sensitivity(progress)
    found = [
        {
            "response": e.response,
            "parameter": e.parameter,
            "first": list(e.first),
            "total": list(e.total),
            "curve": {name: digits(values) for name, values in vars(e.curve).items()},
        }
        for e in shares.effects
    ]
    categories = {name: list(values) for name, values in map.domain.categories.items()}
    return plain(
        {
            "effects": found,
            "note": shares.note,
            "categories": categories,
            "responses": list(map.responses),
            "units": list(map.units),
            "measurements": len(map.x),
        }
    )


def residuals(map: Map) -> dict[str, Any]:
    """Each measured value beside what the map says without it, and what is odd."""
    left = [
        {
            "response": one.response,
            "ids": [map.ids[row] for row in one.rows],
            "measured": digits(one.measured),
            "predicted": digits(one.predicted),
            "deviation": digits(one.deviation),
            "z": digits(one.z, 3),
            "within": one.within,
        }
        for one in left_out_of(map)
    ]
    errors = [vars(e) for e in map.error()]
    found = [{**vars(f), "numbers": dict(f.numbers)} for f in map.diagnostics()]
    return plain({"left_out": left, "units": list(map.units), "errors": errors, "findings": found})


def places(map: Map) -> dict[str, Any]:
    """Places spread evenly over the domain with what the map says there, and the measurements beside them."""
    domain = map.domain
    x = domain.sample(PLACES, np.random.default_rng(0)) if domain.listed is None else domain.listed[:PLACES]
    said, view = map.predict(x), domain.view()
    angled = view.kind == "globe"  # a direction is two angles
    at, measured = (along_axes(domain, x), along_axes(domain, map.x)) if angled else (x, map.x)
    names = [axis.name for axis in followed(domain).axes] if angled else domain.names
    axes = {} if view.charted else {axis.name: axis for axis in followed(domain).axes}
    both = np.concatenate([at, measured])
    shown = [
        {
            "name": name,
            "unit": axes[name].unit if name in axes else "",
            "labels": list(domain.categories.get(name, ())),
            "scale": axes[name].scale if name in axes else "linear",
            "periodic": axes[name].periodic if name in axes else False,
            "settings": list(axes[name].settings) if name in axes else [],
            "low": float(axes[name].low if name in axes else both[:, k].min()),
            "high": float(axes[name].high if name in axes else both[:, k].max()),
        }
        for k, name in enumerate(names)
    ]
    return {
        "parameters": shown,
        "responses": list(map.responses),
        "units": list(map.units),
        "map": {"at": digits(at), "values": digits(said.mean), "deviation": digits(said.deviation)},
        "measured": {"at": digits(measured), "values": digits(map.y), "ids": list(map.ids)},
    }


def draw_profile(map: Map, response: int, at: Held) -> bytes:
    """The profile of one response as a picture."""
    from equiwarp.plotting.profile_figures import profile_figure

    return png(profile_figure(map, response, _label(map, response), at=profiles_of(map, dict(at)).setting))


def draw_effects(map: Map, response: int) -> bytes:
    """The shares of all parameters as a picture."""
    from equiwarp.plotting.profile_figures import sensitivity_figure

    return png(sensitivity_figure(map.sensitivity(), map.responses[response]))


def draw_residuals(map: Map, response: int) -> bytes:
    """Measured against predicted as a picture."""
    from equiwarp.plotting.left_out_figure import left_out_figure

    return png(left_out_figure(left_out_of(map)[response], _label(map, response), map.ids))


def _label(map: Map, response: int) -> str:
    return labelled(map.responses[response], map.units[response])
