"""What `map` knows of the pool: the average of the map's models, given values and points without a value.

Formulas are in :mod:`equiwarp.strategy.map_error`. This file and those below it are imported with the first
round of `map`: models need more of SciPy than other strategies do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import daxpy
from scipy.spatial.distance import cdist

from equiwarp._util.side_by_side import each
from equiwarp.aims.bound import FLOOR
from equiwarp.domains import Array
from equiwarp.gp.cholesky import extend_cholesky, whiten
from equiwarp.gp.fast.growing import begins_with
from equiwarp.gp.posterior import RowNumbers
from equiwarp.strategy.base import CriterionState, RoundInputs
from equiwarp.strategy.contour import contour_score
from equiwarp.strategy.map_models import FittedResponse, TargetChoice, own_scale
from equiwarp.strategy.model_field import ModelField, less_product
from equiwarp.strategy.shortlist import Shortlist, pays

#: Least variance that a score is divided by, for places that are known exactly.
SMALLEST_VARIANCE = 1e-12


@dataclass(frozen=True)
class ResponseState:
    """One response: its models given the measured points, and their average given the others too.

    Attributes
    ----------
    number : int
        Which of the responses.
    fitted : FittedResponse
    fields : tuple of ModelField
    scales : (M,) array
        Deviation of each field's unit.
    white : tuple of (n,) arrays
        Whitened values of each field.
    apart : (M, m + t) array
        What each model says beside the average, times the root of its weight.
    C, s2 : (m, t) and (m + t,) arrays
        Covariance of the average between pool and targets, and its variance at both.
    mean : (t,) array
        The average at the targets.
    weights, aimed : (t,) arrays
        What each target counts, all told, and for the aim alone.
    levels : (l,) array
        Levels whose contours are looked for.
    counted : (t,) array
        What each target counts when they are.
    noise_var : float
        Of a measurement yet to be made.
    B : (b, e) array
        Points without a value.
    whitened : tuple of (b, n) arrays
        ``B`` as each field sees it.
    apart_there, L_B, rows : (M, b), (b, b) and (b, m + t) arrays
        The models' disagreement there, the factor of their covariance, and what they explain.
    """

    number: int
    fitted: FittedResponse
    fields: tuple[ModelField, ...]
    scales: Array
    white: tuple[Array, ...]
    apart: Array
    C: Array
    s2: Array
    mean: Array
    weights: Array
    aimed: Array
    levels: Array
    counted: Array
    noise_var: float
    B: Array
    whitened: tuple[Array, ...]
    apart_there: Array
    L_B: Array
    rows: Array

    @classmethod
    def of(
        cls,
        inputs: RoundInputs,
        j: int,
        targets: TargetChoice,
        floor: float | None,
        known: ResponseState | None = None,
    ) -> ResponseState:
        """Response j given the measured points; ``known`` is the state of an earlier round."""
        fitted: FittedResponse = inputs.learnt[j]
        n, y = len(inputs.y), inputs.y[:, j]
        Z, U = inputs.Z[:n], inputs.U[targets.rows(n, len(inputs.U))]
        center, scale = own_scale(y[: len(fitted.y)])
        scales = scale * np.sqrt([model.height for model in fitted.models])
        p = np.array([model.weight for model in fitted.models])

        def field_of(i: int) -> ModelField:
            noise_var = inputs.each_noise_var[:, j] / scales[i] ** 2
            old = known.fields[i] if known is not None and known.fitted is fitted else None
            if old is not None and old.holds(Z, noise_var):
                return old.extended(Z, noise_var)
            return ModelField.of(fitted.models[i], inputs.P, U, Z, noise_var)

        fields, white, at_Z = each(field_of, range(len(p))), [], np.zeros(n)
        for i, field in enumerate(fields):
            values, there = field.weights_of((y - center) / scales[i])
            at_Z += p[i] * scales[i] * there
            white.append(values)
        means = np.array([s * (w @ f.V.rows) for s, w, f in zip(scales, white, fields, strict=True)])
        mean = p @ means
        apart = np.sqrt(p)[:, None] * (means - mean)
        share, m = p * scales**2, len(inputs.P)
        C = apart[:, :m].T @ apart[:, m:]
        for q, field in zip(share, fields, strict=True):
            C = daxpy(field.C.ravel(), C.ravel(), a=float(q)).reshape(C.shape)  # in place, in one pass
        s2 = np.einsum("ij,ij->j", apart, apart) + share @ np.array([field.s2 for field in fields])
        return cls(
            number=j,
            fitted=fitted,
            fields=tuple(fields),
            scales=scales,
            white=tuple(white),
            apart=apart,
            C=C,
            s2=s2,
            mean=mean[m:],
            weights=_change(mean[m:], at_Z, U, Z, floor),
            aimed=np.ones(len(U)),
            levels=np.empty(0),
            counted=np.ones(len(U)),
            noise_var=float(inputs.typical_noises[j]) ** 2,
            B=np.empty((0, Z.shape[1])),
            whitened=tuple(np.empty((0, n)) for _ in fields),
            apart_there=np.empty((len(p), 0)),
            L_B=np.empty((0, 0)),
            rows=np.empty((0, len(mean))),
        )

    def given(self, X: Array) -> ResponseState:
        """Given further points ``(b, e)`` without values, all at once."""
        if not len(X):
            return self
        p = self._p
        V = each(lambda field: field.whitened(X), self.fields)
        means = np.array([s * (w @ v) for s, w, v in zip(self.scales, self.white, V, strict=True)])
        apart = np.sqrt(p)[:, None] * (means - p @ means)
        with_A, with_B, own = apart.T @ self.apart, apart.T @ self.apart_there, apart.T @ apart
        places = zip(self.fields, V, self.whitened, strict=True)
        found = each(lambda place: place[0].with_all(X, *place[1:], self.B), places)
        for q, parts in zip(p * self.scales**2, found, strict=True):
            for whole, part in zip((with_A, with_B, own), parts, strict=True):
                whole += q * part
        own.flat[:: len(X) + 1] = np.maximum(own.diagonal() + self.noise_var, SMALLEST_VARIANCE)
        L_B = extend_cholesky(self.L_B, with_B, own)
        old = len(self.B)
        rows = whiten(L_B[old:, old:], with_A - L_B[old:, :old] @ self.rows)
        return replace(
            self,
            C=less_product(self.C, rows),
            s2=np.maximum(self.s2 - np.einsum("ij,ij->j", rows, rows), 0.0),
            B=np.vstack([self.B, X]),
            whitened=tuple(np.vstack([known, v.T]) for known, v in zip(self.whitened, V, strict=True)),
            apart_there=np.column_stack([self.apart_there, apart]),
            L_B=L_B,
            rows=np.vstack([self.rows, rows]),
        )

    def among(self, pool_rows: RowNumbers) -> ResponseState:
        """The same with some of the pool only, and all targets."""
        places = np.append(pool_rows, np.arange(len(self.C), len(self.s2)))
        return replace(
            self,
            fields=tuple(field.among(pool_rows) for field in self.fields),
            apart=self.apart[:, places],
            C=self.C[pool_rows],
            s2=self.s2[places],
            rows=self.rows[:, places],
        )

    def where_it_works(self, works: Array) -> ResponseState:
        """The same with targets that count as much as an experiment there is likely to work, ``(t,)``."""
        return replace(
            self, weights=self.weights * works, aimed=self.aimed * works, counted=self.counted * works
        )

    def covariances_of(self, pool_rows: RowNumbers) -> Array:
        """Covariance ``(p, m + t)`` of some of the pool with all places."""
        found: Array = self.apart[:, pool_rows].T @ self.apart - self.rows[:, pool_rows].T @ self.rows
        for q, scale, field in zip(self._p, self.scales, self.fields, strict=True):
            v = field.V.rows[:, pool_rows]
            found += q * scale**2 * field.covariance_with(field.A[pool_rows], v)
        return found

    @property
    def _p(self) -> Array:
        return np.array([model.weight for model in self.fitted.models])

    def score(self) -> Array:
        """The weighted drop of the mean squared error, ``(m,)``, and of the chance of a wrong side."""
        drop = (self.C * self.C) @ self.weights
        score: Array = drop / (len(self.weights) * self._denominator)
        left = self.s2[len(self.C) :]
        for level in self.levels:
            distance = (self.mean - level) / np.sqrt(np.maximum(left, SMALLEST_VARIANCE))
            score = score + contour_score(distance, self.counted, self.C, left, self._denominator)
        return score

    @property
    def _denominator(self) -> Array:
        return np.maximum(self.s2[: len(self.C)] + self.noise_var, SMALLEST_VARIANCE)

    def share_left(self, i: int) -> float:
        """Variance at pool point i as a share of what the models expect around their level there."""
        there = self.fields[0].A[i : i + 1]
        prior = [f.model.weight * f.model.variance_around_level(there)[0] for f in self.fields]
        return min(1.0, float(self.s2[i]) / float(prior @ self.scales**2))

    def error_after(self, i: int) -> tuple[float, float]:
        """Root mean square deviation over the targets now, and expected after measuring pool point i."""
        now = float(np.average(self.s2[len(self.C) :], weights=self.aimed))
        drop = float(np.average(self.C[i] ** 2, weights=self.aimed)) / float(self._denominator[i])
        return float(np.sqrt(now)), float(np.sqrt(max(now - drop, 0.0)))


@dataclass(frozen=True)
class MapErrorState(CriterionState):
    """All responses that vary, and points that have no value yet.

    Attributes
    ----------
    targets, floor, look_ahead
        Of the criterion.
    responses : tuple of ResponseState
        Given all points but the last few.
    waiting : (b, e) array
        Those: they enter when somebody asks for a score, and not at all if their values come first.
    points : (N, e) array
        All conditioning points.
    looked_at : (m,) array or None
        Scores of the pool without the waiting points, if they were needed: then a batch is being chosen.
    listed : Shortlist or None
        Where the best point was found, if the rest of the pool was not looked at.
    """

    targets: TargetChoice
    floor: float | None
    look_ahead: bool
    responses: tuple[ResponseState, ...]
    waiting: Array
    points: Array
    looked_at: Array | None = None
    listed: Shortlist | None = None

    @classmethod
    def of(
        cls,
        inputs: RoundInputs,
        targets: TargetChoice,
        floor: float | None,
        look_ahead: bool,
        known: tuple[ResponseState, ...] = (),
    ) -> MapErrorState:
        """Condition on everything in the inputs, from what an earlier round knew of each response."""
        informed = [j for j, fitted in enumerate(inputs.learnt) if fitted.informed]
        responses = []
        for i, j in enumerate(informed or [0]):
            old = known[i] if i < len(known) else None
            responses.append(ResponseState.of(inputs, j, targets, floor, old))
        if inputs.aim is not None:
            responses = _for_the_aim(inputs, targets, responses, look_ahead)
        if inputs.works is not None:
            works = inputs.works[targets.rows(len(inputs.y), len(inputs.targets))]
            responses = [r.where_it_works(works) for r in responses]
        return cls(targets, floor, look_ahead, tuple(responses), inputs.Z[len(inputs.y) :], inputs.Z)

    @cached_property
    def _now(self) -> tuple[ResponseState, ...]:
        return tuple(response.given(self.waiting) for response in self.responses)

    def score(self) -> Array:
        return np.sum([response.score() for response in self._now], axis=0)

    def best(self, weights: Array | None, free: NDArray[np.bool_]) -> tuple[CriterionState, int]:
        """Of the second and later points of a batch, most are found in a shortlist."""
        contours = any(len(response.levels) for response in self.responses)  # near one, worth may also grow
        if self.looked_at is not None and pays(len(self.looked_at)) and not contours:
            known = self.listed or Shortlist.of(self.responses, self.looked_at, free, self.waiting)
            listed = known.given(self.waiting)
            found = None if listed is None else listed.best(weights, free)
            if found is not None:
                return replace(self, listed=listed), found
        return super(MapErrorState, replace(self, listed=None)).best(weights, free)

    def score_at(self, i: int) -> float:
        listed = self.listed
        return super().score_at(i) if listed is None else float(listed.scores[listed.place_of(i)])

    def _around(self, i: int) -> tuple[tuple[ResponseState, ...], int]:
        """The responses at pool row i, and where it stands among their places."""
        listed = self.listed
        return (self._now, i) if listed is None else (listed.responses, listed.place_of(i))

    @property
    def variance(self) -> Array:
        m = len(self._now[0].C)
        return np.mean([response.s2[:m] for response in self._now], axis=0)

    def variance_at(self, i: int) -> float:
        responses, place = self._around(i)
        return float(np.mean([response.share_left(place) for response in responses]))

    def error_at(self, i: int) -> tuple[float, float, int]:
        """Of the response whose error falls most, as a share of itself."""
        responses, place = self._around(i)
        errors = [(*response.error_after(place), response.number) for response in responses]
        return min(errors, key=lambda error: error[1] / error[0] if error[0] > 0 else 1.0)

    def add(self, z: Array) -> CriterionState:
        points = np.vstack([self.points, z])
        if "_now" not in self.__dict__:  # nobody has asked for it
            return replace(self, waiting=np.vstack([self.waiting, z]), points=points)
        looked_at = self.__dict__.get("_scores")
        return replace(
            self, responses=self._now, waiting=z[None], points=points, looked_at=looked_at, listed=None
        )

    def fits(self, inputs: RoundInputs) -> bool:
        """Whether the measured points begin with those known here; what is pending may have changed."""
        first = self.responses[0].fields[0]
        return begins_with(inputs.Z[: len(inputs.y)], first.Z)

    def refresh(self, inputs: RoundInputs) -> CriterionState:
        """Take in the values, and the models if they were fitted anew."""
        return self.of(inputs, self.targets, self.floor, self.look_ahead, self.responses)

    @property
    def Z(self) -> Array:
        return self.points

    @property
    def jitter(self) -> float:
        return max(field.jitter for response in self.responses for field in response.fields)


def _for_the_aim(
    inputs: RoundInputs, targets: TargetChoice, responses: list[ResponseState], look_ahead: bool
) -> list[ResponseState]:
    """The same with targets that count as much as they do for the aim."""
    aim = inputs.aim
    assert aim is not None
    t, (n, k) = responses[0].C.shape[1], inputs.y.shape
    mean, variance = np.zeros((t, k)), np.ones((t, k))  # nothing is known of a response that did not vary
    for response in responses:
        mean[:, response.number], variance[:, response.number] = response.mean, response.s2[-t:]
    places = inputs.targets[targets.rows(n, len(inputs.targets))]
    aimed = aim.weights(places, mean, variance)
    beside = aim.weights(places, mean, variance, beside_contours=True)
    found = []
    for r in responses:
        levels = aim.contours(r.number) if look_ahead else np.empty(0)
        counts = FLOOR * beside if len(levels) else aimed
        found.append(replace(r, weights=r.weights * counts, aimed=aimed, levels=levels, counted=beside))
    return found


def _change(at_U: Array, at_Z: Array, U: Array, Z: Array, floor: float | None) -> Array:
    """Weights ``(t,)`` of the targets, from the mean there and at the measurements."""
    if floor is None or not len(Z):
        return np.ones(len(U))
    square = (at_U - at_Z[cdist(U, Z, "sqeuclidean").argmin(axis=1)]) ** 2
    mean_square = float(square.mean())
    if not mean_square > 1e-16:
        return np.ones(len(U))
    return np.asarray((floor + square / mean_square) / (1.0 + floor))
