"""What a caller says about a campaign, and whether a stored campaign agrees with it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from equiwarp._util.arguments import items_of
from equiwarp._util.text import short
from equiwarp.campaign.responses import read_deviations
from equiwarp.domains import Domain
from equiwarp.exceptions import Mismatch, StoreMissing
from equiwarp.maps.naming import numbered
from equiwarp.spec import DEFAULT_STRATEGY, CampaignSpec, Response, domain_to_dict, strategy_name
from equiwarp.store import CampaignRecord
from equiwarp.strategy import Strategy


@dataclasses.dataclass(frozen=True)
class Description:
    """What the caller said about the campaign; None where nothing was said."""

    name: str
    domain: Domain | None = None
    noise: Any = None
    responses: tuple[Response, ...] | None = None
    strategy: str | Strategy | None = None
    n0: int | None = None
    seed: int | None = None
    whole: CampaignSpec | None = None

    @classmethod
    def of(cls, spec: CampaignSpec) -> Description:
        """Everything said, by a campaign file."""
        return cls(spec.name, spec.domain, None, spec.responses, spec.strategy, spec.n0, spec.seed, spec)

    def spec(self) -> CampaignSpec:
        """The whole description, silence filled with the defaults."""
        if self.whole is not None:
            return self.whole
        if self.domain is None:
            raise StoreMissing(
                f"there is no campaign {self.name!r} in this store; give a domain to begin it, "
                "or check the name"
            )
        responses = self.responses or _responses(self.noise)
        return CampaignSpec(
            self.name, self.domain, responses, self.strategy or DEFAULT_STRATEGY, self.n0, self.seed or 0
        )

    @property
    def settled(self) -> bool:
        """Whether it was said how many responses there are."""
        return self.responses is not None or isinstance(self.noise, Mapping | list | tuple)


def _responses(noise: Any) -> tuple[Response, ...]:
    if isinstance(noise, Mapping):
        names: tuple[str, ...] = tuple(str(name) for name in noise)
    else:
        names = numbered(len(noise) if isinstance(noise, list | tuple) else 1)
    known = read_deviations(noise, names)
    deviations: list[float] | list[None] = [None] * len(names) if known is None else known
    return tuple(Response(name, noise=d) for name, d in zip(names, deviations, strict=True))


def as_responses(given: Any) -> tuple[Response, ...] | None:
    """Response names or :class:`equiwarp.spec.Response` objects."""
    if given is None:
        return None
    if isinstance(given, str):
        given = [given]
    named = items_of(given, "responses")
    return tuple(r if isinstance(r, Response) else Response(str(r)) for r in named)


def require_same(campaign: CampaignRecord, said: Description) -> None:
    """Refuse a description that differs from the stored campaign, naming every difference."""
    wanted: dict[str, Any] = {}
    if said.domain is not None:
        wanted["domain"] = domain_to_dict(said.domain)
    if said.strategy is not None:
        wanted["strategy"] = strategy_name(said.strategy)
    for name in ("n0", "seed"):
        if getattr(said, name) is not None:
            wanted[name] = getattr(said, name)
    if said.responses is not None:
        wanted["responses"] = [dataclasses.asdict(r) for r in said.responses]
    elif said.noise is not None:
        wanted["noise"] = read_deviations(said.noise, campaign.responses)
    stored = {**campaign.settings, "domain": campaign.domain, "noise": campaign.noise}
    differences = [d for name, value in wanted.items() for d in _compare(stored[name], value, name)]
    if differences:
        raise Mismatch(
            f"campaign {campaign.name!r} exists and differs: {'; '.join(differences[:5])}. "
            "Leave these out to continue it, or choose another name"
        )


def _compare(stored: Any, given: Any, path: str) -> Iterator[str]:
    """Differences between two pieces of plain data, by path."""
    if isinstance(stored, Mapping) and isinstance(given, Mapping):
        for key in dict.fromkeys([*stored, *given]):
            yield from _compare(stored.get(key), given.get(key), f"{path}.{key}")
    elif isinstance(stored, list) and isinstance(given, list) and len(stored) == len(given):
        for i, (a, b) in enumerate(zip(stored, given, strict=True)):
            name = a.get("name", i + 1) if isinstance(a, Mapping) else i + 1
            yield from _compare(a, b, f"{path}.{name}")
    elif stored != given:
        yield f"{path} is {short(stored)} in the store and {short(given)} here"
