"""Strategies of other packages: entry points of the group ``equiwarp.strategies``.

The name of an entry point is the name of the strategy; its value is a ``Strategy`` or a callable without
arguments that returns one. Nothing is looked at before someone asks, a package is imported when its
strategy is needed, and one that is broken stays silent until it is named.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from equiwarp.exceptions import EquiwarpWarning, InvalidInput, MissingPart
from equiwarp.strategy.base import Strategy

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "equiwarp.strategies"


@dataclass(frozen=True)
class Offer:
    """One entry point, and the package that brings it."""

    entry: EntryPoint
    package: str

    @cached_property
    def strategy(self) -> Strategy:
        """The strategy itself, or an error that names package and cause."""
        try:
            found = self.entry.load()
            found = found() if callable(found) and not isinstance(found, Strategy) else found
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise self._refusal(f"cannot be loaded, {said}; repair or update the package") from error
        if not isinstance(found, Strategy):
            raise self._refusal(
                f"is {found!r}, not a Strategy; register a Strategy or a callable without arguments that "
                "returns one"
            )
        if found.name != self.entry.name:
            raise self._refusal(f"calls itself {found.name!r}; use one name for both")
        return found

    def _refusal(self, why: str) -> MissingPart:
        return MissingPart(f"strategy {self.entry.name!r} of the package {self.package!r} {why}")


class Offers:
    """What installed packages register, looked up once, at the first question.

    Parameters
    ----------
    reserved : frozenset of str
        Names that are ours; a package that takes one is told, and ours stays.
    """

    def __init__(self, reserved: frozenset[str]) -> None:
        self.reserved = reserved

    @cached_property
    def _by_name(self) -> dict[str, tuple[Offer, ...]]:
        from importlib.metadata import entry_points  # 15 ms that a name of ours need not pay

        found: dict[str, tuple[Offer, ...]] = {}
        for entry in entry_points(group=GROUP):
            package = entry.dist.name if entry.dist else "unknown"
            if entry.name in self.reserved:
                warnings.warn(
                    f"the package {package!r} registers a strategy {entry.name!r}, which is a name of "
                    "equiwarp's own: it is refused, and ours stays; rename it there",
                    EquiwarpWarning,
                    stacklevel=2,
                )
                continue
            found[entry.name] = (*found.get(entry.name, ()), Offer(entry, package))
        return dict(sorted(found.items()))

    def names(self) -> Iterator[str]:
        """Every registered name, also of what cannot be loaded."""
        return iter(self._by_name)

    def load(self, name: str) -> Strategy | None:
        """The strategy of this name, imported now; None if no package registers it."""
        offers = self._by_name.get(name, ())
        if len(offers) > 1:
            packages = " and ".join(sorted(offer.package for offer in offers))
            raise InvalidInput(f"strategy {name!r} is registered by {packages}: uninstall all but one")
        return offers[0].strategy if offers else None

    def package(self, name: str) -> str | None:
        """The package, or packages, that register this name."""
        return " and ".join(sorted(offer.package for offer in self._by_name.get(name, ()))) or None
