"""The shape of a domain: what its axes are, how many of them are continuous, and how far points lie apart.

All of it has defaults, which are right where every axis is an interval of numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np

from equiwarp.domains.chart import INTERVAL, ChartAxis, block_size
from equiwarp.domains.view import Array
from equiwarp.exceptions import InvalidInput

#: Many categories leave few points to each. Beyond this share of the domain's extent, points that are
#: further apart are no reason to believe in a smoother function.
WIDEST_SPACING = 0.5
#: Points of a smaller start for each continuous axis.
FOR_EACH_AXIS = 4


class Shape:
    """The half of a domain that counts: axes, dimensions, sizes of designs."""

    dim: int
    volume: float
    embed: Callable[[Array], Array]
    from_cube: Callable[[Array], Array]

    @property
    def chart_axes(self) -> tuple[ChartAxis, ...]:
        """What each axis of the chart's cube is, ``dim`` of them: an interval, a circle or categories."""
        return (INTERVAL,) * self.dim

    @cached_property
    def continuous(self) -> int:
        """Number of axes that are not categories. Powers that contain a dimension mean this one."""
        return sum(axis.kind != "categories" for axis in self.chart_axes)

    @cached_property
    def strata(self) -> int:
        """Number of combinations of categories; 1 without any."""
        return math.prod(axis.count or 1 for axis in self.chart_axes)

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Columns of the kernel coordinates that belong together and should share one lengthscale.

        Every column is in one group: a number alone, an angle with both of its coordinates, a category with
        all of its corners. By default each column is a group of its own.
        """
        e = self.embed(self.from_cube(np.full((1, self.dim), 0.5))).shape[1]
        return tuple((i,) for i in range(e))

    @property
    def turning(self) -> tuple[tuple[int, ...], ...]:
        """Those of :attr:`groups` whose zero is arbitrary: both columns of an angle, all of a direction.

        Turning them leaves distances as they are. There are none by default.
        """
        return ()

    @property
    def n0(self) -> int:
        """Usual size of the space-filling start.

        20 (D - 1) for D continuous axes, as in the paper; at least 10, and enough to see every category.
        """
        return self.start_size(20 * (self.continuous - 1))

    @property
    def small_n0(self) -> int:
        """Size of a smaller start, for strategies that choose for the map: they gain from more choices.

        Four for each continuous axis, at least 10, and enough to see every category; never above ``n0``. What
        a smaller start saves is measured in ``docs/results/start.md``.
        """
        return min(self.n0, self.start_size(FOR_EACH_AXIS * self.continuous))

    def start_size(self, wanted: int) -> int:
        """The size of a start for which so many points are wanted.

        Parameters
        ----------
        wanted : int

        Returns
        -------
        int
            At least 10, and enough to see every category.
        """
        largest = max((axis.count for axis in self.chart_axes), default=0)
        return max(10, wanted, block_size(largest) if largest else 0)

    def spacing(self, n0: int | None = None) -> float:
        """How far apart n0 points are that fill the domain evenly: ``(volume / n0)^(1/D)``.

        D counts continuous axes. The points are shared among the combinations of categories, which makes each
        of those sparser, up to half of the domain's extent.

        Parameters
        ----------
        n0 : int, optional
            Number of points; the domain's own ``n0`` by default.

        Returns
        -------
        float
            A distance in kernel coordinates. It is the acquisition GP's lengthscale unless told otherwise.

        Raises
        ------
        InvalidInput
            If n0 is less than 1.
        """
        count = self.n0 if n0 is None else n0
        if count < 1:
            raise InvalidInput(f"the initial design needs at least one point, got {count}")
        if not self.continuous:
            return WIDEST_SPACING
        power = 1.0 / self.continuous
        together = float((self.volume / count) ** power)
        if self.strata == 1:
            return together
        widest = WIDEST_SPACING * self.volume**power
        return max(together, min(together * self.strata**power, widest))

    def mirrored(self, x: Array, rng: np.random.Generator) -> Array:
        """Points under a symmetry of the domain that is drawn at random, the same one for all of them.

        The equalizer measures at such images, so that what is symmetric comes out alike: angles turned,
        categories exchanged, intervals reflected. The default knows no symmetry.

        Parameters
        ----------
        x : (n, columns) array
            Points in the domain's units.
        rng : numpy.random.Generator

        Returns
        -------
        (n, columns) array
        """
        return x

    def curvature(self, z: Array, gradient: Array) -> Array | None:
        """What the bending of the domain itself adds to second derivatives along it.

        Where kernel coordinates are curved (a sphere, an angle), a straight step leaves the domain; this is
        the part of the gradient that comes back in.

        Parameters
        ----------
        z : (n, e) array
            Kernel coordinates of points.
        gradient : (n, e) array
            Gradients in kernel coordinates, one at each of them.

        Returns
        -------
        (n, e, e) array or None
            None, the default, where kernel coordinates are flat.
        """
        return None
