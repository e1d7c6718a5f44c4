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
    """How wrong the map of one response is expected to be, root mean square over the domain.

    Attributes
    ----------
    value : float
        The error in the units of the response: ``model`` times ``correction``.
    model : float
        What the model itself says.
    correction : float
        At least 1; above it, leave-one-out residuals were larger than the model expected.
    leave_one_out : float
        Root mean square of those residuals, noise included.
    noise : float
        Deviation of the noise that the model uses; the map can be better than one measurement.
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
