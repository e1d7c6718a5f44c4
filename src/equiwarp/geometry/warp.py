"""A warp: a bijection of the domain that the acquisition kernel looks through.

``k_T(x, x') = k(T(x), T(x'))``, the paper's eq:warped_kernel. A warp takes points to the kernel
coordinates of their images, and says how much it stretches around each of them. The model that
predicts never sees it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.geometry.density import target_density
from equiwarp.geometry.transport import CHUNK, Grid, Places, Transport
from equiwarp.gp.fast.growing import begins_with


class Warp(ABC):
    """Where points of the domain lie in the acquisition geometry."""

    @abstractmethod
    def __call__(self, x: Array) -> Array:
        """Kernel coordinates ``(n, e)`` of the images of points ``(n, columns)``."""

    @abstractmethod
    def stretch(self, x: Array) -> Array:
        """How much lengths grow around each point, ``(n,)``: the volume stretch to the power 1/D."""

    def stretch_at(self, x: Array, i: int) -> float:
        """The same around one of the points ``(n, columns)``."""
        return float(self.stretch(x[i : i + 1])[0])

    def foreseen(self, rows: list[int]) -> Placed | None:
        """What the next round need not look up, if these rows of the pool are measured."""
        return None


@dataclass(frozen=True)
class Identity(Warp):
    """No warp: the kernel's own coordinates."""

    domain: Domain

    def __call__(self, x: Array) -> Array:
        return self.domain.embed(x)

    def stretch(self, x: Array) -> Array:
        return np.ones(len(x))


@dataclass(frozen=True)
class Placed:
    """Points ``(n, columns)`` of a domain, and where they fall in the transport's tables."""

    x: Array
    places: Places

    @classmethod
    def of(cls, domain: Domain, x: Array, known: Placed | None = None) -> Placed:
        """Look the points up, unless they are the first of those that are known."""
        if known is not None and begins_with(known.x, x):
            return cls(x, known.places[: len(x)])
        return cls(x, Places.of(domain.to_cube(x)))

    def beside(self, more: Placed, rows: list[int]) -> Placed:
        """These points and some rows of others."""
        return Placed(np.concatenate([self.x, more.x[rows]]), self.places.beside(more.places[rows]))


@dataclass(frozen=True)
class Lattice:
    """Where the probes and the pool of a run fall in the transport's tables, if its chart stays put."""

    domain: Domain
    probes: Array
    pool: Array

    @cached_property
    def grid(self) -> Grid:
        return Grid.of(self.domain.to_cube(self.probes))

    @cached_property
    def placed(self) -> Placed | None:
        """The pool, unless it is too long to be held with its places."""
        return Placed.of(self.domain, self.pool) if len(self.pool) <= CHUNK else None


@dataclass(frozen=True)
class ReconstructionWarp(Warp):
    """The Knothe-Rosenblatt map of the reconstruction density, acting in the domain's chart.

    On a sphere the chart's pole is the density-weighted mean direction of the probes, so that a
    density symmetric about an axis gives the paper's map of the colatitude. Do not use it when the
    mean is not yet to be trusted anywhere: it then follows noise, though never beyond what the
    uniform component allows.
    """

    domain: Domain
    transport: Transport
    pole: Array | None
    pool: Placed | None = None
    measured: Placed | None = None

    @classmethod
    def of(
        cls, domain: Domain, probes: Array, gradient_norm: Array, lattice: Lattice | None = None
    ) -> ReconstructionWarp:
        """From gradient norms of the posterior mean ``(q,)`` at probes ``(q, columns)``.

        A lattice of the same probes saves sorting them, and its pool, into the tables again.
        """
        density = target_density(gradient_norm, domain.dim)
        pole = domain.pole(probes, density)
        if pole is None and lattice is not None:
            return cls(domain, lattice.grid.transport(density), None, lattice.placed)
        return cls(domain, Transport.of(domain.to_cube(probes, pole), density), pole)

    def __call__(self, x: Array) -> Array:
        known = self._known(x)
        image = self.transport.at(known) if known else self.transport(self.domain.to_cube(x, self.pole))
        return self.domain.embed_cube(image, self.pole)

    def stretch(self, x: Array) -> Array:
        volume = self.transport.stretch(Places.of(self.domain.to_cube(x, self.pole)))
        return volume ** (1.0 / self.domain.dim)

    def stretch_at(self, x: Array, i: int) -> float:
        known = self._known(x)
        if known is None:
            return super().stretch_at(x, i)
        return float(self.transport.stretch(known[i : i + 1])[0] ** (1.0 / self.domain.dim))

    def knowing(self, x: Array, known: Placed | None) -> ReconstructionWarp:
        """The same warp, which has looked up these measured points or finds them among the known ones."""
        if self.pool is None or len(x) > CHUNK:
            return self
        return replace(self, measured=Placed.of(self.domain, x, known))

    def foreseen(self, rows: list[int]) -> Placed | None:
        if self.pool is None or self.measured is None:
            return None
        return self.measured.beside(self.pool, rows)

    def _known(self, x: Array) -> Places | None:
        """Places that were looked up before."""
        if self.pool is not None and x is self.pool.x:
            return self.pool.places
        if self.measured is not None and np.array_equal(x, self.measured.x):
            return self.measured.places
        return None
