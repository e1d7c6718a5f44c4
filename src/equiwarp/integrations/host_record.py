"""``HostRecord``: what a host has measured, in our words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from equiwarp.domains import Domain


@dataclass(frozen=True)
class HostRecord:
    """What a host knows of one problem.

    Attributes
    ----------
    domain : Domain
    responses : tuple of str
    x, y : (n, columns) and (n, k) array-like
    noise : float or sequence of float, optional
        Standard deviation of a measurement, of all responses or of each; None if the host does not know.
    row_noise : (n, k) array-like, optional
        The same of every value, where the host knows it so.
    failed : sequence of points
        Where experiments did not work.
    """

    domain: Domain
    responses: tuple[str, ...]
    x: Any
    y: Any
    noise: float | Sequence[float] | None = None
    row_noise: Any = None
    failed: Any = ()
