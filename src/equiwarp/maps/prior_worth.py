"""What a prior is worth: its scale and offset, how much it counts, and how many experiments it saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from equiwarp._util.magnitude import spread_of
from equiwarp._util.text import three_digits
from equiwarp.models.average import Average
from equiwarp.models.informed import WITH, Informed
from equiwarp.models.rescaled import Rescaled

if TYPE_CHECKING:
    from equiwarp.maps.map import Map

#: A prior that accounts for less of the variation than this is no help.
LEAST_SHARE = 0.1
#: Experiments that are looked ahead to find out how many were saved.
MOST_SAVED = 60


@dataclass(frozen=True)
class PriorWorth:
    """What a prior is worth for one response. :meth:`equiwarp.Map.prior_worth` makes it.

    Attributes
    ----------
    prior, response : str
        Their names.
    scale, offset : float
        The response is ``scale`` times the prior plus ``offset``, and a difference that is mapped.
    trust : float
        How much the map with the prior counts beside the one without it, from 0 to 1.
    share : float
        The part of the values' variation that the prior accounts for, from 0 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> import equiwarp as ew
    >>> def crude(points):
    ...     return np.sin(9 * points[:, 0])
    >>> x = np.linspace(0, 1, 6)[:, None]
    >>> m = ew.build_map(ew.Box.unit(1), x, 2 * crude(x) + 1, 0.01, prior=crude)
    >>> (worth,) = m.prior_worth()
    >>> round(worth.scale, 2), round(worth.offset, 2)
    (2.0, 1.0)
    """

    prior: str
    response: str
    scale: float
    offset: float
    trust: float
    share: float

    @property
    def helps(self) -> bool:
        """Whether the prior accounts for enough to be worth having."""
        return self.share >= LEAST_SHARE

    def __str__(self) -> str:
        """One sentence."""
        sign = "-" if self.offset < 0 else "+"
        scaled, offset = f"{self.scale:.3g} {self.prior}", three_digits(abs(self.offset))
        fitted = f"{self.response} = {scaled} {sign} {offset} + difference"
        if not self.helps:
            return f"{fitted}: the prior says nothing of it, or misleads, and is faded out"
        return f"{fitted}: the prior accounts for {100 * self.share:.0f} % of the variation"


def worth_of(map: Map, j: int) -> PriorWorth | None:
    """What the prior of a map is worth for response j; None if it says nothing of it."""
    model, prior = map.models[j], map.prior
    model = model.inner if isinstance(model, Rescaled) else model  # the same scale: both are in its unit
    if prior is None or not prior.knows(j) or not isinstance(model, Average):
        return None
    rows = ~np.isnan(map.y[:, j])
    known, y = prior.at(map.x[rows], j), map.y[rows, j]
    trust = model.weights_.get(WITH, 0.0)
    scales = [m.scale for m in model.members if isinstance(m, Informed) and m.scale]
    scale = scales[0] if scales else 0.0
    offset = float(np.mean(y - scale * known))
    spread = spread_of(y)
    explained = min(abs(scale) * (spread_of(known) / spread), 1.0) if spread > 0 else 0.0
    return PriorWorth(prior.name, map.responses[j], scale, offset, trust, trust * explained)


def saved_by_prior(map: Map, most: int = MOST_SAVED) -> tuple[int | None, ...]:
    """How many more experiments a map without the prior would need to be as good as this one, by response.

    Judged by its forecast; None if they are more than ``most``, or if the prior says nothing of the response.
    """
    ahead = np.asarray(map.without_prior().forecast(most))
    found: list[int | None] = []
    for j, now in enumerate(map.error()):
        enough = np.flatnonzero(ahead[:, j] <= now.value)
        known = map.prior is not None and map.prior.knows(j)
        found.append(int(enough[0]) if known and len(enough) else None)
    return tuple(found)
