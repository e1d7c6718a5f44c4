"""``Prediction``: what a map says at some points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equiwarp.domains import Array


@dataclass(frozen=True)
class Prediction:
    """Mean and deviation at some points, ``(n, k)`` each, in the units of the responses."""

    mean: Array
    deviation: Array


def as_columns(prediction: Prediction, names: Sequence[str]) -> dict[str, list[float]]:
    """A prediction as columns ``name`` and ``name_sd``, ready for a dataframe."""
    columns: dict[str, list[float]] = {}
    for j, name in enumerate(names):
        columns[name] = prediction.mean[:, j].tolist()
        columns[f"{name}_sd"] = prediction.deviation[:, j].tolist()
    return columns
