"""gest-api: a generator for the loops that speak it (Xopt, libEnsemble, Optimas).

The problem is a VOCS whose objectives are all ``EXPLORE``: each of them is a response to be mapped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gest_api.generator import Generator
from gest_api.vocs import VOCS, ContextualVariable, ContinuousVariable, DiscreteVariable, ExploreObjective

from equiwarp.domains import Box, Category, Parameter
from equiwarp.exceptions import InvalidInput
from equiwarp.integrations.guide import Guide
from equiwarp.integrations.loop import Loop
from equiwarp.strategy import DEFAULT_STRATEGY, Strategy

if TYPE_CHECKING:
    from equiwarp.maps.map import Map


class EquiwarpGenerator(Generator):  # type: ignore[misc, unused-ignore]
    """Suggest where the function is least known, geometry corrected.

    Points carry an ``_id``: what was suggested and not yet ingested is pending. A result whose value
    is missing or not finite is a failure, whose place is avoided.

    Parameters
    ----------
    vocs : VOCS
        Continuous variables, and discrete ones whose values are numbers or texts. Refused, with the reason:
        objectives other than EXPLORE, constraints, contextual and array variables.
    batch : int
        How many points ``suggest()`` gives when it is not told.
    strategy, noise, seed, n0
        See :class:`equiwarp.integrations.guide.Guide`.
    """

    returns_id = True

    def __init__(
        self,
        vocs: VOCS,
        *,
        batch: int = 1,
        strategy: str | Strategy = DEFAULT_STRATEGY,
        noise: float | Sequence[float] | None = None,
        seed: int = 0,
        n0: int | None = None,
    ) -> None:
        super().__init__(vocs)
        self.vocs = vocs
        self.batch = batch
        box = Box({name: _parameter(name, variable) for name, variable in vocs.variables.items()})
        self.loop = Loop(box, tuple(vocs.objectives), Guide(strategy, noise, seed, n0))

    def _validate_vocs(self, vocs: VOCS) -> None:
        if not vocs.objectives:
            raise InvalidInput("there is nothing to map: give at least one objective of type EXPLORE")
        for name, objective in vocs.objectives.items():
            if not isinstance(objective, ExploreObjective):
                raise InvalidInput(
                    f"objective {name!r} is {type(objective).__name__}: equiwarp maps a function and does "
                    "not look for its optimum; declare it EXPLORE"
                )
        if vocs.constraints:
            raise InvalidInput(
                f"constraints {list(vocs.constraints)} are bounds on outcomes, which are unknown before a "
                "measurement: map them as EXPLORE objectives instead"
            )
        for name, variable in vocs.variables.items():
            _parameter(name, variable)

    def suggest(self, num_points: int | None = None) -> list[dict[str, Any]]:
        """The next points, with the VOCS's constants and an ``_id`` each."""
        constants = {name: constant.value for name, constant in self.vocs.constants.items()}
        rows = self.loop.suggest(self.batch if num_points is None else num_points)
        return [{**row, **constants} for row in rows]

    def ingest(self, results: list[dict[str, Any]]) -> None:
        """Measured values, of suggested points or of others."""
        self.loop.ingest(results)

    def map(self) -> Map:
        """The map of all objectives, from what was ingested."""
        return self.loop.map()


def _parameter(name: str, variable: Any) -> Parameter | Category:
    if variable.dtype is not None and isinstance(variable.dtype, tuple):
        raise InvalidInput(f"variable {name!r} is an array: list its components as variables of their own")
    if isinstance(variable, ContextualVariable):
        raise InvalidInput(f"variable {name!r} is contextual: what cannot be set cannot be suggested")
    if isinstance(variable, ContinuousVariable):
        return Parameter(*variable.domain)
    if isinstance(variable, DiscreteVariable):
        if all(isinstance(v, str) for v in variable.values):
            return Category(tuple(sorted(variable.values)))
        wrong = [v for v in variable.values if isinstance(v, bool | str) or not isinstance(v, int | float)]
        if wrong:
            raise InvalidInput(
                f"variable {name!r} has the value {wrong[0]!r}: give numbers only, or texts only"
            )
        return Parameter.of({"levels": sorted(variable.values)})
    raise InvalidInput(f"variable {name!r} is {type(variable).__name__}, which equiwarp does not know")
