"""``baybe``: BayBE's recommender with its acquisition for active learning, over the seed's pool.

The pool is a discrete search space: numbers scaled to [0, 1], an angle like other numbers, categories one-hot
encoded as BayBE does it by itself. Its surrogate is its default Gaussian process, fitted in every round, its
acquisition the posterior standard deviation.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from equiwarp.bench.arms import Arm, Stepper
from equiwarp.bench.functions.catalogue import Benchmark
from equiwarp.bench.peers.botorch_mixed import coded
from equiwarp.bench.peers.packages import load_package, only_boxes
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.domains import Array
from equiwarp.engine.configuration import prepare

NAME = "baybe"
#: The first so many points of the pool: BayBE takes seconds for more.
POOL = 512
TARGET = "value"


class BaybeStepper(Stepper):
    """The pool's rows as BayBE has them, and one recommendation after the other."""

    def __init__(self, seeded: SeededBenchmark) -> None:
        self.torch = load_package("torch", NAME)
        self.domain, self.seed = seeded.benchmark.domain, seeded.seed
        self.configuration = prepare(self.domain, "fps", seeded.seed, pool=seeded.pool[:POOL])
        space, self.parameters = (
            load_package("baybe.searchspace", NAME),
            load_package("baybe.parameters", NAME),
        )
        self.rows = self.table(self.configuration.pool)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.space = space.SearchSpace.from_dataframe(self.rows, self._parameters())
            target = load_package("baybe.targets", NAME).NumericalTarget(TARGET)
            self.objective = load_package("baybe.objectives", NAME).SingleTargetObjective(target)
            acquisition = load_package("baybe.acquisition", NAME).PosteriorStandardDeviation()
            recommender = load_package("baybe.recommenders", NAME).BotorchRecommender
            self.recommender = recommender(acquisition_function=acquisition)

    def table(self, x: Array) -> Any:
        """Points as a dataframe, categories by name."""
        pandas, u = load_package("pandas", NAME), coded(self.domain, x)
        columns: dict[str, Any] = {}
        for i, name in enumerate(self.domain.names):
            names = self.domain.categories.get(name)
            columns[name] = [names[int(value)] for value in u[:, i]] if names else u[:, i]
        return pandas.DataFrame(columns)

    def _parameters(self) -> list[Any]:
        found = []
        for name in self.domain.names:
            names = self.domain.categories.get(name)
            if names:
                found.append(self.parameters.CategoricalParameter(name, names, encoding="OHE"))
            else:
                values = np.unique(self.rows[name])
                found.append(self.parameters.NumericalDiscreteParameter(name, values, tolerance=0.0))
        return found

    def next(self, x: Array, y: Array) -> Array:
        free = np.ones(len(self.configuration.pool), dtype=bool)
        free[self.configuration.taken(x)] = False
        known = self.table(x)
        known[TARGET] = y
        with warnings.catch_warnings(), self.torch.random.fork_rng(devices=[]):
            warnings.simplefilter("ignore")
            self.torch.manual_seed(len(x))
            row = self.best(known, np.flatnonzero(free))
        return self.configuration.pool[row]

    def best(self, known: Any, free: np.ndarray[Any, np.dtype[np.intp]]) -> int:
        """The row of the pool with the largest acquisition value among the free ones."""
        values = self.recommender.acquisition_values(self.rows.iloc[free], self.space, self.objective, known)
        return int(free[int(np.argmax(values.to_numpy()))])


class Baybe(Arm):
    """BayBE as it comes, for learning a function rather than its optimum."""

    name = NAME

    def start(self, seeded: SeededBenchmark, lengthscale_factor: float = 1.0) -> Stepper:
        return BaybeStepper(seeded)

    def objection(self, benchmark: Benchmark) -> str | None:
        return only_boxes(benchmark)
