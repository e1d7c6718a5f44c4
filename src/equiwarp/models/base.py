"""What a map asks of the model that predicts one response."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy  # its parts load when they are first used

from equiwarp.domains import Array, Domain
from equiwarp.gp.cholesky import safe_cholesky

#: What a fit found, by name: where the fit of the next map may start.
FitResult = Mapping[str, Any]


class MapModel(ABC):
    """A model of one response, fitted to measurements in kernel coordinates.

    A family of models is one file with a subclass, and one line: in :data:`equiwarp.models.registry.OURS`, or
    in another package an entry point of the group ``equiwarp.models``.
    :func:`equiwarp.testing.check_model` tests all that the methods below have to guarantee.

    Attributes
    ----------
    noise_ : float
        Standard deviation of the noise that the model uses, in the units of y.
    hyperparameters_ : dict of arrays
        What was fitted, by name; empty if there is nothing to start the next fit from.
    """

    noise_: float
    hyperparameters_: FitResult = MappingProxyType({})

    @classmethod
    def applies(cls, domain: Domain) -> bool:
        """Whether the family makes sense on a domain; by default on every one."""
        return True

    @classmethod
    def handicap(cls, coordinates: int) -> float:
        """What the family has to gain in log density, over all values, before an average believes it.

        0 for most: they count alike before any value is looked at. A family with so many parameters that it
        fits any few values needs one, in so many kernel coordinates.
        """
        return 0.0

    @classmethod
    @abstractmethod
    def fit_map(
        cls, domain: Domain, Z: Array, y: Array, noise: Array | None, earlier: FitResult | None = None
    ) -> MapModel:
        """The model of values ``(n,)`` at kernel coordinates ``(n, e)`` of points of the domain.

        ``noise`` ``(n,)`` are standard deviations in the units of y; None asks for an estimate. ``earlier``
        are the hyperparameters of an earlier fit of this family: a good place to start from.
        """

    @abstractmethod
    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Mean ``(m,)`` at kernel coordinates ``(m, e)``, and its deviation ``(m,)`` if asked for."""

    @abstractmethod
    def covariance(self, A: Array, B: Array) -> Array:
        """Covariance ``(a, b)`` of what is still unknown at kernel coordinates ``(a, e)`` and ``(b, e)``.

        Its diagonal is the square of the deviation that :meth:`predict` gives.
        """

    @abstractmethod
    def leave_one_out(self) -> tuple[Array, Array]:
        """Residuals ``(n,)`` of each value against the model without it, and their predicted deviations.

        Values at the same place leave together: a repeated measurement says nothing about the map elsewhere.
        The noise of the value is part of the deviation.
        """

    def conditioned_on(self, domain: Domain, Z: Array, y: Array, noise: Array | None) -> MapModel:
        """The model of more values of the same function; by default it is fitted to them."""
        return self.fit_map(domain, Z, y, noise, self.hyperparameters_)

    def draw(self, X: Array, count: int, seed: int = 0) -> Array:
        """Functions ``(count, m)`` that fit the measurements, at kernel coordinates ``(m, e)``."""
        mean, C = self.predict(X), self.covariance(X, X)
        scale = float(np.sqrt(C.diagonal().max()))
        if not scale > 0:
            return np.tile(mean, (count, 1))
        L, _ = safe_cholesky(C / scale**2, np.full(len(C), 1e-10))
        draws = np.random.default_rng(seed).standard_normal((count, len(C)))
        return np.asarray(mean + scale * draws @ L.T)

    def rolled_forward(self, everywhere: Array, ahead: Array) -> Array:
        """Root mean square deviation over ``everywhere`` after further measurements, ``(a + 1,)``.

        Entry i counts the first i of the points ``ahead`` as measured. Both are kernel coordinates;
        hyperparameters stay as they are.
        """
        now = float(np.mean(self.predict(everywhere, return_std=True)[1] ** 2))
        if not len(ahead) or not now > 0:
            return np.full(len(ahead) + 1, np.sqrt(now))
        known = self.covariance(ahead, ahead)
        scale = float(np.mean(known.diagonal())) + self.noise_**2
        L, _ = safe_cholesky(known / scale, np.full(len(ahead), max(self.noise_**2 / scale, 1e-10)))
        explained = scipy.linalg.solve_triangular(
            L, self.covariance(ahead, everywhere), lower=True
        ) / np.sqrt(scale)
        falls = np.cumsum(np.mean(explained**2, axis=1))
        return np.sqrt(np.maximum(now - np.append(0.0, falls), 0.0))
