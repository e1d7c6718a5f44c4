"""How wrong a map is expected to be, and how sure that is.

The model's own answer is the root mean square of its deviation over the domain. Each value, predicted without
itself, tells whether that is too much or too little, once the noise of the value is allowed for: what a
prediction misses should have the variance ``c^2 f^2 + noise^2``, f being the deviation that the model
expects of the function there. The correction c is estimated from all values, by Bayes' rule. A value counts
by the part of the domain that lies nearest to it, because measurements crowd where the function is hardest.
A model that was fitted to few values is too sure of itself, and so are its residuals: they are enlarged
accordingly. The constants were chosen on random functions and the smooth boxes (``equiwarp bench study
error``); ``equiwarp bench study map`` confirms them on others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.domains import Array
from equiwarp.domains.base import place_of

if TYPE_CHECKING:
    from equiwarp.models.base import MapModel

#: Points over which the error is averaged.
ERROR_POINTS = 2048
#: Fewer residuals than this say little about calibration.
ENOUGH_RESIDUALS = 5
#: Corrections that are considered, as logarithms.
LOG_GRID = np.linspace(-3.0, 1.5, 91)
#: Spread of the logarithm of error over estimate: what stays with many values, and its square times n
#: with few.
LASTING_SPREAD, SPREAD_OF_FEW = 0.3, 2.5
#: The interval is this many spreads wide to each side.
INTERVAL_SPREADS = 1.2816


@dataclass(frozen=True)
class CorrectionPrior:
    """What is believed of the correction before a residual is seen.

    The numbers lean to the safe side: on random functions the estimate is 7 to 12 % too large in the mean,
    and below 0.7 of the truth in about one case of twenty (``equiwarp bench study error``).

    Attributes
    ----------
    expected, amid_noise : float
        Where the logarithm of the correction is expected: if what predictions miss is the function, and if
        it is the noise. Maps that are far more exact than a measurement are better than they say.
    spread : float
        Standard deviation of that logarithm.
    freedom : float
        How many values' worth of freedom a fit takes up per dimension.
    """

    expected: float = 0.2
    amid_noise: float = -0.2
    spread: float = 0.25
    freedom: float = 10.0

    def log_density(self, of_function: float) -> Array:
        """Up to a constant, on :data:`LOG_GRID`, where the function has this share in what is missed."""
        center = self.amid_noise + (self.expected - self.amid_noise) * of_function
        return np.asarray(-0.5 * ((LOG_GRID - center) / self.spread) ** 2)


CORRECTION_PRIOR = CorrectionPrior()


@dataclass(frozen=True)
class ErrorEstimate:
    """How wrong the map of one response is expected to be. :meth:`equiwarp.Map.error` makes it.

    All but ``correction`` are in the units of the response.

    Attributes
    ----------
    value : float
        The expected error, root mean square over the domain: ``model`` times ``correction``. With an aim,
        places count by their weight.
    low, high : float
        The true error lies between them in about four cases of five.
    model : float
        The error that the model itself expects.
    correction : float
        Above 1 if measurements that were left out in turn were predicted worse than the model expected,
        below 1 if they were predicted better. Few measurements leave it above 1.
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


def correction_of(model: MapModel, Z: Array, noise: Array | None, everywhere: Array, dim: int) -> float:
    """By how much the deviation of one response's model is to be multiplied; NaN without a measurement.

    Parameters
    ----------
    model : MapModel
    Z : (n, e) array
        Kernel coordinates of its measurements.
    noise : (n,) array or None
        Their standard deviations; None takes the model's estimate.
    everywhere : (m, e) array
        Kernel coordinates of points spread over the domain.
    dim : int
        Dimension of the domain.
    """
    if not len(Z):
        return math.nan
    residual, expected = model.leave_one_out()
    each = np.full(len(Z), float(model.noise_)) if noise is None else noise
    share, which = shares(Z, everywhere), place_of(Z)
    if count_places(Z) == len(Z):
        return correction(residual, expected, each, share, dim)
    # The values of one place left together and miss together: they say as much as one.
    count = np.bincount(which)
    missed, of_noise = (
        np.sqrt(np.bincount(which, (part / expected) ** 2) / count) for part in (residual, each)
    )
    together: Array = np.bincount(which, share).astype(float)
    return correction(missed, np.ones(len(count)), of_noise, together, dim)


def estimate_error(model: MapModel, places: int, factor: float, judged: Array) -> ErrorEstimate:
    """The error of one response over ``judged`` ``(m, e)``, from values at so many places.

    ``factor`` is the correction of its model.
    """
    if not places:
        return ErrorEstimate(*(math.nan,) * 7)
    deviation = model.predict(judged, return_std=True)[1]
    own = root_mean_square(deviation)
    value, spread = own * factor, math.exp(INTERVAL_SPREADS * log_spread(places))
    missed = root_mean_square(model.leave_one_out()[0])
    return ErrorEstimate(value, value / spread, value * spread, own, factor, missed, float(model.noise_))


def root_mean_square(values: Array) -> float:
    """Of any size: the square of a very small number has no room."""
    unit = float(np.ldexp(0.5, np.frexp(np.abs(values).max())[1]))  # a power of two rounds nothing
    return unit * float(np.sqrt(np.mean((values / unit) ** 2)))


def correction(
    residual: Array,
    expected: Array,
    noise: Array,
    share: Array,
    dim: int,
    prior: CorrectionPrior = CORRECTION_PRIOR,
) -> float:
    """By how much a model's deviation is to be multiplied.

    Parameters
    ----------
    residual, expected : (n,) arrays
        What predictions without each value missed, and the deviation that the model expected of that.
    noise : (n,) array
        Standard deviation of each value.
    share : (n,) array
        How much of the domain each value stands for.
    dim : int
        Dimension of the domain.
    prior : CorrectionPrior
    """
    n = len(residual)
    if n < ENOUGH_RESIDUALS:
        log_posterior = prior.log_density(of_function=1.0)
    else:
        # In units of what was expected: squares of very small and very large values have no room.
        missed = (residual / expected) ** 2 * (1.0 + prior.freedom * dim / n)
        of_noise = np.minimum((noise / expected) ** 2, 1.0)
        of_function = np.maximum(1.0 - of_noise, 1e-9)
        variance = np.exp(2.0 * LOG_GRID)[:, None] * of_function + np.maximum(of_noise, 1e-9)
        weight = share * share.sum() / np.sum(share**2)  # they count for as many values as they are worth
        log_prior = prior.log_density(float(np.average(of_function, weights=share)))
        log_posterior = log_prior - 0.5 * ((missed / variance + np.log(variance)) @ weight)
    likely = np.exp(log_posterior - log_posterior.max())
    return float(np.sqrt(np.average(np.exp(2.0 * LOG_GRID), weights=likely)))


def shares(Z: Array, everywhere: Array) -> Array:
    """The share ``(n,)`` of points ``(m, e)`` everywhere that lie nearest to each measured one ``(n, e)``.

    Measurements at one place share alike.
    """
    from scipy.spatial import cKDTree

    which = place_of(Z)
    places, count = np.empty((which.max() + 1, Z.shape[1])), np.bincount(which)
    places[which] = np.round(Z, 9)
    nearest = np.bincount(cKDTree(places).query(everywhere)[1], minlength=len(places))
    return np.asarray((nearest / count)[which] / len(everywhere))


def count_places(Z: Array) -> int:
    """How many places there are among measured points ``(n, e)``."""
    return int(place_of(Z).max()) + 1 if len(Z) else 0


def log_spread(n: int) -> float:
    """Standard deviation of the logarithm of the true error over its estimate from values at n places."""
    return math.sqrt(LASTING_SPREAD**2 + SPREAD_OF_FEW / n)
