"""``Prediction``: what a map says at some points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equiwarp.domains import Array


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
    """

    mean: Array
    deviation: Array


def as_columns(prediction: Prediction, names: Sequence[str]) -> dict[str, list[float]]:
    """A prediction as columns ``name`` and ``name_sd``, ready for a dataframe."""
    columns: dict[str, list[float]] = {}
    for j, name in enumerate(names):
        columns[name] = prediction.mean[:, j].tolist()
        columns[f"{name}_sd"] = prediction.deviation[:, j].tolist()
    return columns
