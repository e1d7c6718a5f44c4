"""``Sphere(d)``: the unit sphere S^d in R^(d+1), a domain without a boundary.

Chart: hyperspherical coordinates around a movable pole and meridian, each angle replaced by its cumulative
distribution under the sphere's own measure, so that uniform in the cube is uniform on the sphere.
On S^2 the first one is G(psi) = (1 - cos psi) / 2, on S^3 it is (psi - sin psi cos psi) / pi; the
paper prints the former for all d, which is right on S^2 only.

Kernel coordinates: the unit vectors themselves, so distances are chordal, which keeps Matern
positive definite (Gneiting 2013).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.arguments import items_of, whole
from equiwarp._util.text import short
from equiwarp.domains.base import Domain
from equiwarp.domains.plain import Data, Fields
from equiwarp.domains.view import Array, Axis, View
from equiwarp.exceptions import InvalidInput

#: Beyond, the volume is no longer a number that can be divided by.
MOST_DIMENSIONS = 300


class Sphere(Domain):
    """Directions: unit vectors with d + 1 columns, all ways to point from a centre.

    Parameters
    ----------
    d : int
        Intrinsic dimension, at least 1. ``Sphere(1)`` is the circle, ``Sphere(2)`` all directions in space,
        ``Sphere(3)`` holds unit quaternions.
    names : sequence of str, optional
        Names of the d + 1 columns; x1, x2, ... by default.

    Raises
    ------
    InvalidInput
        If the dimension is less than 1, or there are not d + 1 different names.

    Examples
    --------
    >>> import equiwarp as ew
    >>> sphere = ew.Sphere(2)
    >>> sphere.names
    ('x1', 'x2', 'x3')
    >>> ew.suggest(sphere, [[0, 0, 1], [1, 0, 0]], [0.2, 1.5], n=4, noise=0.1).points.shape
    (4, 3)
    """

    kind = "sphere"
    symmetry = "homogeneous"

    def __init__(self, d: int, names: Sequence[str] | None = None) -> None:
        self.dim = whole(d, "the dimension of a sphere", 1)
        if self.dim > MOST_DIMENSIONS:
            raise InvalidInput(f"a sphere has at most {MOST_DIMENSIONS} dimensions here, got {short(d)}")
        self.names = _names(self.dim) if names is None else tuple(map(str, items_of(names, "names")))
        if len(self.names) != self.dim + 1 or len(set(self.names)) <= self.dim or not all(self.names):
            raise InvalidInput(
                f"a sphere of dimension {self.dim} has {self.dim + 1} columns with different names, "
                f"got {list(self.names)}"
            )
        self.volume = 2 * math.pi ** ((d + 1) / 2) / math.gamma((d + 1) / 2)

    def __repr__(self) -> str:
        named = "" if self.names == _names(self.dim) else f", names={list(self.names)}"
        return f"Sphere({self.dim}{named})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sphere) and self.names == other.names

    def __hash__(self) -> int:
        return hash(("Sphere", self.names))

    def to_cube(self, x: Array, frame: Array | None = None) -> Array:
        rest = x if frame is None else x @ frame.T
        u = np.empty((len(x), self.dim))
        for axis in range(self.dim - 1):
            radius = np.linalg.norm(rest[:, 1:], axis=1)
            u[:, axis] = _cap_fraction(np.arctan2(radius, rest[:, 0]), self.dim - axis)
            rest = rest[:, 1:]
        # The azimuth is cut opposite to its origin: on S^1 that is opposite to the pole.
        u[:, -1] = np.arctan2(rest[:, 1], rest[:, 0]) / (2 * math.pi) + 0.5
        return u

    def from_cube(self, u: Array, frame: Array | None = None) -> Array:
        x = np.ones((len(u), self.dim + 1))
        radius = np.ones(len(u))
        for axis in range(self.dim - 1):
            psi = _cap_angle(u[:, axis], self.dim - axis)
            x[:, axis] = radius * np.cos(psi)
            radius = radius * np.sin(psi)
        phi = 2 * math.pi * (u[:, -1] - 0.5)
        x[:, -2], x[:, -1] = radius * np.cos(phi), radius * np.sin(phi)
        return x if frame is None else x @ frame

    def embed(self, x: Array) -> Array:
        return x / np.linalg.norm(x, axis=1, keepdims=True)

    def frame(self, x: Array, weights: Array) -> Array | None:
        """The pole and the meridians that a density prefers, one a row; None if it balances out.

        The pole is the mean direction. The others are the principal axes of what is left across it, the
        longest first, each pointing to the side on which the density reaches farther (its third moment is
        positive). Turning or reflecting the points does the same to all of them.
        """
        share, z = weights / weights.sum(), self.embed(x)
        mean = share @ z
        length = float(np.linalg.norm(mean))
        if length < 1e-6:
            return None
        pole = mean / length
        across = z - np.outer(z @ pole, pole)
        # Ascending; the subtracted term makes the pole itself the first of them, which is left out.
        _, axes = np.linalg.eigh(across.T @ (across * share[:, None]) - np.outer(pole, pole))
        axes = axes[:, :0:-1].T
        sides = (across @ axes.T) ** 3
        return np.vstack([pole, np.where(share @ sides < 0, -1.0, 1.0)[:, None] * axes])

    def tangent(self, z: Array, gradient: Array) -> Array:
        return gradient - np.sum(z * gradient, axis=1, keepdims=True) * z

    def curvature(self, z: Array, gradient: Array) -> Array:
        """A great circle bends inwards by one."""
        outward = np.sum(z * gradient, axis=1)[:, None, None]
        return -outward * (np.eye(z.shape[1]) - z[:, :, None] * z[:, None, :])

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """All columns: no direction is special."""
        return (tuple(range(self.dim + 1)),)

    @property
    def turning(self) -> tuple[tuple[int, ...], ...]:
        return self.groups

    def contains(self, x: Array) -> NDArray[np.bool_]:
        return np.abs(np.linalg.norm(x, axis=1) - 1) < 1e-6

    def problem(self, point: Array) -> str | None:
        length = float(np.linalg.norm(point))
        if abs(length - 1) < 1e-6:
            return None
        return f"its length is {length:g}, not 1: divide the vector by its length"

    def rounded_to(self, x: Array, tenths: int) -> Array:
        """Seven decimals: fewer would change the length by more than is forgiven."""
        return np.round(x, 7 + tenths)

    def with_column(self, x: Array, column: int, values: Array) -> Array:
        """One component at other values; the others keep their direction and take the length that is left."""
        moved = x.copy()
        others = np.arange(self.columns) != column
        # At a pole of the component the others have no direction: they share equally.
        moved[:, others] += np.all(moved[:, others] == 0, axis=1, keepdims=True) * 1.0
        length = np.linalg.norm(moved[:, others], axis=1)
        moved[:, others] *= (np.sqrt(np.clip(1.0 - values**2, 0.0, None)) / length)[:, None]
        moved[:, column] = values
        return moved

    def view(self) -> View:
        """A circle along its angle, the ordinary sphere as a globe, higher ones in their chart."""
        if self.dim == 1:
            return View("line", (Axis("angle", "°", -180.0, 180.0),))
        return View("globe", ()) if self.dim == 2 else super().view()

    def coordinates(self, x: Array) -> Array:
        if self.dim == 1:
            return np.degrees(np.arctan2(x[:, 1:], x[:, :1]))
        return self.embed(x) if self.dim == 2 else super().coordinates(x)

    def points_at(self, coordinates: Array) -> Array:
        if self.dim == 1:
            radians = np.radians(coordinates[:, 0])
            return np.column_stack([np.cos(radians), np.sin(radians)])
        return coordinates if self.dim == 2 else super().points_at(coordinates)

    def describe(self) -> list[dict[str, Any]]:
        return [{**row, "low": -1.0, "high": 1.0} for row in super().describe()]

    @classmethod
    def fields(cls) -> Fields:
        return {"dim": (int, ...), "names": (list[str] | None, None)}

    def to_dict(self) -> dict[str, Any]:
        named = {} if self.names == _names(self.dim) else {"names": list(self.names)}
        return {"type": self.kind, "dim": self.dim, **named}

    @classmethod
    def from_dict(cls, data: Data) -> Self:
        return cls(data["dim"], data.get("names"))

    @classmethod
    def names_in(cls, data: Data) -> list[str]:
        if isinstance(data.get("names"), list):
            return [str(name) for name in data["names"]]
        dim = data.get("dim")
        return list(_names(min(dim, 1000))) if isinstance(dim, int) else []


def _names(dim: int) -> tuple[str, ...]:
    return tuple(f"x{i + 1}" for i in range(dim + 1))


def _cap_fraction(psi: Array, d: int) -> Array:
    """Share of the measure of S^d within colatitude psi: the integral of sin^(d-1), normalised."""
    if d == 2:
        return (1 - np.cos(psi)) / 2
    if d == 3:
        return (psi - np.sin(psi) * np.cos(psi)) / math.pi
    from scipy.special import betainc

    half = betainc(d / 2, 0.5, np.sin(psi) ** 2) / 2
    return np.where(psi <= math.pi / 2, half, 1 - half)


def _cap_angle(u: Array, d: int) -> Array:
    """Inverse of :func:`_cap_fraction`."""
    if d == 2:
        return np.arccos(np.clip(1 - 2 * u, -1, 1))
    from scipy.special import betaincinv

    square = betaincinv(d / 2, 0.5, np.clip(2 * np.minimum(u, 1 - u), 0, 1))
    psi = np.arcsin(np.sqrt(np.clip(square, 0, 1)))
    return np.where(u <= 0.5, psi, math.pi - psi)
