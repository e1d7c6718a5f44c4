"""What a campaign would hand out next: the diamonds of page, report and live plot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equiwarp.campaign import Campaign
from equiwarp.campaign.experiment import Proposal
from equiwarp.domains import Array, Domain
from equiwarp.exceptions import Exhausted

#: Points shown as those that would be next.
SHOWN = 4


def upcoming(campaign: Campaign) -> list[Proposal]:
    """What would be handed out next; fewer than usual where fewer are left."""
    for n in range(SHOWN, 0, -1):
        try:
            return campaign.preview(n)
        except Exhausted:
            continue
    return []


def points_of(proposals: Sequence[Proposal], domain: Domain) -> Array:
    """Their locations, ``(n, columns)``."""
    return np.array([domain.numbers(p.point) for p in proposals]).reshape(-1, domain.columns)
