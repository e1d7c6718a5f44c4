"""Peers that keep a memory of their own: they are told each measurement, and a resumed run is replayed.

What such a peer proposes can depend on the order of its questions and answers. A stepper that starts
in the middle therefore asks every question again before it tells the stored answer.
"""

from __future__ import annotations

from abc import abstractmethod

from equiwarp.bench.arms import Stepper
from equiwarp.domains import Array


class ReplayedStepper(Stepper):
    """One object of a peer, led through the initial design and then question by question."""

    def __init__(self, n0: int) -> None:
        self.n0 = n0
        self.known = 0
        self.proposal: Array | None = None

    def next(self, x: Array, y: Array) -> Array:
        if not self.known:
            self.begin(x[: self.n0], y[: self.n0])
            self.known = self.n0
        while self.known < len(x):
            self._proposed()
            self.tell(x[self.known], float(y[self.known]))
            self.known, self.proposal = self.known + 1, None
        return self._proposed()

    def _proposed(self) -> Array:
        if self.proposal is None:
            self.proposal = self.propose()
        return self.proposal

    @abstractmethod
    def begin(self, x: Array, y: Array) -> None:
        """Take in the initial design, ``(n0, columns)`` and ``(n0,)``."""

    @abstractmethod
    def propose(self) -> Array:
        """The peer's next point ``(columns,)``, asked for once per measurement."""

    @abstractmethod
    def tell(self, point: Array, value: float) -> None:
        """One more measurement."""
