"""The axes that a profile can follow: those of the domain's view and, of a direction, its two angles.

A unit vector has no column that can move while the others stay. Azimuth and elevation can: along the first
one goes around, along the second from pole to pole. In a uniform sample of directions they are independent,
so they are also what one asks for the effect of: :func:`settings`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.domains.view import Axis, View

AZIMUTH = Axis("azimuth", "°", -180.0, 180.0, periodic=True)
ELEVATION = Axis("elevation", "°", -90.0, 90.0)


def followed(domain: Domain) -> View:
    """The view of a domain in which a globe has become its two angles, in degrees."""
    view = domain.view()
    if view.kind != "globe":
        return view
    before, after = view.axes[: view.vector], view.axes[view.vector :]
    taken = {axis.name for axis in view.axes}
    angles = [replace(angle, name=_free(angle.name, taken)) for angle in (AZIMUTH, ELEVATION)]
    return replace(view, kind="plane", axes=(*before, *angles, *after), vector=0)


def _free(name: str, taken: set[str]) -> str:
    """The name, or the same of the direction where a parameter has it already."""
    return f"{name} of the direction" if name in taken else name


def along_axes(domain: Domain, x: Array) -> Array:
    """Where points ``(n, columns)`` lie along the axes that can be followed, ``(n, axes)``."""
    view, found = domain.view(), domain.coordinates(x)
    if view.kind != "globe":
        return found
    vectors = found[:, view.vector : view.vector + 3]
    return np.column_stack([found[:, : view.vector], angles_of(vectors), found[:, view.vector + 3 :]])


def points_along(domain: Domain, values: Array) -> Array:
    """The points ``(n, columns)`` at values ``(n, axes)`` along those axes."""
    view = domain.view()
    if view.kind != "globe":
        return domain.points_at(values)
    angles = values[:, view.vector : view.vector + 2]
    parts = [values[:, : view.vector], vectors_of(angles), values[:, view.vector + 2 :]]
    return domain.points_at(np.column_stack(parts))


def settings(domain: Domain) -> tuple[str, ...]:
    """What can be set on its own: the parameters by name, the angles in place of a direction's columns.

    Where people know no axes, as in a chart or a list, it is the columns.
    """
    view = followed(domain)
    if domain.listed is not None or view.charted:
        return domain.names
    return tuple(axis.name for axis in view.axes)


def settings_at(domain: Domain, x: Array) -> Array:
    """What is set at points ``(n, columns)``, ``(n, settings)``."""
    return x if settings(domain) == domain.names else along_axes(domain, x)


def with_setting(domain: Domain, x: Array, k: int, values: Array) -> Array:
    """Points ``(n, columns)`` with setting ``k`` at other values ``(n,)`` and the rest held."""
    name = settings(domain)[k]
    if name in domain.names:
        return domain.with_column(x, domain.names.index(name), values)
    moved = along_axes(domain, x)
    moved[:, k] = values
    return points_along(domain, moved)


def angles_of(vectors: Array) -> Array:
    """Azimuth and elevation ``(n, 2)`` in degrees of unit vectors ``(n, 3)``; the third coordinate is up."""
    x, y, z = vectors.T
    return np.degrees(np.column_stack([np.arctan2(y, x), np.arcsin(np.clip(z, -1.0, 1.0))]))


def vectors_of(angles: Array) -> Array:
    """Unit vectors ``(n, 3)`` of azimuth and elevation ``(n, 2)`` in degrees."""
    azimuth, elevation = np.radians(angles).T
    level = np.cos(elevation)
    return np.column_stack([level * np.cos(azimuth), level * np.sin(azimuth), np.sin(elevation)])


def apart_along(domain: Domain, x: Array, moving: str, at: dict[str, float]) -> Array:
    """How far points ``(n, columns)`` are from a profile, as a share of the axes held, ``(n,)``.

    Of directions it is the angle between them, as a share of half a turn: near a pole, azimuths that differ
    much are near each other.
    """
    view, values = followed(domain), along_axes(domain, x)
    angles = _angle_columns(domain)
    held = [k for k, axis in enumerate(view.axes) if axis.name in at and k not in angles]
    away = [view.axes[k].apart(values[:, k], at[view.axes[k].name]) for k in held]
    if angles:
        here = values[:, angles]
        there = here.copy()
        for column, k in enumerate(angles):
            if view.axes[k].name != moving:
                there[:, column] = at[view.axes[k].name]
        cosine = np.sum(vectors_of(here) * vectors_of(there), axis=1)
        away.append(np.arccos(np.clip(cosine, -1.0, 1.0)) / np.pi)
    return np.max(away, axis=0) if away else np.zeros(len(values))


def _angle_columns(domain: Domain) -> list[int]:
    """Which axes are the angles of a direction; none if there is no direction."""
    view = domain.view()
    return [view.vector, view.vector + 1] if view.kind == "globe" else []
