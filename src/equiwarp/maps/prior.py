"""A map that begins with a prior: a cheap simulator, an earlier campaign, a formula.

    y(x) = scale m(x) + offset + delta(x)

m is the prior, delta the difference, mapped like any function. Scale and offset are fitted to the values.
Beside it stands the map without the prior. Both predict values that were left out, and the prior counts for
as much as it helps there: one that misleads is faded out, and said to be.

Kennedy and O'Hagan (2000), Predicting the output from a complex computer code when fast approximations are
available.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp.domains import Array, Domain
from equiwarp.domains.base import require_domain
from equiwarp.engine.algorithm import suggest
from equiwarp.engine.reading import read_points, read_values
from equiwarp.engine.suggestion import Suggestion
from equiwarp.exceptions import InvalidInput, InvalidType
from equiwarp.gp.cholesky import safe_cholesky, whiten
from equiwarp.gp.kernels import Matern52
from equiwarp.maps.map import Map, build_map
from equiwarp.maps.prediction import Prediction
from equiwarp.strategy import DEFAULT_STRATEGY, Strategy

#: Odds for the prior before anything is measured: whoever gives one has a reason.
ODDS = 4.0
#: Lengthscales of the difference that are tried for the scale, their nugget, and most values that are used.
LENGTHSCALES, NUGGET, MOST_FITTED = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2), 1e-4, 500
#: A prior that accounts for less of the variation than this is no help.
MISLEADS_BELOW = 0.1
#: Points over which the disagreement of the two maps is averaged, and experiments that are looked ahead.
AVERAGED, MOST_SAVED = 1024, 60


@dataclass(frozen=True)
class PriorMap:
    """The map with a prior, of k responses. :func:`build_prior_map` makes it.

    Attributes
    ----------
    domain : Domain
    x, y : (n, columns) and (n, k) arrays
        What was measured.
    prior : callable
        Values ``(m, k)`` at points ``(m, columns)``.
    scale, offset, trust : (k,) arrays
        Of the prior; ``trust`` is how much it counts, from 0 to 1.
    differences, plain : Map
        Of what the scaled prior leaves, and of the values themselves.
    """

    domain: Domain
    x: Array
    y: Array
    prior: Callable[[Array], Array]
    scale: Array
    offset: Array
    trust: Array
    differences: Map
    plain: Map

    def predict(self, points: Any) -> Prediction:
        """Predict the responses, as :meth:`equiwarp.Map.predict` does."""
        x = read_points(self.domain, points)
        with_prior, without = self._both(x)
        w, v = self.trust, 1 - self.trust
        mean = w * with_prior.mean + v * without.mean
        spread = w * v * (with_prior.mean - without.mean) ** 2
        variance = w * with_prior.deviation**2 + v * without.deviation**2 + spread
        return Prediction(mean, np.sqrt(variance))

    def error(self) -> Array:
        """The expected error of each response, root mean square over the domain, ``(k,)``."""
        return self._error

    @cached_property
    def _error(self) -> Array:
        everywhere = self.domain.sample(AVERAGED, stream(self.plain.seed, "error"))
        with_prior, without = self._both(everywhere)
        w, v = self.trust, 1 - self.trust
        spread = w * v * np.mean((with_prior.mean - without.mean) ** 2, axis=0)
        squares = [np.array([e.value**2 for e in m.error()]) for m in (self.differences, self.plain)]
        return np.sqrt(w * squares[0] + v * squares[1] + spread)

    def _both(self, x: Array) -> tuple[Prediction, Prediction]:
        difference = self.differences.predict(x)
        base = self.scale * _at(self.prior, x, self.y.shape[1]) + self.offset
        return Prediction(base + difference.mean, difference.deviation), self.plain.predict(x)

    def saved(self, most: int = MOST_SAVED) -> int | None:
        """How many more experiments the map without the prior would need to be as good.

        Judged by the forecast for the first response; None if they are more than ``most``.
        """
        ahead = np.asarray(self.plain.forecast(most))[:, 0]
        enough = np.flatnonzero(ahead <= self.error()[0])
        return int(enough[0]) if len(enough) else None

    @cached_property
    def share(self) -> Array:
        """The part of the values' variation that the prior accounts for, from 0 to 1, ``(k,)``."""
        known = _at(self.prior, self.x, self.y.shape[1])
        varied = np.where(self.y.std(axis=0) > 0, self.y.std(axis=0), np.inf)
        return self.trust * np.minimum(np.abs(self.scale) * known.std(axis=0) / varied, 1.0)

    def remarks(self, responses: Sequence[str] | None = None) -> list[str]:
        """What the measurements say of the prior, one sentence a response."""
        names = responses or [f"response {j + 1}" for j in range(len(self.trust))]
        each = zip(names, self.scale, self.offset, self.share, strict=True)
        return [_remark(*row) for row in each]

    def suggest(
        self, n: int = 1, strategy: str | Strategy = DEFAULT_STRATEGY, pending: Any = None, seed: int = 0
    ) -> Suggestion:
        """Where to measure next to learn what the prior does not know: see :func:`equiwarp.suggest`."""
        known = self.trust * (self.scale * _at(self.prior, self.x, self.y.shape[1]) + self.offset)
        noise = self.plain.noise
        return suggest(
            self.domain, self.x, self.y - known, n, strategy, noise=noise, pending=pending, seed=seed
        )


def build_prior_map(
    domain: Domain, x: Any, y: Any, noise: Any = None, *, prior: Any, seed: int = 0
) -> PriorMap:
    """Fit a map to measurements, beginning with a prior.

    Parameters
    ----------
    domain, x, y, noise, seed
        As for :func:`equiwarp.build_map`.
    prior : Map, campaign or callable
        A map, a campaign (its map is drawn), or a function of points ``(m, columns)`` that returns
        ``(m,)`` or ``(m, k)`` values.

    Returns
    -------
    PriorMap

    Raises
    ------
    InvalidInput
        If there is no measurement, or the prior's values are not finite or of another shape.
    InvalidType
        If the prior is none of these.
    """
    points = read_points(require_domain(domain), x, "x", inside=False)
    values = read_values(y, len(points))
    function = read_prior(prior)
    known = _at(function, points, values.shape[1])
    plain = build_map(domain, points, values, noise, seed=seed)
    columns = [
        _fit_response(domain, points, known[:, j], values[:, j], _column(plain.noise, j), seed)
        for j in range(values.shape[1])
    ]
    scale, offset = (np.array([column[i] for column in columns]) for i in (0, 1))
    differences = build_map(domain, points, values - scale * known - offset, plain.noise, seed=seed)
    trust = np.array(
        [_trust(differences.models[j], plain.models[j]) for j in range(values.shape[1])], dtype=float
    )
    return PriorMap(domain, points, values, function, scale, offset, trust, differences, plain)


def read_prior(prior: Any) -> Callable[[Array], Array]:
    """A prior as a function of points ``(m, columns)``."""
    if hasattr(prior, "map") and not hasattr(prior, "predict"):  # a campaign
        prior = prior.map()
    if hasattr(prior, "predict"):
        known = prior
        return lambda x: known.predict(x).mean
    if callable(prior):
        return prior
    raise InvalidType(f"prior must be a map, a campaign or a function of points, got {prior!r}")


def _at(prior: Callable[[Array], Array], x: Array, k: int) -> Array:
    """The prior's values ``(m, k)``, checked."""
    found = np.asarray(prior(x), dtype=float)
    found = found[:, None] if found.ndim == 1 else found
    if found.shape not in ((len(x), k), (len(x), 1)):
        raise InvalidInput(
            f"the prior gave values of shape {found.shape} at {len(x)} points, expected ({len(x)}, {k})"
        )
    for row in np.flatnonzero(~np.isfinite(found).all(axis=1))[:1]:
        raise InvalidInput(
            f"the prior is {found[row].tolist()} at {x[row].tolist()}; it must be finite everywhere"
        )
    return np.broadcast_to(found, (len(x), k))


def _fit_response(
    domain: Domain, x: Array, known: Array, y: Array, noise: Array | None, seed: int
) -> tuple[float, float]:
    """Scale and offset of one response: of two scales, the one whose difference is easiest to predict."""
    best, found = -np.inf, (1.0, 0.0)
    for scale in _scales(domain.embed(x), known, y):
        offset = float(np.mean(y - scale * known))
        difference = build_map(domain, x, y - scale * known - offset, noise, seed=seed)
        density = _density(difference.models[0])
        if density > best:
            best, found = density, (scale, offset)
    return found


def _scales(Z: Array, known: Array, y: Array) -> list[float]:
    """Estimates of the scale: 1, and what the values say under a smooth difference."""
    level = float(np.mean(known**2))
    if len(y) < 3 or float(known.var()) <= 1e-24 * (1 + level):
        return [1.0]
    if len(y) > MOST_FITTED:
        rows = np.random.default_rng(0).choice(len(y), MOST_FITTED, replace=False)
        Z, known, y = Z[rows], known[rows], y[rows]
    return [1.0, min(_generalised(Z, known, y, ell) for ell in LENGTHSCALES)[1]]


def _generalised(Z: Array, known: Array, y: Array, lengthscale: float) -> tuple[float, float]:
    """Restricted likelihood (negative, logarithmic) and scale, by generalised least squares.

    The difference is a Matern-5/2 process of this lengthscale: a smooth one is not mistaken for a scale.
    """
    L, _ = safe_cholesky(Matern52(lengthscale).gram(Z), np.full(len(y), NUGGET))
    spread = float(known.std())
    H = whiten(L, np.column_stack([(known - known.mean()) / spread, np.ones(len(y))]))
    target = whiten(L, y[:, None].copy())[:, 0]  # it works in place
    weights, *_ = np.linalg.lstsq(H, target, rcond=None)
    rest = target - H @ weights
    free = max(len(y) - 2, 1)
    variance = float(rest @ rest) / free + 1e-12 * (1e-300 + float(y.var()))
    _, log_det = np.linalg.slogdet(H.T @ H)
    loss = 0.5 * (free * np.log(variance) + 2 * np.sum(np.log(L.diagonal())) + log_det)
    return float(loss), float(weights[0]) / spread


def _density(model: Any) -> float:
    """Log density of each value under the model without it, summed."""
    residual, deviation = model.leave_one_out()
    return float(-0.5 * np.sum((residual / deviation) ** 2) - np.sum(np.log(deviation)))


def _trust(with_prior: Any, without: Any) -> float:
    advantage = _density(with_prior) - _density(without) + np.log(ODDS)
    return float(1 / (1 + np.exp(-np.clip(advantage, -500, 500))))


def _column(noise: Array | None, j: int) -> Array | None:
    return None if noise is None else noise[:, j : j + 1]


def _remark(name: str, scale: float, offset: float, share: float) -> str:
    fitted = f"{name} = {scale:.3g} prior {'-' if offset < 0 else '+'} {abs(offset):.3g}"
    if share < MISLEADS_BELOW:
        return f"{fitted}: the prior says nothing of it, or misleads, and is faded out; do without it"
    return f"{fitted}: the prior accounts for {100 * share:.0f} % of the variation"
