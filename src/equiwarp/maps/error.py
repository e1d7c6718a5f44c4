"""How wrong a map is expected to be, and how sure that is.

The model's own answer is the root mean square of its deviation over the domain. Each value, predicted without
itself, tells whether that is too much or too little: a value counts by the part of the domain that lies nearest
to it, because measurements crowd where the function is hardest. Few values say little about it, and
a model that was fitted to few values is rather too sure than not: so the correction starts above 1 and follows
the values as they come. Its constants were chosen on random functions (``equiwarp bench study map``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import cKDTree

from equiwarp.domains import Array

if TYPE_CHECKING:
    from equiwarp.models.base import MapModel

#: Points over which the error is averaged.
ERROR_POINTS = 2048
#: Fewer residuals than this say little about calibration.
ENOUGH_RESIDUALS = 5
#: How many values per dimension what was expected beforehand is worth.
VALUES_BEFOREHAND = 10
#: The logarithm of the correction that is expected beforehand.
CAUTION = 0.3
#: Spread of the logarithm of error over estimate: what stays with many values, and its square times n with few.
LASTING_SPREAD, SPREAD_OF_FEW = 0.17, 1.5
#: The interval is this many spreads wide to each side: it holds the true error in four cases of five.
INTERVAL_SPREADS = 1.2816


@dataclass(frozen=True)
class ErrorEstimate:
    """How wrong the map of one response is expected to be. :meth:`equiwarp.Map.error` makes it.

    All but ``correction`` are in the units of the response.

    Attributes
    ----------
    value : float
        The expected error, root mean square over the domain: ``model`` times ``correction``.
    low, high : float
        The true error lies between them in about four cases of five.
    model : float
        The error that the model itself expects.
    correction : float
        Above 1 if measurements that were left out in turn were predicted worse than the model expected, below 1
        if they were predicted better; above 1 also while there are few.
    leave_one_out : float
        Root mean square of what those predictions missed, noise included.
    noise : float
        Standard deviation of one measurement that the model uses. The map can be better than that.

    Examples
    --------
    >>> import equiwarp as ew
    >>> m = ew.build_map(ew.Box.unit(1), [[0.1], [0.5], [0.9]], [0.0, 1.0, 0.2], noise=0.01)
    >>> (error,) = m.error()
    >>> error.value == error.model * error.correction
    True
    >>> error.low < error.value < error.high
    True
    >>> error.noise
    0.01
    """

    value: float
    low: float
    high: float
    model: float
    correction: float
    leave_one_out: float
    noise: float


def estimate_error(model: MapModel, Z: Array, everywhere: Array, dim: int) -> ErrorEstimate:
    """The error of one response.

    ``Z`` ``(n, e)`` are the kernel coordinates of its measurements, ``everywhere`` ``(m, e)`` such of points
    spread over the domain, ``dim`` is the domain's dimension.
    """
    deviation = model.predict(everywhere, return_std=True)[1]
    own = float(np.sqrt(np.mean(deviation**2)))
    residual, expected = model.leave_one_out()
    factor = correction(residual / expected, shares(Z, everywhere), dim)
    value, spread = own * factor, math.exp(INTERVAL_SPREADS * log_spread(len(Z)))
    missed = float(np.sqrt(np.mean(residual**2)))
    return ErrorEstimate(value, value / spread, value * spread, own, factor, missed, float(model.noise_))


def correction(z: Array, share: Array, dim: int) -> float:
    """By how much a model's deviation is to be multiplied.

    Parameters
    ----------
    z : (n,) array
        What predictions without each value missed, over what the model expected them to miss.
    share : (n,) array
        How much of the domain each value stands for.
    dim : int
        Dimension of the domain.
    """
    n, beforehand = len(z), VALUES_BEFOREHAND * dim
    if n < ENOUGH_RESIDUALS:
        return math.exp(CAUTION)
    seen = 0.5 * math.log(max(float(np.average(z**2, weights=share)), 1e-12))
    return math.exp((n * seen + beforehand * CAUTION) / (n + beforehand))


def shares(Z: Array, everywhere: Array) -> Array:
    """The share ``(n,)`` of points ``(m, e)`` everywhere that lie nearest to each measured one ``(n, e)``.

    Measurements at one place share alike.
    """
    places, which, count = np.unique(np.round(Z, 9), axis=0, return_inverse=True, return_counts=True)
    nearest = np.bincount(cKDTree(places).query(everywhere)[1], minlength=len(places))
    return np.asarray((nearest / count)[which.ravel()] / len(everywhere))


def log_spread(n: int) -> float:
    """Standard deviation of the logarithm of the true error over its estimate from n values."""
    return math.sqrt(LASTING_SPREAD**2 + SPREAD_OF_FEW / n)
