"""What a map asks of the model that predicts one response."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from equiwarp.domains import Array, Domain


class MapModel(ABC):
    """A model of one response, fitted to measurements in kernel coordinates.

    A family of models is one file with a subclass, and one line: in :data:`equiwarp.models.registry.OURS`, or
    in another package an entry point of the group ``equiwarp.models``.

    Attributes
    ----------
    noise_ : float
        Standard deviation of the noise that the model uses, in the units of y.
    """

    noise_: float

    @classmethod
    @abstractmethod
    def fit_map(cls, domain: Domain, Z: Array, y: Array, noise: Array | None) -> MapModel:
        """The model of values ``(n,)`` at kernel coordinates ``(n, e)`` of points of the domain.

        ``noise`` ``(n,)`` are standard deviations in the units of y; None asks for an estimate.
        """

    @abstractmethod
    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Mean ``(m,)`` at kernel coordinates ``(m, e)``, and its deviation ``(m,)`` if asked for."""

    @abstractmethod
    def leave_one_out(self) -> tuple[Array, Array]:
        """Residuals ``(n,)`` of each value against the model without it, and their predicted deviations."""

    @abstractmethod
    def rolled_forward(self, everywhere: Array, coming: Array, ahead: Array) -> Array:
        """Root mean square deviation over ``everywhere`` after further measurements, ``(a + 1,)``.

        Entry i counts the ``coming`` points and the first i of those ``ahead`` as measured. All are kernel
        coordinates; hyperparameters stay as they are.
        """
