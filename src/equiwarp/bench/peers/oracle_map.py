"""``oracle-map``: the greedy choice of someone who knows f, under the averaged map that a campaign draws.

Let the map's models m have weights p_m, means mu_m and covariances C_m. Measuring x without noise would
make the map

    mu'(u) = sum_m p_m [mu_m(u) + C_m(u, x) (f(x) - mu_m(x)) / (C_m(x, x) + noise^2)],

and the gain of x is the drop of the squared error over targets u,

    sum_u (f(u) - mu(u))^2 - (f(u) - mu'(u))^2.

Hyperparameters and weights are those of the map after the last few measurements, fitted anew on the
schedule of the strategy `map`. It is a limit of greedy choices from this pool under this map, and of
nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from equiwarp.bench.arms import Arm, Stepper
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.domains import Array
from equiwarp.engine.configuration import PoolIndex, prepare
from equiwarp.gp.spacing import refit_size
from equiwarp.maps.map import build_map
from equiwarp.models.average import Average
from equiwarp.models.exact import ExactPosterior
from equiwarp.models.gaussian_process import GaussianProcess

#: Places over which the error is taken.
TARGETS = 512


@dataclass
class MemberField:
    """One model of the map at pool, start and targets, given one measurement after the other.

    Attributes
    ----------
    model : GaussianProcess
        As it was fitted.
    weight, noise_var : float
    A : (a, e) array
        Pool, start and targets.
    V : (n, a) array
        Covariance with ``A``, whitened; a row for each measurement.
    C : (m, t) array
        Covariance between pool and targets.
    variance, mean : (a,) arrays
    """

    model: GaussianProcess
    weight: float
    noise_var: float
    A: Array
    V: Array
    C: Array
    variance: Array
    mean: Array

    @classmethod
    def of(cls, model: GaussianProcess, weight: float, noise: float, A: Array, m: int, t: int) -> MemberField:
        """The model at places of which the first m are the pool and the last t the targets."""
        posterior = model.posterior_
        assert isinstance(posterior, ExactPosterior)
        K = posterior.prior.gram(posterior.t, posterior.X, A)
        V = model.scale_ * solve_triangular(posterior.L, K, lower=True, check_finite=False)
        mean, deviation = model.predict(A, return_std=True)
        C = model.covariance(A[:m], A[-t:])
        return cls(model, weight, noise**2, A, V, C, deviation**2, mean)

    def add(self, i: int, value: float) -> None:
        """Take in a measurement at place i of ``A``: a rank-one update of everything."""
        m, t = self.C.shape
        posterior = self.model.posterior_
        prior = self.model.scale_**2 * posterior.prior.gram(posterior.t, self.A[i : i + 1], self.A)[0]
        unit = np.sqrt(self.variance[i] + self.noise_var)
        row = (prior - self.V[:, i] @ self.V) / unit
        self.mean = self.mean + row * ((value - self.mean[i]) / unit)
        self.V = np.vstack([self.V, row])
        self.C -= row[:m, None] * row[None, -t:]
        self.variance = np.maximum(self.variance - row**2, 0.0)


class MapOracleStepper(Stepper):
    """The map's models, fitted now and then, and kept up to date in between."""

    def __init__(self, seeded: SeededBenchmark) -> None:
        f, domain = seeded.benchmark, seeded.benchmark.domain
        self.configuration = prepare(domain, "fps", seeded.seed, pool=seeded.pool)
        self.domain, self.noise = domain, seeded.noise
        places = np.concatenate([seeded.pool, seeded.start])
        targets = self.configuration.targets[:TARGETS]
        self.index = PoolIndex.of(domain, places)
        self.m, self.U = len(seeded.pool), domain.embed(targets)
        self.A = np.concatenate([domain.embed(places), self.U])
        self.f_pool, self.f_target = f(seeded.pool), f(targets)
        self.size = self.known = 0
        self.members: list[MemberField] = []

    def next(self, x: Array, y: Array) -> Array:
        gain = self.gains(x, y)
        gain[self.configuration.taken(x)] = -np.inf
        return self.configuration.pool[int(np.argmax(gain))]

    def gains(self, x: Array, y: Array) -> Array:
        """What each pool point would take off the squared error, summed over the targets, ``(m,)``."""
        self._take_in(x, y)
        m, t = self.m, len(self.U)
        missed = self.f_target - sum(member.weight * member.mean[-t:] for member in self.members)
        shift = np.zeros((m, t))
        for member in self.members:
            surprise = (self.f_pool - member.mean[:m]) / (member.variance[:m] + member.noise_var)
            shift += (member.weight * surprise)[:, None] * member.C
        return np.asarray(2.0 * shift @ missed - np.einsum("ij,ij->i", shift, shift))

    def _take_in(self, x: Array, y: Array) -> None:
        size = refit_size(len(x))
        if size != self.size or len(x) < self.known:
            fitted = build_map(self.domain, x[:size], y[:size], self.noise).models[0]
            assert isinstance(fitted, Average)
            self.members = [
                MemberField.of(model, float(weight), self.noise, self.A, self.m, len(self.U))
                for model, weight in zip(fitted.members, fitted.weights, strict=True)
                if isinstance(model, GaussianProcess)
            ]
            self.size = self.known = size
        for point, value in zip(x[self.known :], y[self.known :], strict=True):
            place = int(self.index.rows(point[None])[0])
            for member in self.members:
                member.add(place, float(value))
        self.known = len(x)


class MapOracle(Arm):
    """Knows f. Not a method: it measures how much of the possible gain a method reaches under the map."""

    name = "oracle-map"

    def start(self, seeded: SeededBenchmark, lengthscale_factor: float = 1.0) -> Stepper:
        return MapOracleStepper(seeded)
