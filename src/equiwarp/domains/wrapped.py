"""``Wrapped``: a domain that is part of another one and shares its chart, its embedding and its looks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equiwarp.domains.base import Domain
from equiwarp.domains.chart import ChartAxis
from equiwarp.domains.view import Array, View


class Wrapped(Domain):
    """Passes on to ``base`` all that does not depend on which part of it is allowed.

    Membership, sampling, volume and symmetry are left to the subclass.
    """

    def __init__(self, base: Domain) -> None:
        self.base: Domain = base
        self.names, self.dim, self.cartesian = base.names, base.dim, base.cartesian

    @property
    def n0(self) -> int:
        return self.base.n0

    @property
    def small_n0(self) -> int:
        return self.base.small_n0

    @property
    def whole(self) -> Domain:
        return self.base

    def to_cube(self, x: Array, frame: Array | None = None) -> Array:
        return self.base.to_cube(x, frame)

    def from_cube(self, u: Array, frame: Array | None = None) -> Array:
        return self.base.from_cube(u, frame)

    def embed(self, x: Array) -> Array:
        return self.base.embed(x)

    def embed_cube(self, u: Array, frame: Array | None = None) -> Array:
        return self.base.embed_cube(u, frame)

    def frame(self, x: Array, weights: Array) -> Array | None:
        return self.base.frame(x, weights)

    def tangent(self, z: Array, gradient: Array) -> Array:
        return self.base.tangent(z, gradient)

    def with_column(self, x: Array, column: int, values: Array) -> Array:
        return self.base.with_column(x, column, values)

    def curvature(self, z: Array, gradient: Array) -> Array | None:
        return self.base.curvature(z, gradient)

    @property
    def chart_axes(self) -> tuple[ChartAxis, ...]:
        return self.base.chart_axes

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        return self.base.groups

    @property
    def turning(self) -> tuple[tuple[int, ...], ...]:
        return self.base.turning

    @property
    def categories(self) -> Mapping[str, tuple[str, ...]]:
        return self.base.categories

    def wrapped(self, x: Array) -> Array:
        return self.base.wrapped(x)

    def snap(self, x: Array) -> Array:
        """The nearest settings of the whole domain, which need not be allowed."""
        return self.base.snap(x)

    def rounded_to(self, x: Array, tenths: int) -> Array:
        return self.base.rounded_to(x, tenths)

    def holding(self, x: Array, held: Mapping[int, float]) -> Array:
        return self.base.holding(x, held)

    def view(self) -> View:
        return self.base.view()

    def coordinates(self, x: Array) -> Array:
        return self.base.coordinates(x)

    def points_at(self, coordinates: Array) -> Array:
        return self.base.points_at(coordinates)

    def describe(self) -> list[dict[str, Any]]:
        return self.base.describe()
