"""What every verb of a campaign works with: its part of the store, and what was decided when it began."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from equiwarp.campaign.chooser import Chooser
from equiwarp.domains import Domain
from equiwarp.spec import CampaignSpec
from equiwarp.store import CampaignStore
from equiwarp.strategy import Strategy, find

if TYPE_CHECKING:
    from equiwarp.maps.map import Map


@dataclass(frozen=True)
class CampaignContext:
    """A campaign in a store, for one who acts in it.

    Attributes
    ----------
    spec : CampaignSpec
        As the campaign was opened. Its responses may be decided later, by the first value: ask the store.
    last_map : list of Map
        The last one that was fitted, if any: the next fit starts from it.
    """

    store: CampaignStore
    spec: CampaignSpec
    chooser: Chooser
    last_map: list[Map] = field(default_factory=list, compare=False, repr=False)

    @cached_property
    def domain(self) -> Domain:
        return self.spec.domain

    @cached_property
    def strategy(self) -> Strategy:
        return find(self.spec.strategy)

    @cached_property
    def n0(self) -> int:
        """Size of the space-filling start."""
        assert self.spec.n0 is not None  # a description fills it in when it is made
        return self.spec.n0
