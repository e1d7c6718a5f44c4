"""Profiles: the map along one axis after another, with the others held.

Along a component of a mixture, the others keep their proportions and share what it leaves, since they cannot
all be held. A direction is followed along its two angles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array, Domain
from equiwarp.domains.followed import along_axes, apart_along, followed, points_along
from equiwarp.domains.view import Axis
from equiwarp.exceptions import InvalidInput
from equiwarp.maps.prediction import Prediction

if TYPE_CHECKING:
    from equiwarp.maps.map import Map

#: Points along an axis.
CELLS = 101


@dataclass(frozen=True)
class Profile:
    """Points along one axis.

    Attributes
    ----------
    axis : Axis
    grid : (m,) array
        Values along it.
    points : (m, columns) array
    inside : (m,) boolean array
        Which of them belong to the domain.
    at : dict
        Where the other axes are held, or in which proportion.
    """

    axis: Axis
    grid: Array
    points: Array
    inside: NDArray[np.bool_]
    at: dict[str, float]


def profile_along(domain: Domain, name: str, at: Mapping[str, float] | None = None) -> Profile:
    """The points along an axis of a domain, the others held at given values or in their middle."""
    require_axes(domain)
    view = followed(domain)
    axis = view.axis(name)
    held = {other.name: other.middle for other in view.axes if other is not axis}
    for given, value in (at or {}).items():
        low, high = view.axis(given).low, view.axis(given).high  # an error if there is no such axis
        if given in held:
            held[given] = min(max(float(value), low), high)
    grid = axis.grid(CELLS)
    columns = {axis.name: grid, **{other: np.full(len(grid), value) for other, value in held.items()}}
    points = points_along(domain, np.column_stack([columns[a.name] for a in view.axes]))
    if view.kind == "ternary" and name in domain.names:
        points = domain.with_column(points, domain.names.index(name), grid)
    return Profile(axis, grid, points, domain.contains(points), held)


def require_axes(domain: Domain) -> None:
    """Refuse a domain that has no axis to follow."""
    if domain.listed is not None:
        raise InvalidInput("a list of experiments has no axis to follow; plot the map instead")


def apart_from(map: Map, profile: Profile) -> Array:
    """How far each measurement ``(n,)`` is from a profile, as a share of the axes held."""
    return apart_along(map.domain, map.x, profile.axis.name, profile.at)


@dataclass(frozen=True)
class ProfileCurve:
    """What a map says along one profile, ``(m, k)`` each; NaN outside the domain."""

    profile: Profile
    mean: Array
    deviation: Array


def curves_of(map: Map, profiles: list[Profile]) -> list[ProfileCurve]:
    """What a map says along profiles, all of them predicted at once."""
    inside = np.concatenate([profile.inside for profile in profiles])
    mean, deviation = np.full((2, len(inside), len(map.models)), np.nan)
    if inside.any():
        said = map.predict(np.concatenate([profile.points for profile in profiles])[inside])
        mean[inside], deviation[inside] = said.mean, said.deviation
    ends = np.cumsum([0, *(len(profile.grid) for profile in profiles)]).tolist()
    parts = zip(profiles, ends[:-1], ends[1:], strict=True)
    return [ProfileCurve(profile, mean[i:j], deviation[i:j]) for profile, i, j in parts]


@dataclass(frozen=True)
class Profiles:
    """The map along every axis through one setting.

    Attributes
    ----------
    setting : dict
        The setting, by axis.
    point : (columns,) array
        The same as a point of the domain.
    here : Prediction or None
        What the map says there, ``(1, k)``; None if the setting is not allowed.
    works : float or None
        The probability that an experiment works there; None if nothing has failed.
    curves : list of ProfileCurve
        One for each axis.
    """

    setting: dict[str, float]
    point: Array
    here: Prediction | None
    works: float | None
    curves: list[ProfileCurve]


def profiles_of(map: Map, at: Mapping[str, float] | None = None, moved: str = "") -> Profiles:
    """The map along every axis through a setting, by default the middle.

    Parameters
    ----------
    map : Map
    at : mapping, optional
        The setting, by axis.
    moved : str
        The axis that was changed last: of a mixture, the other components make room for it.
    """
    domain = map.domain
    require_axes(domain)
    point = setting_at(domain, at, moved) if at else usual_setting(map)
    setting = setting_of(domain, point)
    curves = curves_of(map, [profile_along(domain, axis.name, setting) for axis in followed(domain).axes])
    if not domain.contains(point[None])[0]:
        return Profiles(setting, point, None, None, curves)
    lost = map.failed is not None and len(map.failed) > 0
    works = float(map.works(point[None])[0]) if lost else None
    return Profiles(setting, point, map.predict(point[None]), works, curves)


def setting_of(domain: Domain, point: Array) -> dict[str, float]:
    """Where a point ``(columns,)`` lies along each axis."""
    values = along_axes(domain, point[None])[0]
    return {axis.name: float(value) for axis, value in zip(followed(domain).axes, values, strict=True)}


def setting_at(domain: Domain, at: Mapping[str, float], moved: str = "") -> Array:
    """The point ``(columns,)`` at values along some axes, within their bounds, the others in their middle.

    Parts of a mixture that are not given share what the others leave. If all are given and do not add up,
    they make room for the one that was moved.
    """
    view = followed(domain)
    wanted = {axis.name: axis.middle for axis in view.axes}
    for name, value in at.items():
        wanted[name] = view.axis(name).nearest(float(value))
    if view.kind == "ternary":
        parts = [axis for axis in view.axes if view.may_be_drawn(axis)]
        wanted |= _made_room(parts, wanted, _kept([axis.name for axis in parts], at, moved), view.total)
    return np.asarray(points_along(domain, np.array([[wanted[axis.name] for axis in view.axes]]))[0])


def _kept(parts: list[str], at: Mapping[str, float], moved: str) -> list[str]:
    """Which parts of a mixture stay as they are while the others make room."""
    if moved in parts:
        return [moved]
    given = [name for name in parts if name in at]
    return given if len(given) < len(parts) else given[:1]


def _made_room(
    parts: list[Axis], wanted: Mapping[str, float], kept: list[str], total: float
) -> dict[str, float]:
    """What is left for the parts that are not kept, in the proportions that they have above their bounds."""
    others = [axis for axis in parts if axis.name not in kept]
    left = total - sum(wanted[name] for name in kept) - sum(axis.low for axis in others)
    if left < -1e-9 * total:
        held = ", ".join(f"{a.name} = {a.text(wanted[a.name])}" for a in parts if a not in others)
        raise InvalidInput(f"{held}: that leaves too little for {' and '.join(a.name for a in others)}")
    above = {axis.name: wanted[axis.name] - axis.low for axis in others}
    if sum(above.values()) <= 0:  # there are no proportions to keep: they share equally
        above = dict.fromkeys(above, 1.0)
    share = max(left, 0.0) / sum(above.values())
    return {axis.name: axis.low + share * above[axis.name] for axis in others}


def usual_setting(map: Map) -> Array:
    """The middle of the domain or, where that is not allowed, the measurement nearest to it."""
    middle = setting_at(map.domain, {})
    if map.domain.contains(middle[None])[0]:
        return middle
    inside = map.x[map.domain.contains(map.x)]
    if len(inside) == 0:
        return middle
    away = map.domain.embed(inside) - map.domain.embed(middle[None])
    return np.asarray(inside[np.argmin(np.sum(away**2, axis=1))])
