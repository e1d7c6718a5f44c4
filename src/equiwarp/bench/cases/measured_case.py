"""``MeasuredCase``: a table of real measurements as a list of experiments, with replicates and failures."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.seeds import stream
from equiwarp.domains import Array, Candidates


@dataclass(frozen=True)
class Source:
    """Who measured a table, where it comes from, and under which terms."""

    paper: str
    origin: str
    licence: str


@dataclass(frozen=True, eq=False)
class MeasuredCase:
    """Everything that somebody measured, to be measured again one experiment at a time.

    Attributes
    ----------
    name, title : str
        For commands, and for people.
    story : str
        What was measured, in a sentence or two.
    response, unit : str
    names : tuple of str
        Columns of ``X``.
    X : (N, columns) array
        Settings, a row for each measurement; repeated rows are replicates.
    Y : (N, k) array
        Values; NaN where the experiment failed.
    shares : (k,) array
        How much of the signal each of several responses explains; (1,) for one.
    source : Source
    total : float, optional
        What the settings add up to, if they are mixtures.
    """

    name: str
    title: str
    story: str
    response: str
    unit: str
    names: tuple[str, ...]
    X: Array
    Y: Array
    shares: Array
    source: Source
    total: float | None = field(default=None, kw_only=True)

    @cached_property
    def domain(self) -> Candidates:
        """The different settings as a list, of mixtures if they are such."""
        return Candidates(self.X, self.names, self.total)

    @cached_property
    def rows(self) -> tuple[NDArray[np.intp], ...]:
        """For each entry of the list, the measurements that were made there."""
        entry = self.domain.nearest(self.X)
        order = np.argsort(entry, kind="stable")
        return tuple(np.split(order, np.searchsorted(entry[order], np.arange(1, len(self.domain)))))

    @cached_property
    def truth(self) -> Array:
        """Mean of the replicates that worked at each entry, ``(m, k)``; NaN where none did."""
        mean = np.full((len(self.domain), self.Y.shape[1]), np.nan)
        for i, rows in enumerate(self.rows):
            worked = self.Y[rows][np.isfinite(self.Y[rows]).all(axis=1)]
            if len(worked):
                mean[i] = worked.mean(axis=0)
        return mean

    @cached_property
    def replicate_deviation(self) -> float | None:
        """Deviation of one measurement from repeated ones, first response; None without replicates."""
        squares, freedom = 0.0, 0
        for rows in self.rows:
            y = self.Y[rows, 0][np.isfinite(self.Y[rows, 0])]
            if len(y) > 1:
                squares, freedom = squares + float(((y - y.mean()) ** 2).sum()), freedom + len(y) - 1
        return float(np.sqrt(squares / freedom)) if freedom else None

    @property
    def digest(self) -> str:
        """Of settings and values: whether two runs replayed the same table."""
        numbers = np.ascontiguousarray(np.hstack([self.X, self.Y]).round(9))
        return hashlib.sha256(numbers.tobytes()).hexdigest()[:12]

    def measured(self, seed: int) -> Array:
        """What a measurement of each entry gives under a seed: one of its replicates, ``(m, k)``."""
        rng = stream(seed, f"replicates of {self.name}")
        return np.array([self.Y[rows[rng.integers(len(rows))]] for rows in self.rows])

    def error(self, predicted: Array) -> float:
        """Root mean square error over all entries that work, in deviations of the table.

        ``predicted`` is ``(m, k)``. Squared errors of several responses are added in their own unit, so
        that each counts by what it explains.
        """
        works = np.isfinite(self.truth).all(axis=1)
        truth = self.truth[works]
        missed = ((predicted[works] - truth) ** 2).mean(axis=0).sum()
        return float(np.sqrt(missed / truth.var(axis=0).sum()))


def one_response(
    name: str,
    title: str,
    story: str,
    columns: Sequence[str],
    response: tuple[str, str],
    table: Array,
    source: Source,
    total: float | None = None,
) -> MeasuredCase:
    """A case from a table ``(N, columns + 1)`` whose last column is the response, with its unit."""
    X, Y = table[:, :-1], table[:, -1:]
    return MeasuredCase(name, title, story, *response, tuple(columns), X, Y, np.ones(1), source, total=total)
