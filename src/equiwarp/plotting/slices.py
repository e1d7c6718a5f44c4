"""Slices: the points of a domain that a picture shows, and where experiments fall in it.

The domain says how it is looked at and where its points are along the axes (:meth:`Domain.view`,
:meth:`Domain.coordinates`, :meth:`Domain.points_at`); what is laid out here knows kinds of pictures only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array, Domain
from equiwarp.domains.view import Axis, View
from equiwarp.exceptions import InvalidInput

#: Points along each axis of a picture, by its kind; a globe has twice as many along the equator.
CELLS = {"line": 201, "plane": 48, "ternary": 90, "globe": 45, "list": 0}
#: So many times more where constraints draw an edge that runs across the cells.
FINER = 2


@dataclass(frozen=True)
class Slice:
    """Points to evaluate, laid out for a picture.

    Attributes
    ----------
    domain : Domain
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

    domain: Domain
    view: View
    axes: tuple[Axis, ...]
    grid: tuple[Array, ...]
    shape: tuple[int, ...]
    points: Array
    inside: NDArray[np.bool_]
    at: dict[str, float] = field(default_factory=dict)

    @property
    def held(self) -> str:
        """Where the other axes are held, in words: "time = 6 min, pH = 6"; empty if there are none."""
        return ", ".join(f"{name} = {self.view.axis(name).text(value)}" for name, value in self.at.items())

    def spread(self, values: Array) -> Array:
        """Values at the points inside, ``(n,)``, over all points ``(m,)``; NaN elsewhere."""
        full = np.full(len(self.points), np.nan)
        full[self.inside] = values
        return full

    def place(self, x: Array) -> Array:
        """Picture coordinates ``(n, 1, 2 or 3)`` of points ``(n, columns)`` of the domain."""
        coordinates = self.domain.coordinates(x)
        if self.view.kind == "globe":
            return coordinates[:, self.view.vector : self.view.vector + 3]
        along = [coordinates[:, self.view.index(axis.name)] for axis in self.axes]
        if self.view.kind != "ternary":
            return np.column_stack(along)
        pairs = zip(self.axes, along, strict=True)
        shares = np.maximum(np.column_stack([axis.unit_of(values) for axis, values in pairs]), 0.0)
        return triangle(shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-12))

    def apart(self, x: Array) -> Array:
        """How far points ``(n, columns)`` are from the slice, as a share of the axes held, ``(n,)``."""
        coordinates = self.domain.coordinates(x)
        away = [
            axis.apart(coordinates[:, self.view.column(axis.name)], self.at[axis.name])
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
    """The slice of a domain along named axes, with the others held at given values or in their middle.

    What an axis cannot have is held at the nearest value that it can; an unknown axis is refused.
    """
    view = domain.view()
    chosen = view.chosen(axes)
    constrained = domain.whole is not domain
    count = cells or CELLS[view.kind] * (FINER if view.kind == "plane" and constrained else 1)
    held = {a.name: a.middle for a in view.axes if a not in chosen}
    for name, value in (at or {}).items():
        axis = view.axis(name)
        if name in held:
            held[name] = axis.nearest(float(value))
    if view.kind == "globe":
        return _globe(domain, view, held, count)
    if view.kind == "ternary":
        return _ternary(domain, view, chosen, held, count)
    if domain.listed is not None:
        return _listed(domain, domain.listed, view, chosen)
    return _gridded(domain, view, chosen, held, count)


def triangle(shares: Array) -> Array:
    """Plane coordinates ``(n, 2)`` of shares ``(n, 3)``: corners at (0, 0), (1, 0) and the top."""
    return np.column_stack([shares[:, 1] + shares[:, 2] / 2, shares[:, 2] * math.sqrt(3) / 2])


def _gridded(
    domain: Domain, view: View, chosen: tuple[Axis, ...], held: dict[str, float], count: int
) -> Slice:
    grid = tuple(axis.grid(count) for axis in chosen)
    mesh = np.meshgrid(*grid)
    columns = {axis.name: m.ravel() for axis, m in zip(chosen, mesh, strict=True)}
    columns |= {name: np.full(mesh[0].size, value) for name, value in held.items()}
    points = domain.points_at(np.column_stack([columns[axis.name] for axis in view.axes]))
    return Slice(domain, view, chosen, grid, mesh[0].shape, points, domain.contains(points), held)


def _ternary(
    domain: Domain, view: View, chosen: tuple[Axis, ...], held: dict[str, float], count: int
) -> Slice:
    others = sum(value for name, value in held.items() if view.may_be_drawn(view.axis(name)))
    left = view.total - others - sum(axis.low for axis in chosen)
    if left <= 1e-9 * view.total:
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
    coordinates = np.tile([held.get(axis.name, 0.0) for axis in view.axes], (len(shares), 1))
    for axis, share in zip(chosen, shares.T, strict=True):
        coordinates[:, view.index(axis.name)] = axis.low + left * share
    points = domain.points_at(coordinates)
    inside[inside] = domain.contains(points[inside])
    return Slice(domain, view, chosen, (across, up), mesh[0].shape, points, inside, held)


def _globe(domain: Domain, view: View, held: dict[str, float], count: int) -> Slice:
    """Cell centres in latitude and longitude; the third coordinate is up."""
    latitude = (np.arange(count) + 0.5) / count * 180.0 - 90.0
    longitude = (np.arange(2 * count) + 0.5) / (2 * count) * 360.0 - 180.0
    mesh = np.meshgrid(np.radians(longitude), np.radians(latitude))
    lon, lat = mesh[0].ravel(), mesh[1].ravel()
    vectors = np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    coordinates = np.empty((len(vectors), view.width))
    coordinates[:, view.vector : view.vector + 3] = vectors
    for name, value in held.items():
        coordinates[:, view.column(name)] = value
    points = domain.points_at(coordinates)
    inside = domain.contains(points)
    return Slice(domain, view, (), (longitude, latitude), mesh[0].shape, points, inside, held)


def _listed(domain: Domain, points: Array, view: View, chosen: tuple[Axis, ...]) -> Slice:
    """The list itself; along one axis, in its order."""
    columns = [view.index(axis.name) for axis in chosen]
    if len(chosen) == 1:
        points = points[np.argsort(domain.coordinates(points)[:, columns[0]], kind="stable")]
    grid = tuple(domain.coordinates(points)[:, column] for column in columns)
    inside = np.ones(len(points), dtype=bool)
    return Slice(domain, view, chosen, grid, (len(points),), points, inside)
