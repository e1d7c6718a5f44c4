"""Parts that other packages bring: strategies, kinds of domains and map models, by entry points.

The name of an entry point is the name of the part. Nothing is looked at before someone asks, a package is
imported when its part is needed, and one that is broken stays silent until it is named.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from equiwarp.exceptions import EquiwarpWarning, InvalidInput, MissingPart

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Part = TypeVar("Part")


@dataclass(frozen=True)
class Offer:
    """One entry point, and the package that brings it."""

    entry: EntryPoint
    package: str


def loaded(load: Callable[[], Any]) -> Any:
    """What the code of another package returns; the error of one that fails names the cause."""
    try:
        return load()
    except (Exception, SystemExit) as error:  # a script that was registered by mistake ends its program
        cause = f"{type(error).__name__}: {error}"
        raise InvalidInput(f"cannot be loaded, {cause}; repair or update the package") from error


class Plugins(Generic[Part]):
    """What installed packages register under one group; looked at when a name is asked for that is not ours.

    Parameters
    ----------
    group : str
        Of the entry points, such as ``equiwarp.strategies``.
    what : str
        What messages call such a part.
    read : function of what was loaded and its name
        The part; :class:`InvalidInput` with the reason if it is none.
    reserved : frozenset of str
        Names that are ours; a package that takes one is told, and ours stays.
    """

    def __init__(
        self, group: str, what: str, read: Callable[[Any, str], Part], reserved: frozenset[str]
    ) -> None:
        self.group, self.what, self.read, self.reserved = group, what, read, reserved
        self._loaded: dict[str, Part] = {}
        self._refused: set[tuple[str, str]] = set()

    def _offers(self) -> dict[str, tuple[Offer, ...]]:
        """What is installed now: a notebook may have installed something a moment ago."""
        from importlib.metadata import entry_points  # 15 ms that a name of ours need not pay

        found: dict[str, tuple[Offer, ...]] = {}
        for entry in entry_points(group=self.group):
            package = entry.dist.name if entry.dist else "unknown"
            if entry.name in self.reserved:
                self._refuse(entry.name, package)
                continue
            found[entry.name] = (*found.get(entry.name, ()), Offer(entry, package))
        return dict(sorted(found.items()))

    def _refuse(self, name: str, package: str) -> None:
        """Say once that a package takes a name of ours."""
        if (name, package) in self._refused:
            return
        self._refused.add((name, package))
        warnings.warn(
            f"the package {package!r} registers a {self.what} {name!r}, which is a name of equiwarp's own: "
            "it is refused, and ours stays; rename it there",
            EquiwarpWarning,
            stacklevel=3,
        )

    def names(self) -> Iterator[str]:
        """Every registered name, also of what cannot be loaded."""
        return iter(self._offers())

    def load(self, name: str) -> Part | None:
        """The part of this name, imported now; None if no package registers it."""
        if name in self._loaded:
            return self._loaded[name]
        offers = self._offers().get(name, ())
        if len(offers) > 1:
            raise InvalidInput(
                f"{self.what} {name!r} is registered by {self.package(name)}: uninstall all but one"
            )
        if not offers:
            return None
        try:
            self._loaded[name] = self.read(loaded(offers[0].entry.load), name)
        except InvalidInput as error:
            raise MissingPart(
                f"{self.what} {name!r} of the package {offers[0].package!r} {error}"
            ) from error.__cause__
        return self._loaded[name]

    def package(self, name: str) -> str | None:
        """The package, or packages, that register this name."""
        return " and ".join(sorted(offer.package for offer in self._offers().get(name, ()))) or None
