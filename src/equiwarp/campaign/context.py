"""What every verb of a campaign works with: its store, what was decided when it began, and who acts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from equiwarp.campaign.chooser import Chooser
from equiwarp.domains import Domain
from equiwarp.spec import CampaignSpec
from equiwarp.store import Actor, CampaignTransaction, Store
from equiwarp.strategy import Strategy, find

T = TypeVar("T")


@dataclass(frozen=True)
class CampaignContext:
    """A campaign in a store, and who acts in it.

    Attributes
    ----------
    spec : CampaignSpec
        As the campaign was opened. Its responses may be decided later, by the first value: ask the store.
    """

    store: Store
    spec: CampaignSpec
    actor: Actor
    chooser: Chooser

    @property
    def domain(self) -> Domain:
        return self.spec.domain

    @property
    def strategy(self) -> Strategy:
        return find(self.spec.strategy)

    @property
    def n0(self) -> int:
        """Size of the space-filling start."""
        assert self.spec.n0 is not None  # a description fills it in when it is made
        return self.spec.n0

    def read(self, work: Callable[[CampaignTransaction], T]) -> T:
        """Run work on one consistent view of the campaign."""
        return self.store.read(lambda transaction: work(transaction.of(self.actor)))

    def write(self, work: Callable[[CampaignTransaction], T]) -> T:
        """Run work in one writing transaction; it may be repeated, see :mod:`equiwarp.store.core`."""
        return self.store.write(lambda transaction: work(transaction.of(self.actor)))
