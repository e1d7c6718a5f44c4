"""Slices: the points of a domain that a picture shows, and where experiments fall in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array, Domain, Simplex
from equiwarp.exceptions import InvalidInput
from equiwarp.plotting.views import Axis, View, view_of

#: Points along each axis of a picture, by its kind; a globe has twice as many along the equator.
CELLS = {"line": 201, "plane": 48, "ternary": 90, "globe": 45, "list": 0}
#: So many times more where constraints draw an edge that runs across the cells.
FINER = 2


@dataclass(frozen=True)
class Slice:
    """Points to evaluate, laid out for a picture.

    Attributes
    ----------
    view : View
    axes : tuple of Axis
        Those of the picture.
    grid : tuple of arrays
        Values along them; for a ternary, the plane coordinates of the rectangle around the triangle.
    shape : tuple of int
        Of the picture, second axis first, as images are.
    points : (m, columns) array
    inside : (m,) boolean array
        Which of them belong to the domain.
    at : dict
        Where the other axes are held.
    """

    view: View
    axes: tuple[Axis, ...]
    grid: tuple[Array, ...]
    shape: tuple[int, ...]
    points: Array
    inside: NDArray[np.bool_]
    at: dict[str, float] = field(default_factory=dict)

    def spread(self, values: Array) -> Array:
        """Values at the points inside, ``(n,)``, over all points ``(m,)``; NaN elsewhere."""
        full = np.full(len(self.points), np.nan)
        full[self.inside] = values
        return full

    def place(self, x: Array) -> Array:
        """Picture coordinates ``(n, 1, 2 or 3)`` of points ``(n, columns)`` of the domain."""
        domain, kind = self.view.domain, self.view.kind
        if kind == "globe":
            return domain.embed(x)
        if kind == "ternary":
            assert isinstance(domain, Simplex)
            corners = [domain.names.index(axis.name) for axis in self.axes]
            shares = np.maximum(domain.shares(x)[:, corners], 0.0)
            return triangle(shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-12))
        return np.column_stack([_coordinate(self.view, axis, x) for axis in self.axes])

    def apart(self, x: Array) -> Array:
        """How far points ``(n, columns)`` are from the slice, as a share of the axes held, ``(n,)``."""
        away = [
            np.abs(axis.unit_of(_coordinate(self.view, axis, x)) - axis.unit_of(np.array(self.at[axis.name])))
            for axis in self.view.axes
            if axis.name in self.at
        ]
        return np.max(away, axis=0) if away else np.zeros(len(x))


def cut(
    domain: Domain,
    axes: tuple[str, ...] = (),
    at: Mapping[str, float] | None = None,
    cells: int | None = None,
) -> Slice:
    """The slice of a domain along named axes, with the others held at given values or in their middle."""
    view = view_of(domain)
    chosen = view.chosen(axes)
    count = cells or CELLS[view.kind] * (FINER if view.kind == "plane" and domain is not view.domain else 1)
    held = {a.name: a.middle for a in view.axes if a not in chosen}
    for name, value in (at or {}).items():
        if name in held:
            held[name] = min(max(float(value), view.axis(name).low), view.axis(name).high)
    if view.kind == "globe":
        return _globe(domain, view, count)
    if view.kind == "ternary":
        return _ternary(domain, view, chosen, held, count)
    if view.kind == "list" or (view.kind == "line" and hasattr(view.domain, "points")):
        return _listed(domain, view, chosen)
    return _gridded(domain, view, chosen, held, count)


def triangle(shares: Array) -> Array:
    """Plane coordinates ``(n, 2)`` of shares ``(n, 3)``: corners at (0, 0), (1, 0) and the top."""
    return np.column_stack([shares[:, 1] + shares[:, 2] / 2, shares[:, 2] * math.sqrt(3) / 2])


def _coordinate(view: View, axis: Axis, x: Array) -> Array:
    """One coordinate of points ``(n, columns)``."""
    if view.charted:
        return view.domain.to_cube(x)[:, [a.name for a in view.axes].index(axis.name)]
    if axis.name == "angle" and "angle" not in view.domain.names:
        return np.degrees(np.arctan2(x[:, 1], x[:, 0]))
    return x[:, view.domain.names.index(axis.name)]


def _gridded(
    domain: Domain, view: View, chosen: tuple[Axis, ...], held: dict[str, float], count: int
) -> Slice:
    grid = tuple(axis.grid(count) for axis in chosen)
    mesh = np.meshgrid(*grid)
    n = mesh[0].size
    columns = {axis.name: m.ravel() for axis, m in zip(chosen, mesh, strict=True)}
    columns |= {name: np.full(n, value) for name, value in held.items()}
    coordinates = np.column_stack([columns[axis.name] for axis in view.axes if axis.name in columns])
    points = _points(view, coordinates)
    return Slice(view, chosen, grid, mesh[0].shape, points, domain.contains(points), held)


def _points(view: View, coordinates: Array) -> Array:
    if view.charted:
        return view.domain.from_cube(coordinates)
    if view.axes[0].name == "angle" and "angle" not in view.domain.names:
        radians = np.radians(coordinates[:, 0])
        return np.column_stack([np.cos(radians), np.sin(radians)])
    if isinstance(view.domain, Simplex):  # of two components: the second is what the first leaves
        return np.column_stack([coordinates[:, 0], view.domain.total - coordinates[:, 0]])
    return coordinates


def _ternary(
    domain: Domain, view: View, chosen: tuple[Axis, ...], held: dict[str, float], count: int
) -> Slice:
    mix = view.domain
    assert isinstance(mix, Simplex)
    left = mix.total - sum(held.values()) - sum(axis.low for axis in chosen)
    if left <= 1e-9 * mix.total:
        raise InvalidInput("the components that are held leave nothing for the triangle; lower one of them")
    across = np.linspace(0.0, 1.0, count)
    up = np.linspace(0.0, math.sqrt(3) / 2, round(count * 0.87))
    mesh = np.meshgrid(across, up)
    third = mesh[1].ravel() * 2 / math.sqrt(3)
    second = mesh[0].ravel() - third / 2
    shares = np.column_stack([1.0 - second - third, second, third])
    # Cells that stick out over an edge take the value beside it, so that pictures fill the triangle.
    inside: NDArray[np.bool_] = np.all(shares >= -1.5 / count, axis=1)
    shares = np.maximum(shares, 0.0)
    shares /= shares.sum(axis=1, keepdims=True)
    points = np.tile([held.get(name, 0.0) for name in mix.names], (len(shares), 1))
    for axis, share in zip(chosen, shares.T, strict=True):
        points[:, mix.names.index(axis.name)] = axis.low + left * share
    inside[inside] = domain.contains(points[inside])
    return Slice(view, chosen, (across, up), mesh[0].shape, points, inside, held)


def _globe(domain: Domain, view: View, count: int) -> Slice:
    """Cell centres in latitude and longitude; the third coordinate is up."""
    latitude = (np.arange(count) + 0.5) / count * 180.0 - 90.0
    longitude = (np.arange(2 * count) + 0.5) / (2 * count) * 360.0 - 180.0
    mesh = np.meshgrid(np.radians(longitude), np.radians(latitude))
    lon, lat = mesh[0].ravel(), mesh[1].ravel()
    points = np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    return Slice(view, (), (longitude, latitude), mesh[0].shape, points, domain.contains(points))


def _listed(domain: Domain, view: View, chosen: tuple[Axis, ...]) -> Slice:
    """The list itself; along one axis, in its order."""
    points: Array = view.domain.points  # type: ignore[attr-defined]
    if len(chosen) == 1:
        points = points[np.argsort(_coordinate(view, chosen[0], points), kind="stable")]
    grid = tuple(_coordinate(view, axis, points) for axis in chosen)
    return Slice(view, chosen, grid, (len(points),), points, np.ones(len(points), dtype=bool))
