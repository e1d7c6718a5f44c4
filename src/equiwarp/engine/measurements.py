"""``Measurements``: what has been measured so far and handed out, and how it reaches the acquisition GP."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array, Domain
from equiwarp.engine.naming import name_responses, read_named_noise
from equiwarp.engine.reading import named_columns, read_points, read_values
from equiwarp.exceptions import InvalidInput
from equiwarp.gp.noise import DEFAULT_SHARE, estimate_noise

#: Values below this have lost digits, or would in the next product: they count as zero.
SMALLEST_LEVEL = float(np.finfo(float).tiny / np.finfo(float).eps)
#: Larger ones may have no sum. Squares are never taken of them, but of their standardised values.
LARGEST_VALUE = 1e304


@dataclass(frozen=True)
class Measurements:
    """Locations, values and noise of the measurements, and the pending locations.

    Attributes
    ----------
    domain : Domain
    x : (n, columns) array
        Measured locations, in the domain's units.
    y : (n, k) array
        Measured values of k responses.
    noise : (n, k) array or None
        Standard deviation of each value in the units of y; None where it is unknown.
    pending : (p, columns) array
        Locations handed out and not yet measured.
    failed : (f, columns) array or None
        Locations of experiments that did not work; None if there are none.
    avoided : (a, columns) array or None
        Those of them that must not be repeated yet; None if there are none.
    """

    domain: Domain
    x: Array
    y: Array
    noise: Array | None
    pending: Array
    failed: Array | None = None
    avoided: Array | None = None

    @classmethod
    def of(
        cls, domain: Domain, x: Any, y: Any, noise: Any = None, pending: Any = None, failed: Any = None
    ) -> Measurements:
        """Read user input; see :mod:`equiwarp.engine.reading`."""
        points = read_points(domain, x, "x")
        values = read_values(y, len(points), largest=LARGEST_VALUE)
        waiting = (
            np.empty((0, points.shape[1])) if pending is None else read_points(domain, pending, "pending")
        )
        lost = None if failed is None else read_points(domain, failed, "failed")
        return cls(domain, points, values, noise_beside(y, values, noise), waiting, lost)

    @property
    def n(self) -> int:
        """Number of measurements."""
        return len(self.x)

    @cached_property
    def locations(self) -> Array:
        """Measured and pending locations, ``(N, columns)``."""
        return np.concatenate([self.x, self.pending])

    @cached_property
    def spoken_for(self) -> Array:
        """Locations that are not to be chosen, ``(N + a, columns)``."""
        return self.locations if self.avoided is None else np.concatenate([self.locations, self.avoided])

    def standardise(self, lengthscale: float, response_scale: Array | None = None) -> Standardised:
        """Centre and scale each response. A constant one is exactly zero: its unit says nothing of its noise.

        ``response_scale`` (k,) fixes the scales; None takes the sample's deviations. Unknown noise is
        estimated, on the grounds that points closer than the ``lengthscale`` should have similar values.
        """
        n, k = self.y.shape
        level = np.abs(self.y).max(axis=0, initial=0.0)
        level = np.where(level > 0, level, 1.0)
        unit = self.y / level  # before anything is squared: values of 1e200 are no reason to fail
        mean, spread = (unit.mean(axis=0), unit.std(axis=0)) if n else (np.zeros(k), np.zeros(k))
        # Less is rounding, and no variation at all; so is all that happens among numbers this small.
        varies = (spread > 1e-12) & (level > SMALLEST_LEVEL)
        scale = np.where(varies, spread * level, 1.0)
        if response_scale is not None:
            scale = np.where(response_scale > 1e-12 * level, response_scale, 1.0)
        y = np.where(varies, (unit - mean) * (level / scale), 0.0)
        scaled = varies if response_scale is None else varies | (response_scale > 1e-12 * level)
        if self.noise is not None:
            each_var = np.where(scaled, (self.noise / scale) ** 2, DEFAULT_SHARE**2)
        else:
            Z = self.domain.embed(self.x)
            shares = [estimate_noise(Z, y[:, j], lengthscale) for j in range(k)] if n else [DEFAULT_SHARE] * k
            each_var = np.tile(np.square(shares), (n, 1))
        return Standardised.of(y, each_var, scaled, scale, mean * level, estimated=self.noise is None)


@dataclass(frozen=True)
class Standardised:
    """Values as the acquisition GP sees them.

    Attributes
    ----------
    y : (n, k) array
        Centred by the mean, divided by the response's scale.
    varying : (n, v) array
        The responses that vary; all where none does. The others have nothing to say.
    each_noise_var, typical_noises : (n, k) and (k,) arrays
        Squared noise of each value, on that scale, and the noise deviation of a measurement yet to be made.
    noise_var : (n,) array
        Mean of the squared noise over the responses that have a scale; over all if none has.
    typical_noise : float
        Noise deviation of a measurement yet to be made, whatever the response.
    scale : (k,) array
        What each response was divided by.
    center : (k,) array
        What was taken off each response before.
    estimated : bool
        Whether the noise was estimated rather than given.
    """

    y: Array
    varying: Array
    each_noise_var: Array
    typical_noises: Array
    noise_var: Array
    typical_noise: float
    scale: Array
    center: Array
    estimated: bool

    @classmethod
    def of(
        cls,
        y: Array,
        each_noise_var: Array,
        scaled: NDArray[np.bool_],
        scale: Array,
        center: Array,
        *,
        estimated: bool,
    ) -> Standardised:
        """From standardised values; ``scaled`` ``(k,)`` are the responses whose noise says something."""
        noise_var = np.mean(each_noise_var[:, scaled] if scaled.any() else each_noise_var, axis=1)
        typical = np.array([_typical(column) for column in each_noise_var.T])
        varies = y.any(axis=0)
        varying = y[:, varies] if varies.any() and not varies.all() else y
        return cls(
            y, varying, each_noise_var, typical, noise_var, _typical(noise_var), scale, center, estimated
        )


def noise_beside(y: Any, values: Array, noise: Any) -> Array | None:
    """Noise of the values ``(n, k)`` that were read from ``y``: of all responses, or of none."""
    names = name_responses(None, y, values.shape[1])[0]
    known = read_named_noise(noise, values, names, LARGEST_VALUE, named_columns(y) is None)
    if known is not None and np.isnan(known).any():
        raise InvalidInput(
            "noise is given for some of the responses; give it for all, or None to estimate it"
        )
    return known


def _typical(noise_var: Array) -> float:
    """The root of the median of variances ``(n,)``."""
    n = len(noise_var)
    ordered = np.sort(noise_var)  # NumPy's median takes longer than any other step here
    return float(np.sqrt((ordered[(n - 1) // 2] + ordered[n // 2]) / 2)) if n else DEFAULT_SHARE
