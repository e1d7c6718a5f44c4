"""A warp: a bijection of the domain that the acquisition kernel looks through.

``k_T(x, x') = k(T(x), T(x'))``, the paper's eq:warped_kernel. A warp takes points to the kernel
coordinates of their images, and says how much it stretches around each of them. The model that
predicts never sees it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.geometry.transport import Histograms, Interpolation, Transport, most_interpolated


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


@dataclass(frozen=True)
class Identity(Warp):
    """No warp: the kernel's own coordinates."""

    domain: Domain

    def __call__(self, x: Array) -> Array:
        return self.domain.embed(x)

    def stretch(self, x: Array) -> Array:
        return np.ones(len(x))


@dataclass(frozen=True)
class WarpGrid:
    """Where the probes and the pool of a run fall in the transport's tables, for a chart that stays put."""

    domain: Domain
    probes: Array
    pool: Array

    @cached_property
    def histograms(self) -> Histograms:
        """Bins of the probes."""
        return Histograms.of(self.domain.to_cube(self.probes), self.domain.chart_axes)

    @cached_property
    def interpolation(self) -> Interpolation | None:
        """How to interpolate at the pool; None if the pool is too long to keep that in memory."""
        if len(self.pool) > most_interpolated(self.domain.chart_axes):
            return None
        return Interpolation.of(self.domain.to_cube(self.pool), self.domain.chart_axes)


@dataclass(frozen=True)
class ReconstructionWarp(Warp):
    """The Knothe-Rosenblatt map of the reconstruction density, acting in the domain's chart.

    On a sphere the chart's pole is the density-weighted mean direction of the probes and its meridian follows
    from the density, too: turned data give the turned map, and a density symmetric about an axis gives the
    paper's map of the colatitude. Do not use it when the
    mean is not yet to be trusted anywhere: it then follows noise, though never beyond what the
    uniform component allows.
    """

    domain: Domain
    transport: Transport
    frame: Array | None
    grid: WarpGrid | None = None

    @classmethod
    def of(
        cls, domain: Domain, probes: Array, density: Array, grid: WarpGrid | None = None
    ) -> ReconstructionWarp:
        """The map of a positive density ``(q,)`` at probes ``(q, columns)``.

        A grid of the same probes saves sorting them, and its pool, into the tables again.
        """
        frame = domain.frame(probes, density)
        if frame is None and grid is not None:
            return cls(domain, grid.histograms.transport(density), None, grid)
        transport = Transport.of(domain.to_cube(probes, frame), density, domain.chart_axes)
        return cls(domain, transport, frame)

    def __call__(self, x: Array) -> Array:
        known = self._known(x)
        image = self.transport.at(known) if known else self.transport(self.domain.to_cube(x, self.frame))
        return self.domain.embed_cube(image, self.frame)

    def stretch(self, x: Array) -> Array:
        u = self.domain.to_cube(x, self.frame)
        return self._lengths(self.transport.stretch(Interpolation.of(u, self.domain.chart_axes)))

    def stretch_at(self, x: Array, i: int) -> float:
        known = self._known(x)
        if known is None:
            return super().stretch_at(x, i)
        return float(self._lengths(self.transport.stretch(known[i : i + 1]))[0])

    def _lengths(self, volume: Array) -> Array:
        """The stretch of lengths, given that of volumes: categories have none."""
        return volume ** (1.0 / max(self.domain.continuous, 1))

    def _known(self, x: Array) -> Interpolation | None:
        """The interpolation at points ``(n, columns)`` if they are the grid's pool."""
        return self.grid.interpolation if self.grid and x is self.grid.pool else None
