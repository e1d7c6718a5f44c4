"""BoTorch on a list: a SingleTaskGP that estimates its noise, and integrated posterior variance.

The model is BoTorch's default, fitted anew before each batch; every column is scaled to the range of the
list, as its documentation asks, those of mixtures, too. The points of a batch are chosen one after the other:
the variance does not depend on the value that will be measured, so the mean stands in for it. Where
experiments failed, BoTorch is not told.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from equiwarp.bench.peers.botorch import IntegratedStepper, _quiet
from equiwarp.domains import Array, Candidates
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements


class BotorchList(IntegratedStepper):
    """Chooses rows of a list; see :class:`equiwarp.bench.peers.botorch.IntegratedStepper`."""

    def __init__(self, domain: Candidates, seed: int) -> None:
        configuration = prepare(domain, "nipv", seed)
        super().__init__(SimpleNamespace(noise=None), configuration)  # type: ignore[arg-type]
        self.box = Candidates(domain.points, domain.names)
        self.pool = self.tensor(self.box.embed(configuration.pool))
        self.targets = self.tensor(self.box.embed(configuration.targets))

    def _model(self, x: Array, y: Array) -> Any:
        return self.models.SingleTaskGP(self.tensor(x), self.tensor(np.atleast_2d(y.T).T))

    def __call__(self, known: Measurements, n: int) -> Array:
        """The next n rows of the list; only the first response counts."""
        box, pool = self.box, self.configuration.pool
        z, y = box.embed(known.x), known.y[:, 0]
        free = np.ones(len(pool), dtype=bool)
        free[self.configuration.taken(known.locations)] = False
        chosen: list[int] = []
        with _quiet():
            fitted = self._fit(z, y).state_dict()
            for _ in range(n):
                model = self._conditioned(z, y, fitted)
                with self.torch.no_grad():
                    best = self.choose(model, free)
                    mean = float(model.posterior(self.pool[[best]]).mean)
                chosen.append(best)
                free[best] = False
                z, y = np.vstack([z, box.embed(pool[[best]])]), np.append(y, mean)
        return pool[chosen]

    def _conditioned(self, z: Array, y: Array, fitted: dict[str, Any]) -> Any:
        model = self._model(z, y)
        parameters = dict(model.named_parameters())
        model.load_state_dict({k: v for k, v in fitted.items() if k in parameters}, strict=False)
        return model.eval()
