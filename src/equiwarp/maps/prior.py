"""A prior: what is believed of the function before the first experiment.

    y(x) = scale m(x) + offset + delta(x)

m is the prior: a cheap simulator, a formula, an earlier campaign. The strategy chooses for the difference
delta, and the map learns it (:mod:`equiwarp.models.informed`). Generalised least squares give the scale,
under a smooth difference, so that a difference is not mistaken for a scale. Then it is drawn to 1 or to 0, to
whichever the values contradict less: a prior in the units of the response is taken as it is until they speak
against it, and one that says nothing is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from equiwarp._util.magnitude import spread_of
from equiwarp.domains import Array, Domain
from equiwarp.exceptions import InvalidInput
from equiwarp.gp.cholesky import safe_cholesky, whiten
from equiwarp.gp.kernels import Matern52

#: Lengthscales of the difference that are tried for the scale, and variances of a straight slope in it.
LENGTHSCALES, SLOPES = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2), (0.0, 10.0, 1e4)
#: Noise variance that a difference is taken to have, and most values that are used.
NUGGET, MOST_FITTED = 1e-4, 200
#: Fewer values say nothing of the scale.
FEWEST = 3


@dataclass(frozen=True)
class Prior:
    """What is believed of a function before the first experiment, made by ``read_prior``.

    Attributes
    ----------
    name : str
        What people call it: a campaign's name, or that of a function.
    function : callable
        Values ``(n,)`` or ``(n, k)`` at points ``(n, columns)``.
    parameters, responses : tuple of str or None
        What the columns of points and values are called; None takes them as they come.
    categories : mapping of str to tuple of str, or None
        The names of its parameters that have categories, and of these; None takes numbers as they come.
    columns, picked : tuple of int or None
        Which columns of a domain's points it takes, and which of its values each response takes (-1: none):
        filled in by :meth:`bound_to`.
    renumbered : tuple of (int, tuple of int, int)
        Of its columns with categories: which they are, its own number of each category of the domain (-1: one
        that it does not know), and how many it has: filled in by :meth:`bound_to`.
    silent : tuple of int
        Which of its values say nothing, because that response was never measured.
    source : mapping of str to str
        Where it came from, as a campaign's description keeps it: {"campaign": ...} with a "store" if that is
        another one, {"map": ...} with its digest, or {"function": ...}.
    """

    name: str
    function: Callable[[Array], Any] = field(repr=False)
    parameters: tuple[str, ...] | None = None
    responses: tuple[str, ...] | None = None
    categories: Mapping[str, tuple[str, ...]] | None = None
    columns: tuple[int, ...] | None = None
    renumbered: tuple[tuple[int, tuple[int, ...], int], ...] = ()
    silent: tuple[int, ...] = ()
    picked: tuple[int, ...] | None = None
    source: Mapping[str, str] = field(default_factory=dict)

    def bound_to(self, domain: Domain, responses: Sequence[str]) -> Prior:
        """The prior for the responses of a campaign over a domain; one that is bound already stays so."""
        if self.picked is not None and len(self.picked) == len(responses):
            return self
        columns = None
        if self.parameters is not None:
            for name in self.parameters:
                if name not in domain.names:
                    raise InvalidInput(
                        f"the prior {self.name} depends on {name!r}, and the parameters here are "
                        f"{', '.join(domain.names)}; both must have the same names"
                    )
            columns = tuple(domain.names.index(name) for name in self.parameters)
        bound = replace(self, columns=columns, renumbered=self._renumbered(domain))
        if self.responses is None or not set(self.responses) & set(responses):
            count = bound.raw(domain.sample(1, np.random.default_rng(0))).shape[1]
            if count not in (1, len(responses)):
                raise InvalidInput(
                    f"the prior {self.name} has {count} responses, and there are {len(responses)} here "
                    f"({', '.join(responses)}); they must be as many, or have the same names"
                )
            picked = (0,) * len(responses) if count == 1 else tuple(range(count))
        else:
            own = self.responses
            picked = tuple(own.index(r) if r in own else -1 for r in responses)
        return replace(bound, picked=tuple(-1 if p in self.silent else p for p in picked))

    def _renumbered(self, domain: Domain) -> tuple[tuple[int, tuple[int, ...], int], ...]:
        """Categories go together by their names: their numbers here and there are no matter."""
        found = []
        for place, name in enumerate(self.parameters or ()):
            own = None if self.categories is None else self.categories.get(name)
            here = domain.categories.get(name)
            if self.categories is not None and (own is None) != (here is None):
                kinds = ("numbers", "categories") if own is None else ("categories", "numbers")
                raise InvalidInput(
                    f"the prior {self.name} knows {kinds[0]} of {name!r}, which has {kinds[1]} here; give a "
                    "function of points that translates them"
                )
            if own is not None and here is not None and own != here:
                numbers = tuple(own.index(category) if category in own else -1 for category in here)
                found.append((place, numbers, len(own)))
        return tuple(found)

    def only(self, j: int) -> Prior:
        """The prior of response j alone."""
        assert self.picked is not None
        return replace(self, picked=(self.picked[j],))

    def knows(self, j: int) -> bool:
        """Whether it says anything of response j."""
        return self.picked is not None and self.picked[j] >= 0

    def at(self, x: Array, j: int = 0) -> Array:
        """What it says of response j at points, ``(n,)``."""
        assert self.picked is not None
        return self.raw(x)[:, self.picked[j]]

    def raw(self, x: Array) -> Array:
        """All its values at points, checked, ``(n, k)``."""
        own = x if self.columns is None else x[:, self.columns]
        found = np.asarray(self._values(own, self.renumbered), dtype=float)
        found = found[:, None] if found.ndim == 1 else found
        if found.ndim != 2 or len(found) != len(x):
            raise InvalidInput(
                f"the prior {self.name} gave values of shape {found.shape} at {len(x)} points, expected one "
                "row for each point"
            )
        for row in np.flatnonzero(~np.isfinite(found).all(axis=1))[:1]:
            raise InvalidInput(
                f"the prior {self.name} is {found[row].tolist()} at {x[row].tolist()}; it must be finite "
                "everywhere"
            )
        return found

    def _values(self, own: Array, renumbered: Sequence[tuple[int, tuple[int, ...], int]]) -> Any:
        """What the function says; of a category that it does not know, the mean of what it says of others."""
        if not renumbered:
            return self.function(own)
        (column, numbers, count), rest = renumbered[0], renumbered[1:]
        code = np.array(numbers)[own[:, column].astype(int)]

        def at(number: Any) -> Array:
            moved = own.copy()
            moved[:, column] = number
            return np.asarray(self._values(moved, rest), dtype=float)

        if (code >= 0).all():
            return at(code)
        mean = np.mean([at(number) for number in range(count)], axis=0)
        known = (code >= 0).reshape(-1, *(1,) * (mean.ndim - 1))
        return np.where(known, at(np.maximum(code, 0)), mean)


@dataclass(frozen=True)
class PriorScale:
    """By how much a prior is multiplied: drawn to 1 or 0, and as the values alone would have it."""

    value: float
    estimate: float
    error: float


def scale_of(Z: Array, known: Array, y: Array) -> PriorScale:
    """The scale of a prior's values ``(n,)`` for values ``(n,)`` at kernel coordinates ``(n, e)``."""
    if len(y) > MOST_FITTED:
        rows = np.random.default_rng(0).choice(len(y), MOST_FITTED, replace=False)
        Z, known, y = Z[rows], known[rows], y[rows]
    if len(y) < FEWEST or not spread_of(known):
        return PriorScale(1.0, 1.0, np.inf)
    tried = (_generalised(Z, known, y, ell, slope) for ell in LENGTHSCALES for slope in SLOPES)
    _, estimate, error = min(tried)
    nearer = min((1.0, 0.0), key=lambda target: abs(estimate - target))
    return PriorScale(_drawn(estimate, nearer, error), estimate, error)


def _drawn(estimate: float, target: float, error: float) -> float:
    """An estimate drawn to a target by as much as its error allows (James and Stein, its positive part)."""
    away = estimate - target
    return target + away * (1.0 - min(1.0, error / abs(away)) ** 2) if away else target


def _generalised(
    Z: Array, known: Array, y: Array, lengthscale: float, slope: float
) -> tuple[float, float, float]:
    """Restricted likelihood (negative, logarithmic), scale and its error, by generalised least squares.

    The difference is a Matern-5/2 process of this lengthscale and a straight line.
    """
    straight = Z - Z.mean(axis=0)
    K = Matern52(lengthscale).gram(Z) + slope * straight @ straight.T
    L, _ = safe_cholesky(K, np.full(len(y), NUGGET))
    spread = spread_of(known)
    H = whiten(L, np.column_stack([(known - known.mean()) / spread, np.ones(len(y))]))
    unit = spread_of(y) or 1.0
    target = whiten(L, (y[:, None] - y.mean()) / unit)[:, 0]
    information = H.T @ H
    weights = np.linalg.solve(information, H.T @ target)
    rest = target - H @ weights
    free = max(len(y) - 2, 1)
    variance = float(rest @ rest) / free + 1e-12
    loss = 0.5 * free * np.log(variance) + np.sum(np.log(L.diagonal()))
    loss += 0.5 * np.linalg.slogdet(information)[1]
    error = np.sqrt(variance * np.linalg.inv(information)[0, 0])
    return float(loss), float(weights[0]) * unit / spread, float(error) * unit / spread


def differences(prior: Prior, domain: Domain, x: Array, y: Array) -> tuple[Array, Array]:
    """Values ``(n, k)`` without what the prior says of them, and its scales ``(k,)``; NaN stays NaN."""
    rest, scales = y.copy(), np.zeros(y.shape[1])
    Z, known = domain.embed(x), prior.raw(x) if len(x) else np.empty((0, 1))
    for j in range(y.shape[1]):
        rows = np.flatnonzero(np.isfinite(y[:, j]))
        if prior.knows(j) and len(rows):
            assert prior.picked is not None
            own = known[rows, prior.picked[j]]
            scales[j] = scale_of(Z[rows], own, y[rows, j]).value
            rest[rows, j] -= scales[j] * own
    return rest, scales
