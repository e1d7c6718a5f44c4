"""Noise that repeated measurements refute: values of one place that differ by more than their stated noise.

A model that has to pass through two different values of one place is lost: its error grows to many times the
spread of the values. So stated noise counts only as far as repeats bear it out. Where a chi-square test
rejects it clearly, it is raised to what they show: everywhere if that is the rule among them, otherwise where
one place differs from all others. A map whose repeats agree with the noise is left as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.magnitude import unit_of
from equiwarp.domains import Array
from equiwarp.domains.base import place_of
from equiwarp.models.fitting import SMALLEST_NOISE_VAR

#: Probability below which repeated measurements refute the noise.
UNLIKELY = 1e-3
#: Factor by which their scatter must differ from the noise to be worth a word.
FACTOR = 2.0
#: Equal values differ by no more than this share of their size.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Repeats:
    """The values of places that were measured more than once, against their noise.

    Attributes
    ----------
    rows : (r,) array of int
        Which values they are, in order.
    place : (r,) array of int
        The place of each, from 0.
    squares, freedom : (p,) arrays
        The sum of squares of the values about the mean of their place, and how many are free: one fewer.
    relative : (p,) array
        The sum of the same squares in units of the noise variance.
    """

    rows: NDArray[np.intp]
    place: NDArray[np.intp]
    squares: Array
    freedom: Array
    relative: Array

    @classmethod
    def of(cls, Z: Array, y: Array, noise: Array) -> Repeats:
        """Among values ``(n,)`` at kernel coordinates ``(n, e)``, with their noise ``(n,)``.

        Less noise than a fit can use counts as that much.
        """
        if not len(y):
            return cls(*(np.zeros(0, dtype=np.intp),) * 2, *(np.zeros(0),) * 3)
        where = place_of(Z)
        rows = np.flatnonzero(np.bincount(where)[where] > 1)
        place = np.unique(where[rows], return_inverse=True)[1].ravel()
        times = np.bincount(place)
        least = max(float(np.sqrt(SMALLEST_NOISE_VAR) * y.std()), ROUNDING * float(np.abs(y).max()), 1e-300)
        used = np.maximum(noise[rows], least)
        away = y[rows] - (np.bincount(place, y[rows]) / times)[place]
        squares, relative = (np.bincount(place, part**2).astype(float) for part in (away, away / used))
        return cls(rows, place, squares, times.astype(float) - 1.0, relative)

    @property
    def scatter(self) -> float:
        """Standard deviation of a measurement, by all places together."""
        return float(np.sqrt(self.squares.sum() / self.freedom.sum()))

    @property
    def excess(self) -> float:
        """How many times as large as the noise that is."""
        return float(np.sqrt(self.relative.sum() / self.freedom.sum()))

    @property
    def probability(self) -> float:
        """How likely so large, or so small, a scatter is if the noise is right; of both sides."""
        from scipy.stats import chi2

        ratio, freedom = self.relative.sum(), self.freedom.sum()
        return float(2 * min(chi2.sf(ratio, freedom), chi2.cdf(ratio, freedom)))

    @property
    def refute(self) -> bool:
        """Whether they scatter by clearly more than the noise allows."""
        return bool(len(self.rows)) and self.excess >= FACTOR and self.probability < UNLIKELY

    def without(self, place: int) -> Repeats:
        """All but those of one place."""
        other, kept = np.arange(len(self.freedom)) != place, self.place != place
        where = self.place[kept] - (self.place[kept] > place)
        return Repeats(self.rows[kept], where, self.squares[other], self.freedom[other], self.relative[other])

    def usual(self) -> Repeats:
        """Without the place that scatters most, if it scatters by far more than the others together."""
        from scipy.stats import f

        if len(self.freedom) < 2:
            return self
        odd = int(np.argmax(self.relative / self.freedom))
        rest = self.without(odd)
        times = (self.relative[odd] / self.freedom[odd]) / max(rest.excess**2, 1.0)
        apart = f.sf(times, self.freedom[odd], rest.freedom.sum()) < UNLIKELY
        return rest if apart else self


def credible_noise(Z: Array, y: Array, noise: Array) -> Array:
    """Stated noise ``(n,)``, raised where repeats refute it; the same array where they do not.

    ``y`` ``(n,)`` are the values at kernel coordinates ``(n, e)``.
    """
    if len(y) < 2:
        return noise
    unit = unit_of(y, noise)
    repeats = Repeats.of(Z, y / unit, noise / unit)
    return unit * _raised(Z, y / unit, noise / unit, repeats) if repeats.refute else noise


def credible_noise_beside(Z: Array, y: Array, noise: Array, stated: Array) -> Array:
    """Stated noise ``(m,)`` of further values, raised as is usual if repeats among ``y`` refute it."""
    if len(y) < 2:
        return stated
    unit = unit_of(y, noise)
    repeats = Repeats.of(Z, y / unit, noise / unit)
    usual = repeats.usual() if repeats.refute else repeats
    return unit * _raised_everywhere(stated / unit, usual) if usual.refute else stated


def _raised(Z: Array, y: Array, noise: Array, repeats: Repeats) -> Array:
    """Noise ``(n,)`` that the repeats bear out: as is usual among them, and at odd places as they show."""
    usual = repeats.usual()
    raised = _raised_everywhere(noise, usual) if usual.refute else noise.copy()
    left = Repeats.of(Z, y, raised)
    own = np.sqrt(left.squares / left.freedom)[left.place]
    odd = _far_off(left)[left.place]
    rows = left.rows[odd]
    raised[rows] = np.maximum(raised[rows], own[odd])
    return raised


def _raised_everywhere(noise: Array, repeats: Repeats) -> Array:
    """At least the scatter of the repeats, but no value's noise by a larger factor than they show."""
    most = np.full(len(noise), repeats.scatter)
    stated = noise > 0
    most[stated] = np.minimum(most[stated], repeats.excess * noise[stated])
    return np.maximum(noise, most)


def _far_off(repeats: Repeats) -> NDArray[np.bool_]:
    """Which places ``(p,)`` alone refute the noise; with many, one of them may by chance."""
    from scipy.stats import chi2

    return np.asarray(
        chi2.sf(repeats.relative, repeats.freedom) * len(repeats.freedom) < UNLIKELY, dtype=bool
    )
