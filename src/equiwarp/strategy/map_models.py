"""What `map` learns from the values: the map's families of models, fitted, and how much each counts.

Fits depend on the measurements alone, so that a run can be resumed anywhere: the first
:func:`~equiwarp.gp.spacing.refit_size` of them are fitted from scratch, and what comes later is conditioned
on under the same parameters. Rounding must not decide between two points: rows are sorted before a fit, and
what was fitted is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.gp.spacing import refit_size
from equiwarp.models.average import density_by_place, stacked_with
from equiwarp.models.covariance import Covariance, Stationary, matern52
from equiwarp.models.exact import ExactPosterior
from equiwarp.models.fitting import FitTask, fit, some_rows
from equiwarp.models.gaussian_process import GaussianProcess
from equiwarp.models.registry import find_model
from equiwarp.strategy.base import RoundInputs

#: With fewer values than this, lengthscales cannot be told from chance.
FEWEST_VALUES = 5
#: Parameters are fitted to at most this many values, which say enough of them; all are conditioned on.
MOST_FITTED = 160
#: Up to this many values, weights are drawn to equal ones in full; beyond, the less the more there are.
HEDGED_VALUES = 80
#: A model that would count for less than this is left out.
LEAST_WEIGHT = 0.03
#: Noise deviations are fitted on a grid of this step in the logarithm: an estimate moves a little each round.
NOISE_STEP = 0.1
#: Decimals that are kept of the logarithms of what was fitted, and of weights.
DECIMALS = 3


@dataclass(frozen=True)
class FittedModel:
    """A covariance with its parameters, and how much it counts.

    Attributes
    ----------
    covariance : Covariance
    t : (p,) array
        The logarithms of its parameters.
    weight : float
    height : float
        A typical prior variance, by which it is divided before anything is factorised.
    """

    covariance: Covariance
    t: Array
    weight: float
    height: float = 1.0

    def prior(self, A: Array, B: Array) -> Array:
        """Prior covariance ``(a, b)``, of typical size 1."""
        K = self.covariance.gram(self.t, A, B)
        K /= self.height
        return K

    def prior_variance(self, A: Array) -> Array:
        """Prior variance ``(a,)``, of typical size 1."""
        return self.covariance.diagonal(self.t, A) / self.height

    def variance_around_level(self, A: Array) -> Array:
        """The same ``(a,)``, were the level known around which the function varies."""
        return self.covariance.around_level(self.t, A) / self.height


@dataclass(frozen=True)
class FittedResponse:
    """Models of one response, in units of the values that they were fitted to.

    Attributes
    ----------
    y, noise_var : (n,) arrays
        Those values, centred and scaled by themselves, and their noise.
    models : tuple of FittedModel
    informed : bool
        Whether there was enough to fit; else the one model is that of the spacing rule.
    """

    y: Array
    noise_var: Array
    models: tuple[FittedModel, ...]
    informed: bool = True

    def rests_on(self, y: Array, noise_var: Array) -> bool:
        """Whether a fit to these values would only repeat this one; rounding is no difference."""
        return (
            y.shape == self.y.shape
            and np.allclose(y, self.y, rtol=1e-9, atol=1e-11)
            and np.allclose(noise_var, self.noise_var, rtol=1e-9, atol=0.0)
        )


@dataclass(frozen=True)
class Hedge:
    """How far the weights of models are drawn to equal ones, and of which families; None of all."""

    share: float
    families: Sequence[str] | None = None

    def mixed(self, weights: Array, names: Sequence[str], n: int) -> Array:
        """Stacked weights of these families given n values, and equal ones."""
        share = self.share * min(1.0, HEDGED_VALUES / n)
        equal = np.array([self.families is None or name in self.families for name in names], dtype=float)
        if not equal.any():
            equal[:] = 1.0
        return np.asarray((1.0 - share) * weights + share * equal / equal.sum())


def fit_responses(
    inputs: RoundInputs, families: Sequence[str], hedge: Hedge, earlier: Sequence[FittedResponse]
) -> tuple[FittedResponse, ...]:
    """The models of each response; those of an earlier round where a fit would repeat them."""
    domain, k = inputs.domain, inputs.y.shape[1]
    n = refit_size(len(inputs.y))
    Z = domain.embed(inputs.x[:n])
    found = []
    for j in range(k):
        center, scale = own_scale(inputs.y[:n, j])
        y = (inputs.y[:n, j] - center) / scale
        noise_var = _on_grid(inputs.each_noise_var[:n, j] / scale**2)
        known = earlier[j] if j < len(earlier) else None
        if known is not None and known.rests_on(y, noise_var) and known.informed == (n >= FEWEST_VALUES):
            found.append(known)
        elif n < FEWEST_VALUES or not np.any(y):
            found.append(FittedResponse(y, noise_var, (_spacing_model(inputs, Z.shape[1]),), informed=False))
        else:
            found.append(FittedResponse(y, noise_var, _fit(domain, Z, y, noise_var, families, hedge)))
    return tuple(found)


@dataclass(frozen=True)
class TargetChoice:
    """Which of the round's targets the error is taken over.

    Points that are chosen for the same few targets again and again end up beside them and leave what lies
    between; renewed ones are others after every fit. Both depend on the number of values alone.
    """

    count: int
    renewed: bool = False

    def rows(self, n: int, available: int) -> slice:
        """After n values, of so many targets."""
        sets = max(1, available // self.count) if self.renewed else 1
        fits = refit_size(n) >> max(0, n.bit_length() - 4)
        first = self.count * (fits % sets)
        return slice(first, first + self.count)


def own_scale(y: Array) -> tuple[float, float]:
    """Mean and deviation of values ``(n,)``; the deviation is 1 if they do not vary."""
    if not len(y):
        return 0.0, 1.0
    center, deviation = float(y.mean()), float(y.std())
    return center, deviation if deviation > 1e-12 * float(np.abs(y).max()) else 1.0


def _fit(
    domain: Domain, Z: Array, y: Array, noise_var: Array, families: Sequence[str], hedge: Hedge
) -> tuple[FittedModel, ...]:
    order = np.lexsort((y, *Z.T))
    Z, y, noise_var = Z[order], y[order], noise_var[order]
    part = some_rows(len(y), MOST_FITTED)
    names, covariances, fitted, densities, handicaps = [], [], [], [], []
    for name in families:
        family = find_model(name)
        assert issubclass(family, GaussianProcess)
        if not family.applies(domain):
            continue
        task = FitTask(family.covariance_on(domain, Z), Z, y, noise_var)
        t = np.round(fit(task.part(part)), DECIMALS)
        variances = task.variances(t)
        left_out = ExactPosterior(task.covariance, t, Z, y, variances).leave_one_out()
        names.append(name)
        covariances.append(task.covariance)
        fitted.append(t)
        handicaps.append(family.handicap(Z.shape[1]))
        densities.append(density_by_place(Z, *left_out, np.sqrt(variances)))
    weights = stacked_with(np.array(handicaps), np.column_stack(densities))
    weights = np.round(hedge.mixed(weights, names, len(y)), DECIMALS)
    weights = np.where(weights < LEAST_WEIGHT, 0.0, weights)
    heights = [float(c.diagonal(t, Z).mean()) for c, t in zip(covariances, fitted, strict=True)]
    parts = zip(covariances, fitted, (weights / weights.sum()).tolist(), heights, strict=True)
    return tuple(FittedModel(*part) for part in parts if part[2] > 0)


def _spacing_model(inputs: RoundInputs, coordinates: int) -> FittedModel:
    """The acquisition GP of the other strategies: the only scale that is known is that of the design."""
    covariance = Covariance((Stationary(matern52, np.zeros(coordinates, dtype=np.intp)),))
    return FittedModel(covariance, np.array([0.0, math.log(inputs.kernel.ell)]), 1.0)


def _on_grid(noise_var: Array) -> Array:
    """Noise variances whose deviations lie on a grid of factors."""
    with np.errstate(divide="ignore"):
        steps = np.round(0.5 * np.log(noise_var) / NOISE_STEP)
    return np.exp(2.0 * NOISE_STEP * steps)
