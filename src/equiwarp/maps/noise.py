"""What is known of the noise before a map is fitted, and what it takes the noise to be afterwards.

Nobody may have stated the noise of a response, and some of its values may be detection limits, which are
wider than the others. How wide is known of those rows alone: the noise of all is fitted to the plain ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.engine.naming import read_named_noise
from equiwarp.gp.noise import DEFAULT_SHARE
from equiwarp.gp.posterior import RowNumbers
from equiwarp.maps.error import count_places
from equiwarp.models import MapModel
from equiwarp.models.average import Average
from equiwarp.models.base import FitResult
from equiwarp.models.repeats import credible_noise


@dataclass(frozen=True)
class KnownNoise:
    """Of n values of k responses.

    Attributes
    ----------
    stated : (n, k) array or None
        Standard deviations; NaN in the columns of which nobody stated any, None if nobody did at all.
    width : (n, k) array or None
        By how much more a value may be off because it is a detection limit: 0 of others, None without any.
    """

    stated: Array | None
    width: Array | None = None

    @classmethod
    def read(cls, noise: Any, y: Array, names: tuple[str, ...], named: bool) -> KnownNoise:
        """From what was given beside values ``(n, k)`` of responses; ``named`` if somebody named these."""
        if isinstance(noise, KnownNoise):
            return noise
        stated = read_named_noise(noise, y, names, unnamed=not named)
        return cls(None if stated is None or np.isnan(stated).all() else stated)

    def at(self, rows: RowNumbers) -> KnownNoise:
        """Of some of the values."""
        return KnownNoise(*(None if part is None else part[rows] for part in (self.stated, self.width)))

    def of(self, j: int, rows: RowNumbers | NDArray[np.bool_]) -> tuple[Array | None, Array | None]:
        """Stated noise and width ``(r,)`` of one response; None where there is none."""
        stated = None if self.stated is None else self.stated[rows, j]
        width = None if self.width is None else self.width[rows, j]
        return (
            None if stated is None or np.isnan(stated).any() else stated,
            None if width is None or not width.any() else width,
        )

    def same(self, other: KnownNoise) -> bool:
        """Whether just the same is known."""
        pairs = (self.stated, other.stated), (self.width, other.width)
        return all(
            a is b if a is None or b is None else np.array_equal(a, b, equal_nan=True) for a, b in pairs
        )


#: Fits a model to some rows with their noise (None estimates it), from an earlier fit.
Fitting = Callable[[RowNumbers | slice, Array | None, FitResult], Average]


def fit_with_limits(fit: Fitting, stated: Array | None, width: Array | None, earlier: FitResult) -> Average:
    """Fit one response of which some values may be limits; ``stated`` and ``width`` are ``(n,)`` or None.

    ``fit`` is given all rows at once, unless the noise of those that are no limits has to be found first.
    """
    every = slice(None)
    if width is None:
        return fit(every, stated, earlier)
    if stated is not None:
        model = fit(every, np.hypot(stated, width), earlier)
        model.noise_ = float(np.sqrt(np.median(stated**2)))  # of a measurement: most rows may be limits
        return model
    plain = np.flatnonzero(width == 0)
    if not len(plain):
        return fit(every, width, earlier)
    first = fit(plain, None, earlier)
    model = fit(every, np.hypot(first.noise_, width), first.hyperparameters_)
    model.noise_ = first.noise_
    return model


def borne_out(Z: Array, y: Array, stated: Array, width: Array | None) -> Array:
    """Stated noise ``(n,)`` of values at kernel coordinates ``(n, e)``, as far as repeats bear it out."""
    if count_places(Z) == len(Z):
        return stated
    if width is None:
        return credible_noise(Z, y, stated)
    whole = credible_noise(Z, y, np.hypot(stated, width))
    return np.maximum(stated, np.sqrt(np.maximum(whole**2 - width**2, 0.0)))


def assumed_noise(model: MapModel, stated: Array | None, width: Array | None) -> Array | None:
    """Deviations ``(n,)`` that the values of a fitted response are taken to have; None: the model's."""
    if width is None:
        return stated
    return np.hypot(model.noise_ if stated is None else stated, width)


def usual_noise(model: MapModel) -> float:
    """The model's noise, or a small one if there is none because nothing was measured."""
    return model.noise_ if np.isfinite(model.noise_) else DEFAULT_SHARE
