"""``Subject``: one response of a map under examination, with the words and refits that findings need.

Findings compare fits with and without some values, under one noise or another. The average of several
families takes long to fit, and its weights would change from fit to fit; so those fits are of one family.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from equiwarp._util.text import three_digits
from equiwarp.aims import Aim
from equiwarp.domains import Array
from equiwarp.maps.noise import assumed_noise

if TYPE_CHECKING:
    from equiwarp.maps.map import Map
    from equiwarp.models.base import MapModel


@dataclass(frozen=True)
class Subject:
    """A map of one response, from the measurements that have a value of it.

    Attributes
    ----------
    map : Map
    rows : tuple of int
        The row of each measurement in the map that is examined.
    """

    map: Map
    rows: tuple[int, ...]

    @classmethod
    def of(cls, map: Map, j: int) -> Subject:
        """Response j of a map, with the model that is fitted already."""
        known = np.flatnonzero(~np.isnan(map.y[:, j]))
        stated, width = map.known_noise.of(j, known)
        one = replace(
            map, x=map.x[known], y=map.y[known][:, [j]],
            noise=None if stated is None else stated[:, None],
            width=None if width is None else width[:, None], models=(map.models[j],),
            responses=(map.responses[j],), units=(map.units[j],),
            ids=tuple(map.ids[i] for i in known) if map.ids else (), aim=Aim(),
            prior=None if map.prior is None else map.prior.only(j),
        )  # fmt: skip
        return cls(one, tuple(known.tolist()))

    @cached_property
    def plain(self) -> Subject:
        """The same measurements under one family alone: all refits of it are quick and comparable."""
        if len(self.map.families) == 1:
            return self
        every = np.arange(self.n)
        return Subject(self.map.refitted(every, self.map.noise, self.map.plain_family), self.rows)

    @property
    def name(self) -> str:
        return self.map.responses[0]

    @property
    def model(self) -> MapModel:
        return self.map.models[0]

    @property
    def y(self) -> Array:
        """Values ``(n,)``."""
        return self.map.y[:, 0]

    @property
    def n(self) -> int:
        return len(self.map.y)

    @property
    def noise(self) -> Array | None:
        """Stated noise ``(n,)`` of each value, without the width of limits; None if it is estimated."""
        return None if self.map.noise is None else self.map.noise[:, 0]

    @property
    def width(self) -> Array | None:
        """By how much more each value ``(n,)`` may be off because it is a limit; None if none is."""
        return None if self.map.width is None else self.map.width[:, 0]

    def taken_noise(self, model: MapModel) -> Array:
        """The noise ``(n,)`` of each value as stated, or else as a model estimates it; limits are wider."""
        found = assumed_noise(model, self.noise, self.width)
        return np.full(self.n, model.noise_) if found is None else found

    @cached_property
    def left_out(self) -> tuple[Array, Array]:
        """Residuals ``(n,)`` of each value against the model without it, and their predicted deviations."""
        return self.model.leave_one_out()

    @property
    def density(self) -> float:
        """Logarithm of the density with which the model predicts each value from the others, summed."""
        residual, deviation = self.left_out
        return float(-0.5 * np.sum((residual / deviation) ** 2) - np.sum(np.log(deviation)))

    def at_cube(self, u: Array) -> Array:
        """Where points of the chart's cube ``(m, dim)`` lie for the model."""
        domain = self.map.domain
        if self.map.prior is None:
            return domain.embed_cube(u)
        return self.map.coordinates(domain.from_cube(u))

    def without(self, rows: Iterable[int]) -> Subject:
        """The same without some rows, fitted again."""
        keep = np.setdiff1d(np.arange(self.n), np.array(list(rows), dtype=int))
        return Subject(self.map.refitted(keep, self.map.noise), tuple(self.rows[i] for i in keep))

    def with_noise(self, noise: Array | float | None) -> Subject:
        """The same values under other noise, fitted again; None estimates it."""
        stated = None if noise is None else np.broadcast_to(noise, (self.n,))[:, None]
        return Subject(self.map.refitted(np.arange(self.n), stated), self.rows)

    def amount(self, value: float) -> str:
        """An error, a noise or a difference, to three digits and with the unit of the response."""
        return self.with_unit(three_digits(value))

    def value(self, value: float) -> str:
        """A value of the response to six digits: of 101325, the first three say nothing."""
        return self.with_unit(f"{value:.6g}")

    def with_unit(self, number: str) -> str:
        return f"{number} {self.map.units[0]}".rstrip()

    def numbers(self, rows: Iterable[int]) -> tuple[int, ...]:
        """What measurements are called: their ids, or their rows."""
        return tuple(self.map.ids[row] if self.map.ids else self.rows[row] for row in rows)

    def called(self, rows: Iterable[int]) -> str:
        """``experiment 12``, ``rows 3, 4 and 7``."""
        names = [str(number) for number in self.numbers(rows)]
        word = ("experiment" if self.map.ids else "row") + ("s" if len(names) > 1 else "")
        return f"{word} {', '.join(names[:-1]) + ' and ' if len(names) > 1 else ''}{names[-1]}"
