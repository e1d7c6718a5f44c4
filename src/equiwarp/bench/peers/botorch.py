"""``botorch-std`` and ``botorch-nipv``: BoTorch's SingleTaskGP as it comes, over the seed's pool.

The model is BoTorch's default (its kernel, priors and standardisation) with the known noise. It is
fitted by marginal likelihood whenever the data have grown by a few per cent, as our own strategies
with a fitted lengthscale are, and conditioned on all data in every round.

BoTorch's ``qNegIntegratedPosteriorVariance`` takes minutes for a pool of 4,096. For one new point its
value is ``mean_u s^2(u) - mean_u cov(u, x)^2 / (s^2(x) + noise^2)``, negated, so this formula ranks the
pool under BoTorch's posterior, and BoTorch's function decides among the first few.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from equiwarp.bench.arms import Arm, Stepper
from equiwarp.bench.functions.catalogue import Benchmark
from equiwarp.bench.peers.packages import load_package, only_boxes
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.domains import Array
from equiwarp.engine.configuration import RunConfiguration, prepare
from equiwarp.gp.spacing import refit_size

#: Pool points whose covariance with the targets is computed at a time.
POOL_AT_A_TIME = 1024
#: Pool points among which qNegIntegratedPosteriorVariance itself decides.
FINALISTS = 2


class BotorchStepper(Stepper):
    """A SingleTaskGP, fitted now and then, and a score over the pool."""

    name: str

    def __init__(self, seeded: SeededBenchmark, configuration: RunConfiguration) -> None:
        self.torch = load_package("torch", self.name)
        self.models = load_package("botorch.models", self.name)
        self.configuration, self.noise = configuration, seeded.noise
        self.pool, self.targets = self.tensor(configuration.pool), self.tensor(configuration.targets)
        self.fitted: tuple[int, Any] = (0, None)

    def tensor(self, values: Array) -> Any:
        return self.torch.as_tensor(np.array(values), dtype=self.torch.float64)

    def next(self, x: Array, y: Array) -> Array:
        free = np.ones(len(self.configuration.pool), dtype=bool)
        free[self.configuration.taken(x)] = False
        with _quiet(), self.torch.no_grad():
            return self.configuration.pool[self.choose(self.model(x, y), free)]

    def model(self, x: Array, y: Array) -> Any:
        """Conditioned on all of ``x`` (n, d), with the hyperparameters of its first ``refit_size(n)``."""
        size = refit_size(len(x))
        if self.fitted[0] != size:
            self.fitted = size, self._fit(x[:size], y[:size]).state_dict()
        model = self._model(x, y)
        # The scale of the values is the present sample's; only what was fitted is taken over.
        parameters = dict(model.named_parameters())
        known = {key: value for key, value in self.fitted[1].items() if key in parameters}
        model.load_state_dict(known, strict=False)
        return model.eval()

    def _model(self, x: Array, y: Array) -> Any:
        values = self.tensor(y[:, None])
        return self.models.SingleTaskGP(self.tensor(x), values, self.torch.full_like(values, self.noise**2))

    def _fit(self, x: Array, y: Array) -> Any:
        mlls, fit = load_package("gpytorch.mlls", self.name), load_package("botorch.fit", self.name)
        with self.torch.enable_grad(), self.torch.random.fork_rng(devices=[]):
            self.torch.manual_seed(len(x))  # a fit that has to try again starts from a random place
            model = self._model(x, y)
            fit.fit_gpytorch_mll(mlls.ExactMarginalLogLikelihood(model.likelihood, model))
        return model

    @abstractmethod
    def choose(self, model: Any, free: np.ndarray[Any, np.dtype[np.bool_]]) -> int:
        """Row of the pool to measure next."""


class DeviationStepper(BotorchStepper):
    """Largest posterior standard deviation."""

    name = "botorch-std"

    def choose(self, model: Any, free: np.ndarray[Any, np.dtype[np.bool_]]) -> int:
        deviation = model.posterior(self.pool[:, None, :]).variance.sqrt().reshape(-1).numpy()
        return int(np.argmax(np.where(free, deviation, -np.inf)))


class IntegratedStepper(BotorchStepper):
    """Largest qNegIntegratedPosteriorVariance over the run's targets."""

    name = "botorch-nipv"

    def choose(self, model: Any, free: np.ndarray[Any, np.dtype[np.bool_]]) -> int:
        reduction = np.where(free, self.reduction(model), -np.inf)
        finalists = np.sort(np.argsort(-reduction, kind="stable")[:FINALISTS])
        finalists = finalists[free[finalists]]
        return int(finalists[np.argmax(self.integrated(model, finalists))])

    def reduction(self, model: Any) -> Array:
        """What one measurement takes off the mean variance at the targets, by pool point ``(m,)``.

        From the model's own kernel and noise: ``model.posterior`` would also compute the covariances
        within pool and targets, three quarters of the work.
        """
        kernel, x, solve = model.covar_module, model.train_inputs[0], self.torch.linalg.solve_triangular
        noise = model.likelihood.noise
        L = self.torch.linalg.cholesky(kernel(x).to_dense() + self.torch.diag(noise.expand(len(x))))
        at_targets = solve(L, kernel(x, self.targets).to_dense(), upper=False)
        parts = []
        for block in self.pool.split(POOL_AT_A_TIME):
            here = solve(L, kernel(x, block).to_dense(), upper=False)
            covariance = kernel(block, self.targets).to_dense() - here.T @ at_targets
            variance = kernel(block, diag=True) - here.square().sum(dim=0)
            parts.append(covariance.square().mean(dim=1) / (variance + noise.mean()))
        # In the units of the values, not in the standardised ones of the likelihood.
        latent = model.outcome_transform
        scale = float(latent.stdvs.reshape(-1)[0]) if latent is not None else 1.0
        return scale**2 * self.torch.cat(parts).numpy()

    def integrated(self, model: Any, rows: np.ndarray[Any, np.dtype[np.intp]]) -> Array:
        """BoTorch's own value at these rows of the pool."""
        learning = load_package("botorch.acquisition.active_learning", self.name)
        acquisition = learning.qNegIntegratedPosteriorVariance(model, mc_points=self.targets)
        return acquisition(self.pool[self.torch.as_tensor(rows)][:, None, :]).reshape(-1).numpy()


class BotorchArm(Arm):
    """One of BoTorch's acquisition functions over the pool that every arm of the seed has."""

    stepper: type[BotorchStepper]

    def start(self, seeded: SeededBenchmark, lengthscale_factor: float = 1.0) -> Stepper:
        configuration = prepare(seeded.benchmark.domain, "nipv", seeded.seed, pool=seeded.pool)
        return self.stepper(seeded, configuration)

    def objection(self, benchmark: Benchmark) -> str | None:
        return only_boxes(benchmark)


class Deviation(BotorchArm):
    """Posterior standard deviation."""

    name = "botorch-std"
    stepper = DeviationStepper


class Integrated(BotorchArm):
    """Integrated posterior variance."""

    name = "botorch-nipv"
    stepper = IntegratedStepper


@contextmanager
def _quiet() -> Iterator[None]:
    """Without BoTorch's advice on how inputs and values should be scaled, which a stepper cannot take."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
