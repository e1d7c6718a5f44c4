"""``Prediction``: what a map says at some points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equiwarp.domains import Array
from equiwarp.exceptions import InvalidInput

#: Degrees of freedom of the t distribution of what a map misses, in units of its deviation: how large the
#: deviation should be is itself not known, so small and very large misses are more frequent than a normal
#: distribution has them. Chosen on random functions (``equiwarp bench study error``).
FREEDOM = 5


@dataclass(frozen=True)
class Prediction:
    """What a map predicts at n points for k responses. :meth:`equiwarp.Map.predict` makes it.

    Attributes
    ----------
    mean : (n, k) array
        The predicted values without noise, in the units of the responses.
    deviation : (n, k) array
        How uncertain the mean is: standard deviations in the same units, enlarged by the map's
        ``correction`` (see :class:`ErrorEstimate`). The noise of a measurement is not part of it.

    Examples
    --------
    >>> import equiwarp as ew
    >>> m = ew.build_map(ew.Box.unit(1), [[0.1], [0.5], [0.9]], [0.0, 1.0, 0.2], noise=0.01)
    >>> p = m.predict([[0.5], [0.7]])
    >>> p.mean.shape
    (2, 1)
    >>> bool(p.deviation[0, 0] < p.deviation[1, 0])  # it is more certain where it was measured
    True
    >>> low, high = p.band(0.95)  # it holds the function in 95 of 100 places
    >>> bool(low[1, 0] < p.mean[1, 0] < high[1, 0])
    True
    """

    mean: Array
    deviation: Array

    def band(self, share: float = 0.95) -> tuple[Array, Array]:
        """Between which values the function lies at that share of all places.

        Not a normal distribution: a band for half of the places is narrower than it would give, and 95 of 100
        places lie within two deviations.

        Parameters
        ----------
        share : float
            Above 0 and below 1.

        Returns
        -------
        tuple of (n, k) arrays
            Lower and upper ends.

        Raises
        ------
        InvalidInput
            If the share is no number between 0 and 1.
        """
        if not (isinstance(share, int | float) and 0 < share < 1):
            raise InvalidInput(f"share is a number above 0 and below 1, such as 0.95, got {share!r}")
        half = half_width(share) * self.deviation
        return self.mean - half, self.mean + half


def half_width(share: float, freedom: float = FREEDOM) -> float:
    """Of the band that holds this share of all places, in deviations."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + share / 2.0) * np.sqrt((freedom - 2.0) / freedom))


def as_columns(prediction: Prediction, names: Sequence[str]) -> dict[str, list[float]]:
    """A prediction as columns ``name`` and ``name_sd``, ready for a dataframe."""
    columns: dict[str, list[float]] = {}
    for j, name in enumerate(names):
        columns[name] = prediction.mean[:, j].tolist()
        columns[f"{name}_sd"] = prediction.deviation[:, j].tolist()
    return columns
