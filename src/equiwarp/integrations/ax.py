"""Ax: a generation node that maps instead of optimising, for ``Client`` and any generation strategy.

Metrics of the objective are the responses; their signs and weights do not matter. A standard error
that comes with a value is its noise. Running and abandoned trials are pending, failed ones are avoided.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from ax.core.data import Data
from ax.core.experiment import Experiment
from ax.core.parameter import ChoiceParameter, FixedParameter, ParameterType, RangeParameter
from ax.core.search_space import SearchSpace
from ax.core.types import TParameterization
from ax.exceptions.core import UnsupportedError
from ax.generation_strategy.external_generation_node import ExternalGenerationNode

from equiwarp.domains import Array, Box, Category, Domain, Parameter
from equiwarp.engine.measurements import Measurements
from equiwarp.exceptions import InvalidInput
from equiwarp.integrations.guide import Guide
from equiwarp.integrations.host_record import HostRecord
from equiwarp.integrations.spaces import Halfspace, constrained
from equiwarp.strategy import DEFAULT_STRATEGY, Strategy


class EquiwarpNode(ExternalGenerationNode):  # type: ignore[misc, unused-ignore]
    """Generate arms where the metrics are least known, geometry corrected.

    Parameters
    ----------
    name : str
    strategy, noise, seed, n0
        See :class:`equiwarp.integrations.guide.Guide`. A given noise overrides standard errors.
    options
        Further arguments of Ax's node, such as ``transition_criteria``.

    Notes
    -----
    An unordered choice between texts is a parameter with categories. Refused with the reason: unordered
    choices between numbers, logit scales, derived, fidelity and hierarchical
    parameters, outcome constraints, equalities other than a mixture, fixed features. Nothing falls
    back to Sobol behind your back.
    """

    def __init__(
        self,
        name: str = "equiwarp",
        *,
        strategy: str | Strategy = DEFAULT_STRATEGY,
        noise: float | Sequence[float] | None = None,
        seed: int = 0,
        n0: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(name=name, **options)
        self.fallback_specs: dict[type[Exception], Any] = {}
        self.guide = Guide(strategy, noise, seed, n0)
        self._space: SearchSpace | None = None
        self._design: Measurements | None = None

    def update_generator_state(self, experiment: Experiment, data: Data) -> None:
        """Read the space, the values and the failures."""
        config = experiment.optimization_config
        if config is None:
            raise UnsupportedError("without an objective nothing says which metrics are to be mapped")
        if config.outcome_constraints:
            raise UnsupportedError(
                "outcome constraints bound what is unknown before a measurement: map those metrics as "
                "objectives instead"
            )
        domain = domain_of(experiment.search_space)
        self._space = experiment.search_space
        self._design = _read(domain, experiment, data, config.objective.metric_names, self.guide.noise)

    def get_next_candidate(self, pending_parameters: list[TParameterization]) -> TParameterization:
        """The next arm; those in ``pending_parameters`` are spoken for."""
        if self._design is None or self._space is None:
            raise UnsupportedError("the node has not seen an experiment yet: call it through a strategy")
        measurements = self._design
        pending = _points(measurements.domain, [p for p in pending_parameters if p])
        waiting = np.concatenate([measurements.pending, pending[measurements.domain.contains(pending)]])
        point = self.guide.extend(
            Measurements(measurements.domain, measurements.x, measurements.y, measurements.noise, waiting)
        )[0]
        values = measurements.domain.named(point)
        return {
            name: parameter.value if isinstance(parameter, FixedParameter) else parameter.cast(values[name])
            for name, parameter in self._space.parameters.items()
        }

    def _gen(self, experiment: Experiment, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("fixed_features") is not None:
            raise UnsupportedError(
                "a map has no fixed features: declare a fixed parameter in the search space"
            )
        return super()._gen(experiment, *args, **kwargs)


def record_of(host: Any) -> HostRecord:
    """What an experiment, or a client's, has measured; standard errors are noise where all have one."""
    experiment: Experiment = getattr(host, "_experiment", host)
    config = experiment.optimization_config
    if config is None:
        raise InvalidInput("without an objective nothing says which metrics are to be mapped")
    metrics = config.objective.metric_names
    known = _read(domain_of(experiment.search_space), experiment, experiment.lookup_data(), metrics, None)
    noise = known.noise if known.noise is not None and (known.noise > 0).all() else None
    return HostRecord(known.domain, tuple(metrics), known.x, known.y, row_noise=noise, failed=known.pending)


def domain_of(space: SearchSpace) -> Domain:
    """The search space as a box, a constrained box or a mixture."""
    if space.is_hierarchical:
        raise UnsupportedError("a hierarchical space has no single dimension: map each branch by itself")
    tunable = {n: p for n, p in space.parameters.items() if not isinstance(p, FixedParameter)}
    box = Box({name: _parameter(parameter) for name, parameter in tunable.items()})
    fixed = {n: float(p.value) for n, p in space.parameters.items() if n not in tunable and p.is_numeric}
    below: list[Halfspace] = []
    equal: list[Halfspace] = []
    for constraint in space.parameter_constraints:
        weights = {n: float(w) for n, w in constraint.constraint_dict.items() if n not in fixed}
        shift = sum(w * fixed[n] for n, w in constraint.constraint_dict.items() if n in fixed)
        halfspace = Halfspace(tuple(weights.items()), float(constraint.bound) - shift)
        (equal if getattr(constraint, "is_equality", False) else below).append(halfspace)
    try:
        return constrained(box, below, equal)
    except ValueError as error:
        raise UnsupportedError(str(error)) from None


def _parameter(parameter: Any) -> Parameter | Category:
    if parameter.is_fidelity:
        raise UnsupportedError(f"{parameter.name!r} is a fidelity: a map has one; fix it")
    if isinstance(parameter, RangeParameter) and not parameter.logit_scale:
        return Parameter(
            parameter.lower,
            parameter.upper,
            scale="log" if parameter.log_scale else "linear",
            step=1.0 if parameter.parameter_type == ParameterType.INT else None,
        )
    if isinstance(parameter, ChoiceParameter) and parameter.is_numeric and parameter.is_ordered:
        scale = "log" if getattr(parameter, "log_scale", False) else "linear"
        return Parameter.of({"levels": parameter.values, "scale": scale})
    if isinstance(parameter, ChoiceParameter) and parameter.parameter_type == ParameterType.STRING:
        return Category(parameter.values)
    raise UnsupportedError(
        f"parameter {parameter.name!r} ({type(parameter).__name__}) is neither a number on a linear or log "
        "scale nor a choice between texts: make it a range, an ordered numeric choice or a choice of names, "
        "or run one experiment per value"
    )


def _read(
    domain: Domain, experiment: Experiment, data: Data, metrics: Sequence[str], noise: Any
) -> Measurements:
    """Measured arms with all metrics, and every other arm that must not be repeated.

    Arms outside the search space are not used: they say nothing about where to go within it.
    """
    means, errors = (_table(data, column) for column in ("mean", "sem"))
    x, y, sem, avoid = [], [], [], []
    for trial in experiment.trials.values():
        for arm in trial.arms:
            keys = [(trial.index, arm.name, metric) for metric in metrics]
            values = [means.get(key, np.nan) for key in keys]
            if trial.status.is_completed and np.isfinite(values).all():
                x.append(arm.parameters)
                y.append(values)
                sem.append([errors.get(key, np.nan) for key in keys])
            elif trial.status.is_terminal:
                avoid.append(arm.parameters)
    points, lost = _points(domain, x), _points(domain, avoid)
    inside = domain.contains(points)
    known = np.array(sem).reshape(len(x), len(metrics))[inside]
    if noise is None and len(known) and np.isfinite(known).all():
        noise = known
    measured = np.array(y).reshape(len(x), len(metrics))[inside]
    return Measurements.of(domain, points[inside], measured, noise, lost[domain.contains(lost)])


def _table(data: Data, column: str) -> dict[tuple[int, str, str], float]:
    """A column by trial, arm and metric: Ax gives the same name to the same arm in another trial."""
    frame = data.df
    keys = zip(frame["trial_index"], frame["arm_name"], frame["metric_name"], strict=True)
    return {key: float(value) for key, value in zip(keys, frame[column], strict=True)}


def _points(domain: Domain, rows: Sequence[TParameterization]) -> Array:
    return np.array([domain.numbers(row) for row in rows]).reshape(len(rows), domain.columns)
