"""Look one experiment ahead at the nearest-neighbour map: measure where its error is expected to fall most.

A probe u is reconstructed by its nearest observation. Measuring at x changes that only for the probes
that x would be nearest to, and lowers the expected squared error by

    sum_u E[(f(u) - f(nn(u)))^2] - E[(f(u) - f(x))^2],

expectations under the acquisition posterior: squared differences of means, plus beta times the
variances of the differences. Of the latter, s^2(u) is common to both and cancels, and f at an
observed point has no variance worth counting, which leaves beta (2 cov(u, x) - s^2(x)). The mean has a
quadratic trend, so that it goes on growing beyond the last measurement if the function does: a point at
a face would take over few probes, and is measured only if the mean promises much there.

Some of these probes gain and some lose. The plain sum would never enter a wide gap: f at a single
point in it says little of the rest, though several points together would. So the score is the sum of
the gains, times the gains' share of all that changes: G^2 / (G + L).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import scipy  # its parts load when they are first used

from equiwarp.domains import Array
from equiwarp.exceptions import InvalidInput
from equiwarp.gp.field import Field
from equiwarp.gp.kernels import Matern52
from equiwarp.gp.trend import Trend, coefficients
from equiwarp.strategy.base import Criterion, CriterionState, FieldState, RoundInputs
from equiwarp.strategy.cells import Cells

#: Weight of the posterior variance against the squared means. The acquisition GP's unit variance is a
#: convention rather than an estimate; a tenth to one changes little on the smooth boxes.
BETA = 0.3
#: More gain nothing on the smooth boxes (10 seeds), and half as many cost a point of area reduction.
MOST_PROBES = 8192


@dataclass(frozen=True)
class NearestState(FieldState):
    """The posterior at pool and probes, and the pairs in which a pool point would take over.

    Attributes
    ----------
    field : Field
        At the pool (first m points) and the probes (the rest).
    mean : (m + q, k) array
        Posterior mean there; pending points do not change it.
    mean_observed : (N, k) array
        Posterior mean at the conditioning points.
    white : (n, k) array
        ``L^-1`` times what the trend leaves of the measured values.
    trend : Trend
    columns : (m + q, p) array
        The trend's, at pool and probes.
    b : (p, k) array
        Its coefficients.
    """

    field: Field
    m: int
    cells: Cells
    mean: Array
    mean_observed: Array
    white: Array
    trend: Trend
    columns: Array
    b: Array
    noise_var: float
    beta: float
    probes_per_point: int

    def score(self) -> Array:
        cells, k = self.cells, self.mean.shape[1]
        at_probe, at_pool = self.mean[self.m :], self.mean[: self.m]
        now = _squares(at_probe - self.mean_observed[cells.owner])
        # The squared difference of means, expanded, so that each pair gathers few numbers. The same
        # variance stands for every response, each being standardised.
        of_probe = np.column_stack([now - _squares(at_probe), 2.0 * at_probe])
        of_pool = _squares(at_pool) + self.beta * k * self.variance
        net, total = np.zeros(self.m), np.zeros(self.m)
        for pool, pairs in cells.blocks():
            terms = cells.at_probes(of_probe, pairs)
            change = (2.0 * self.beta * k) * cells.covariance[pairs]
            change += terms[:, 0]
            change -= cells.at_pool(of_pool, pool)
            for j in range(k):
                product = cells.at_pool(at_pool[:, j], pool)
                product *= terms[:, 1 + j]
                change += product
            change *= cells.alive[pairs]
            net[pool] = cells.sum_over(change, pool)
            total[pool] = cells.sum_over(np.abs(change, out=change), pool)
        gain = 0.5 * (total + net)
        return gain * gain / np.maximum(total, 1e-300)

    def add(self, z: Array) -> CriterionState:
        field = self.field.add(z, self.noise_var)
        row, probes = field.last_row, self.field.P[self.m :]
        to_new = np.sqrt(_squares(probes - z))
        cells = self.cells.add(to_new, len(self.field.Z), row[: self.m], row[self.m :])
        at_z = field.L[-1, : len(self.white)] @ self.white + self.trend(z[None])[0] @ self.b
        return replace(self, field=field, cells=cells, mean_observed=np.vstack([self.mean_observed, at_z]))

    def refresh(self, inputs: RoundInputs) -> CriterionState:
        """Take in the values: triangular solves and a product."""
        n, k = inputs.varying.shape
        L, at_Z = self.field.L, self.trend(self.field.Z)
        both = np.concatenate([inputs.varying, at_Z[:n]], axis=1)
        both = scipy.linalg.solve_triangular(L[:n, :n], both, lower=True, check_finite=False)
        b = coefficients(both[:, k:], both[:, :k])
        white = both[:, :k] - both[:, k:] @ b
        alpha = scipy.linalg.solve_triangular(L[:n, :n], white, lower=True, trans="T", check_finite=False)
        mean_observed = L[:, :n] @ white + at_Z @ b
        mean_observed[:n] -= (self.field.noise_var[:n] + self.field.jitter)[:, None] * alpha
        mean = self.field.V.rows[:n].T @ white + self.columns @ b
        return replace(self, mean=mean, mean_observed=mean_observed, white=white, b=b)

    def fits(self, inputs: RoundInputs) -> bool:
        """False also when so many points were added that more probes are needed."""
        probes = min(probes_wanted(len(inputs.x), self.probes_per_point), len(inputs.probes))
        return len(self.field.P) - self.m == probes and super().fits(inputs)

    @property
    def pool_size(self) -> int:
        return self.m


@dataclass(frozen=True)
class NearestLookahead(Criterion):
    """Expected drop of the nearest-neighbour error, for the map that an interpolating table gives.

    Not for a smooth model's map: a Gaussian process needs points where it extrapolates, and this
    criterion sees no difference between interpolating and extrapolating.
    """

    uses_values: ClassVar[bool] = True
    by_distance: ClassVar[bool] = True
    beta: float = BETA
    probes_per_point: int = 64

    def begin(self, inputs: RoundInputs) -> CriterionState:
        if len(inputs.y) == 0:
            raise InvalidInput("looking ahead needs at least one measured value; start with `sobol`")
        Q = inputs.warp(inputs.probes[: probes_wanted(len(inputs.x), self.probes_per_point)])
        m = len(inputs.P)
        field = Field.of(inputs.kernel, np.concatenate([inputs.P, Q]), inputs.Z, inputs.noise_var)
        trend = Trend.of(inputs.domain, inputs.probes)
        assert isinstance(inputs.kernel, Matern52)
        cells = Cells.of(inputs.kernel, inputs.P, Q, inputs.Z, field.V.rows)
        empty = np.empty((0, inputs.varying.shape[1]))
        state = NearestState(
            field=field,
            m=m,
            cells=cells,
            mean=empty,
            mean_observed=empty,
            white=empty,
            trend=trend,
            columns=trend(field.P),
            b=empty,
            noise_var=inputs.typical_noise**2,
            beta=self.beta,
            probes_per_point=self.probes_per_point,
        )
        return state.refresh(inputs)


def probes_wanted(n: int, per_point: int) -> int:
    """How many probes resolve the cells of n points: so many a point, n rounded up to a power of two.

    Few points have large cells, which few probes resolve, and large cells make many pairs.
    """
    return min(MOST_PROBES, int(per_point << max(0, n - 1).bit_length()))


def _squares(rows: Array) -> Array:
    """Sum of squares of each row."""
    return np.einsum("ij,ij->i", rows, rows)
