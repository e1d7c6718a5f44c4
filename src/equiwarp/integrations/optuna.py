"""Optuna: a sampler that maps, so that Optuna's storage and dashboard can host a mapping study.

Completed trials are the measurements (one response per objective, directions do not matter), running
and enqueued ones are pending, failed and pruned ones are avoided as if they were pending.

Parameters reach Optuna's storage one by one, after the choice. So a choice is written down with its trial as
soon as it is made, where the threads and processes of a study can see it, and looked at once more: of two
that have chosen the same, at least one chooses again.
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
from equiwarp.integrations.host_record import HostRecord
from equiwarp.strategy import DEFAULT_STRATEGY, Strategy

#: Where a trial's choice is kept from when it is made until all parameters are in the storage.
RESERVED = "equiwarp:reserved"
#: Where Optuna keeps the parameters of an enqueued trial.
ENQUEUED = "fixed_params"
#: How often a choice is made again because another process has made the same; then there is hardly a choice.
MOST_ATTEMPTS = 8


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
    Refused, because a map has one domain: parameters that only some trials ask for. Trials outside the
    space, as Optuna lets one enqueue them, are not used.
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
        self._lock = Lock()

    def reseed_rng(self) -> None:
        self._random.reseed_rng()

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial | None
    ) -> dict[str, BaseDistribution]:
        found = self._common.calculate(study) if self._space is None else self._space
        return {name: d for name, d in sorted(found.items()) if not d.single()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        if not search_space:
            return {}
        box = Box({name: _parameter(name, d) for name, d in search_space.items()})
        with self._lock:  # threads of one study take turns; processes notice each other
            chosen = self._choose(study, trial, box)
        return {
            name: int(value) if isinstance(search_space[name], IntDistribution) else value
            for name, value in chosen.items()
        }

    def _choose(self, study: Study, trial: FrozenTrial, box: Box) -> dict[str, float | str]:
        """A place of the trial's own, written down with it."""
        same: list[int] = []
        for _ in range(MOST_ATTEMPTS):
            trials = _inside(_places(study, trial, box), box)
            # Of those that meet at a place, the one with the lowest number takes the next one, and so on.
            rank = sum(number < trial.number for number in same)
            point = self._guide.points(box, *_design(study, trials), rank + 1, _waiting(trials))[-1]
            chosen = box.named(point)
            study._storage.set_trial_system_attr(trial._trial_id, RESERVED, chosen)
            here = [chosen[name] for name in box.names]
            later = _places(study, trial, box)
            # Those that were there before are no accident: a small grid has nothing else left.
            same = [
                n for n, (place, _) in later.items() if place == here and trials.get(n, [None])[0] != here
            ]
            if not same:
                break
        return chosen

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


def record_of(study: Study) -> HostRecord:
    """What any study has measured; a sampler of ours says in which space and with what noise."""
    sampler = study.sampler if isinstance(study.sampler, EquiwarpSampler) else EquiwarpSampler()
    space = sampler.infer_relative_search_space(study, None)
    if not space:
        raise InvalidInput(f"study {study.study_name!r} has no parameter that all its trials share")
    box = Box({name: _parameter(name, d) for name, d in space.items()})
    trials = _places(study, None, box)
    x, y = _design(study, trials)
    failed = [place for place, t in trials.values() if t.state in (TrialState.FAIL, TrialState.PRUNED)]
    count = len(study.directions)
    names = study.metric_names or (["value"] if count == 1 else [f"value_{i}" for i in range(count)])
    rows, lost = ([box.numbers(dict(zip(box.names, p, strict=True))) for p in group] for group in (x, failed))
    return HostRecord(box, tuple(names), rows, y, sampler._guide.noise, failed=lost)


#: Trials by number: where they measure, as far as is known, and the trial.
Trials = dict[int, tuple[list[Any], FrozenTrial]]


def _places(study: Study, trial: FrozenTrial | None, box: Box) -> Trials:
    """All trials, but for this one, of which it is known where they measure."""
    found = {}
    for other in study.get_trials(deepcopy=False):
        said = other.system_attrs
        place = {**said.get(RESERVED, {}), **said.get(ENQUEUED, {}), **other.params}
        if (trial is None or other.number != trial.number) and all(name in place for name in box.names):
            found[other.number] = ([place[name] for name in box.names], other)
    return found


def _inside(trials: Trials, box: Box) -> Trials:
    """Those in the box. Others, enqueued or run within other bounds, say nothing about where to go in it."""
    if not trials:
        return trials
    points = np.array([box.numbers(dict(zip(box.names, place, strict=True))) for place, _ in trials.values()])
    return {n: trials[n] for n, inside in zip(trials, box.contains(points), strict=True) if inside}


def _is_measured(trial: FrozenTrial) -> bool:
    return trial.state == TrialState.COMPLETE and bool(np.isfinite(trial.values).all())


def _design(study: Study, trials: Trials) -> tuple[list[Any], Array]:
    """Measured points and their values ``(n, k)``."""
    x = [place for place, trial in trials.values() if _is_measured(trial)]
    y = [trial.values for _, trial in trials.values() if _is_measured(trial)]
    return x, np.array(y, dtype=float).reshape(len(x), len(study.directions))


def _waiting(trials: Trials) -> list[Any] | None:
    """Points of all other trials: running, enqueued, failed, pruned."""
    return [place for place, trial in trials.values() if not _is_measured(trial)] or None


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
