"""How wrong a map is expected to be.

The model's own answer is the root mean square of its predictive deviation over the domain. It is
checked against leave-one-out residuals and enlarged when those say that it is too confident.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.domains import Array

if TYPE_CHECKING:
    from equiwarp.models.base import MapModel

#: Points over which the error is averaged.
ERROR_POINTS = 2048
#: Fewer residuals than this say little about calibration.
ENOUGH_RESIDUALS = 5


@dataclass(frozen=True)
class ErrorEstimate:
    """How wrong the map of one response is expected to be. :meth:`equiwarp.Map.error` makes it.

    All but ``correction`` are in the units of the response.

    Attributes
    ----------
    value : float
        The expected error, root mean square over the domain: ``model`` times ``correction``.
    model : float
        The error that the model itself expects.
    correction : float
        A factor of at least 1. It is above 1 if measurements that were left out in turn were predicted
        worse than the model expected.
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
    >>> error.noise
    0.01
    """

    value: float
    model: float
    correction: float
    leave_one_out: float
    noise: float


def estimate_error(model: MapModel, Z: Array) -> ErrorEstimate:
    """The error of one response, averaged over kernel coordinates ``(m, e)`` spread over the domain."""
    deviation = model.predict(Z, return_std=True)[1]
    own = float(np.sqrt(np.mean(deviation**2)))
    residual, expected = model.leave_one_out()
    ratio = float(np.sqrt(np.mean((residual / expected) ** 2)))
    correction = max(1.0, ratio) if len(residual) >= ENOUGH_RESIDUALS else 1.0
    missed = float(np.sqrt(np.mean(residual**2)))
    return ErrorEstimate(own * correction, own, correction, missed, float(model.noise_))
