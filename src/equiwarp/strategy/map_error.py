"""Choose for the map: measure where its own models expect its error to fall most.

The map averages models m with weights p_m, means mu_m and covariances C_m. What they disagree about is
unknown as well, so with d_m = mu_m - mu

    C(u, x) = sum_m p_m [C_m(u, x) + d_m(u) d_m(x)],
    score(x) = mean_u w(u) C(u, x)^2 / (C(x, x) + noise^2),

which for w = 1 is the expected drop of the map's mean squared error over targets u (integrated variance,
Seo et al. 2000, under all models at once). That is what is used. Weights can ask for more where the map has
been seen to change,

    w(u) = floor + (mu(u) - mu(z_u))^2 / mean square,     z_u the nearest measurement of u

(the idea of VIGF, Mohammadi and Challenor 2022, integrated): better for functions with one lively part, worse
for others. With an aim, targets count as they do for it. With ``look_ahead``, what counts where the aim is a
contour is not the error but the chance that a place lies on the other side of the level
(:mod:`equiwarp.strategy.contour`), and the error a little, because beliefs may be wrong. Points without a
value, pending ones and the batch, change C and leave mu as it is. Several responses count by the sum of their
scores.

Models of a few values are often wrong, and a large batch cannot learn it: of more points than there are
values, half are spread evenly first, and the models choose the others around them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from equiwarp.strategy.base import Criterion, CriterionState, RoundInputs

#: The map's families that choose. On random functions the others made rounds slower and choices no better.
CHOOSING_MODELS = ("matern", "additive", "warped")


@dataclass(frozen=True)
class MapError(Criterion):
    """The expected drop of the averaged map's squared error.

    For the map that a campaign draws. Before there are five values, or if they do not vary, it is the
    integrated variance under the spacing rule.

    Attributes
    ----------
    families : tuple of str
        The map's models that are fitted.
    floor : float or None
        Uniform part of the weights; None leaves the weights out.
    shrink : float
        How far the models' weights are drawn to equal ones.
    hedged : tuple of str or None
        The families that share these; another counts for no more than it has shown. None is all.
    targets : int
        How many of the round's targets the error is taken over.
    renewed : bool
        Whether they are others after every fit. Points that are chosen for the same few targets again and
        again end up beside them: under a known model that costs 3 % of the error after 160 points
        (``equiwarp bench study known-model``).
    look_ahead : bool
        Whether a contour is looked for by the chance of the wrong side; else the error near it counts more.
    spread : float
        Share of the points without a value that is spread evenly, where they are more than the values.
    """

    families: tuple[str, ...] = CHOOSING_MODELS
    floor: float | None = None
    shrink: float = 0.5
    hedged: tuple[str, ...] | None = None
    targets: int = 256
    renewed: bool = True
    look_ahead: bool = False
    spread: float = 0.5

    uses_values: ClassVar[bool] = True
    aims: ClassVar[bool] = True

    def learn(self, inputs: RoundInputs, earlier: Any) -> Any:
        """The fitted models of each response."""
        from equiwarp.strategy.map_models import Hedge, fit_responses

        return fit_responses(inputs, self.families, Hedge(self.shrink, self.hedged), earlier or ())

    def spread_first(self, values: int, unmeasured: int) -> int:
        """A share of what is more than the values; with very few of them, nothing is fitted anyway."""
        from equiwarp.strategy.map_models import FEWEST_VALUES

        return int(self.spread * unmeasured) if unmeasured > values >= FEWEST_VALUES else 0

    def begin(self, inputs: RoundInputs) -> CriterionState:
        from equiwarp.strategy.map_models import TargetChoice
        from equiwarp.strategy.map_state import MapErrorState

        if inputs.learnt is None:
            inputs = replace(inputs, learnt=self.learn(inputs, None))
        targets = TargetChoice(self.targets, self.renewed)
        return MapErrorState.of(inputs, targets, self.floor, self.look_ahead)
