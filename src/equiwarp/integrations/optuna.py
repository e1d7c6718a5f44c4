"""Optuna: a sampler that maps, so that Optuna's storage and dashboard can host a mapping study.

Completed trials are the measurements (one response per objective, directions do not matter), running
ones are pending, failed and pruned ones are avoided as if they were pending.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from equiwarp.domains import Array, Box, Category, Domain, Parameter
from equiwarp.exceptions import InvalidInput
from equiwarp.integrations.guide import Guide
from equiwarp.strategy import DEFAULT_STRATEGY, Strategy


class EquiwarpSampler(BaseSampler):  # type: ignore[misc, unused-ignore]
    """Suggest where the function is least known, geometry corrected.

    Parameters
    ----------
    space : Box or dict of distributions, optional
        What the objective will ask for. Without it the first trials are random and the space is
        what all completed trials have in common.
    strategy, noise, seed, n0
        See :class:`equiwarp.integrations.guide.Guide`.

    Notes
    -----
    Refused, because Optuna has no way to say it: mixtures, spheres and constraints between
    parameters (each parameter is drawn within bounds of its own), angles. A categorical parameter is a
    choice between texts; between numbers it is refused, since nothing says whether they have an order.
    Refused, because a map has one domain: parameters that only some trials ask for.
    """

    def __init__(
        self,
        space: Domain | Mapping[str, BaseDistribution] | None = None,
        *,
        strategy: str | Strategy = DEFAULT_STRATEGY,
        noise: float | Sequence[float] | None = None,
        seed: int = 0,
        n0: int | None = None,
    ) -> None:
        self._space = None if space is None else _distributions(space)
        self._guide = Guide(strategy, noise, seed, n0)
        self._common = IntersectionSearchSpace()
        self._random = RandomSampler(seed)
        self._handed_out: dict[int, dict[str, float | str]] = {}
        self._lock = Lock()

    def reseed_rng(self) -> None:
        self._random.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        found = self._common.calculate(study) if self._space is None else self._space
        return {name: d for name, d in sorted(found.items()) if not d.single()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        if not search_space:
            return {}
        box = Box({name: _parameter(name, d) for name, d in search_space.items()})
        with self._lock:  # threads of one study: nobody may think while a choice is not yet written down
            x, y, pending = self._design(study, trial, box)
            point = self._guide.points(box, x, y, 1, pending or None)[0]
            self._handed_out[trial.number] = box.named(point)
        return {
            name: int(value) if isinstance(search_space[name], IntDistribution) else value
            for name, value in self._handed_out[trial.number].items()
        }

    def _design(self, study: Study, trial: FrozenTrial, box: Box) -> tuple[list[Any], Array, list[Any]]:
        """Measured points, their values ``(n, k)``, and the points of all other trials."""
        x, y, pending = [], [], []
        for other in study.get_trials(deepcopy=False):
            # Parameters reach the storage one by one, after the choice.
            params = {**self._handed_out.get(other.number, {}), **other.params}
            if other.number == trial.number or not all(name in params for name in box.names):
                continue
            point = [params[name] for name in box.names]
            if other.state == TrialState.COMPLETE and np.isfinite(other.values).all():
                x.append(point)
                y.append(other.values)
            else:
                pending.append(point)
        return x, np.array(y, dtype=float).reshape(len(x), len(study.directions)), pending

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        self._handed_out.pop(trial.number, None)

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=Lock())

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        _parameter_or_single(param_name, param_distribution)
        known = self._space if self._space is not None else self._common.calculate(study)
        if known and not param_distribution.single():
            raise InvalidInput(
                f"trial {trial.number} asks for {param_name!r} = {param_distribution}, but the study maps "
                f"{sorted(known)}: a map has one domain, in which every trial sets every parameter within "
                "the same bounds"
            )
        return self._random.sample_independent(study, trial, param_name, param_distribution)


def _distributions(space: Domain | Mapping[str, BaseDistribution]) -> dict[str, BaseDistribution]:
    if isinstance(space, Mapping):
        for name, distribution in space.items():
            _parameter_or_single(name, distribution)
        return dict(space)
    if not isinstance(space, Box):  # its distributions are bounds of one parameter each: nothing else fits
        raise InvalidInput(
            f"{space!r}: Optuna draws each parameter within bounds of its own and cannot say that they "
            "depend on each other; map this domain with equiwarp.Campaign instead"
        )
    return {n: _distribution(n, p) for n, p in zip(space.names, space.parameters, strict=True)}


def _distribution(name: str, parameter: Parameter | Category) -> BaseDistribution:
    if isinstance(parameter, Category):
        return CategoricalDistribution(parameter.categories)
    if parameter.periodic:
        raise InvalidInput(f"parameter {name!r}: Optuna knows no angles; map it with equiwarp.Campaign")
    if parameter.levels is not None or (parameter.step is not None and parameter.scale == "log"):
        raise InvalidInput(
            f"parameter {name!r}: Optuna's numbers are continuous or in equal steps on a linear scale; "
            "use equiwarp.Campaign for a list of levels"
        )
    return FloatDistribution(parameter.low, parameter.high, log=parameter.scale == "log", step=parameter.step)


def _parameter_or_single(name: str, distribution: BaseDistribution) -> None:
    """Refuse what cannot be an axis of a box; a single value needs no axis."""
    if not distribution.single():
        _parameter(name, distribution)


def _parameter(name: str, distribution: BaseDistribution) -> Parameter | Category:
    if isinstance(distribution, CategoricalDistribution) and all(
        isinstance(choice, str) for choice in distribution.choices
    ):
        return Category(tuple(map(str, distribution.choices)))
    if not isinstance(distribution, FloatDistribution | IntDistribution):
        raise InvalidInput(
            f"parameter {name!r} is {distribution}: a map needs numbers or names; choose between texts, or "
            "between ordered numbers"
        )
    return Parameter(
        distribution.low,
        distribution.high,
        scale="log" if distribution.log else "linear",
        step=distribution.step,
    )
