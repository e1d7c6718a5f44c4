"""What a caller says about a campaign, and whether a stored campaign agrees with it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from equiwarp._util.arguments import items_of
from equiwarp._util.text import listed, short
from equiwarp.aims import Aim
from equiwarp.campaign.prior_source import same_source
from equiwarp.campaign.responses import read_deviations
from equiwarp.domains import Domain
from equiwarp.engine.naming import numbered
from equiwarp.exceptions import InvalidInput, Mismatch, StoreMissing
from equiwarp.spec import CampaignSpec, Response, domain_to_dict, strategy_name
from equiwarp.store import CampaignRecord
from equiwarp.strategy import DEFAULT_STRATEGY, Strategy, usual_start


@dataclasses.dataclass(frozen=True)
class Description:
    """What the caller said about the campaign; None where nothing was said."""

    name: str
    domain: Domain | None = None
    noise: Any = None
    responses: tuple[Response | str, ...] | None = None
    strategy: str | Strategy | None = None
    n0: int | None = None
    seed: int | None = None
    blocks: Any = None
    change_cost: Mapping[str, float] | None = None
    prior: Any = None
    aim: Any = None
    whole: CampaignSpec | None = None

    @classmethod
    def of(cls, spec: CampaignSpec) -> Description:
        """Everything said, by a campaign file."""
        return cls(spec.name, spec.domain, None, spec.responses, spec.strategy, spec.n0, spec.seed,
                   spec.blocks, spec.change_cost, spec.prior, spec.aim, spec)  # fmt: skip

    def spec(self) -> CampaignSpec:
        """The whole description, silence filled with the defaults."""
        if self.whole is not None:
            return self.whole
        if self.domain is None:
            raise StoreMissing(
                f"there is no campaign {self.name!r} in this store; give a domain to begin it, "
                "or check the name"
            )
        responses = _responses(self.noise) if self.responses is None else self.all_responses()
        return CampaignSpec(
            self.name,
            self.domain,
            responses,
            self.strategy or DEFAULT_STRATEGY,
            self.n0,
            self.seed or 0,
            blocks=as_blocks(self.blocks),
            change_cost={} if self.change_cost is None else self.change_cost,
            prior=self.prior,
            aim=Aim.of(self.aim),
        )

    def all_responses(self) -> tuple[Response, ...]:
        """The responses that were said, with the noise that was said apart from them."""
        said = [r if isinstance(r, Response) else Response(r) for r in self.responses or ()]
        if not said:
            raise InvalidInput("responses: name at least one, or leave them out")
        known = noise_by_name(self.noise, [r.name for r in said])
        for response in said:
            other = known.get(response.name)
            if response.noise is not None and other is not None and other != response.noise:
                raise InvalidInput(
                    f"noise of {response.name!r}: {response.noise:g} with the response and {other:g} apart "
                    "from it; give one of them"
                )
        return tuple(
            dataclasses.replace(r, noise=known[r.name]) if known.get(r.name) is not None else r for r in said
        )

    @property
    def settled(self) -> bool:
        """Whether it was said how many responses there are: a level that is aimed at says so, too."""
        said = self.responses is not None or isinstance(self.noise, Mapping | list | tuple)
        return said or Aim.of(self.aim).at_levels


def _responses(noise: Any) -> tuple[Response, ...]:
    """Responses where none were said: as many as the noise has entries, under its names."""
    if isinstance(noise, Mapping):
        names: tuple[str, ...] = tuple(str(name) for name in noise)
    else:
        names = numbered(len(noise) if isinstance(noise, list | tuple) else 1)
    known = noise_by_name(noise, names)
    return tuple(Response(name, noise=known.get(name)) for name in names)


def noise_by_name(noise: Any, names: Sequence[str]) -> dict[str, float | None]:
    """Known noise of the responses; what a dict leaves out is not known, a name beyond them is refused."""
    if isinstance(noise, Mapping):
        given = {str(name): value for name, value in noise.items() if value is not None}
        for name in noise:
            if str(name) not in names:
                raise InvalidInput(
                    f"noise: unknown response {str(name)!r}; the responses are {listed(names)}"
                )
        return {name: _deviation(given[name], name) for name in given}
    if isinstance(noise, list | tuple) and len(noise) == len(names):
        return noise_by_name(dict(zip(names, noise, strict=True)), names)
    known = read_deviations(noise, names)
    return {} if known is None else dict(zip(names, known, strict=True))


def _deviation(noise: Any, name: str) -> float | None:
    known = read_deviations(noise, (name,), f"noise, {name}")
    return None if known is None else known[0]


def as_responses(given: Any) -> tuple[Response | str, ...] | None:
    """Response names or :class:`equiwarp.spec.Response` objects; the latter of units by name."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        for name, unit in given.items():
            if not isinstance(unit, str):
                raise InvalidInput(f"responses: the unit of {name} must be a text, got {unit!r}")
        return tuple(Response(str(name), unit) for name, unit in given.items())
    named = items_of([given] if isinstance(given, str | Response) else given, "responses")
    return tuple(r if isinstance(r, Response) else str(r) for r in named)


def as_blocks(given: Any) -> dict[str, str]:
    """Block columns and what they are for; a list of names is for the record."""
    if isinstance(given, Mapping):
        return {str(name): purpose for name, purpose in given.items()}
    names = [] if given is None else items_of([given] if isinstance(given, str) else given, "blocks")
    return {str(name): "record" for name in names}


def require_same(campaign: CampaignRecord, said: Description) -> None:
    """Refuse a description that differs from the stored campaign, naming every difference."""
    wanted: dict[str, Any] = {}
    if said.domain is not None:
        wanted["domain"] = domain_to_dict(said.domain)
    if said.strategy is not None:
        wanted["strategy"] = strategy_name(said.strategy)
    if said.seed is not None:
        wanted["seed"] = said.seed
    if said.n0 is not None and not _says_no_start(said, campaign):
        wanted["n0"] = said.n0
    if said.blocks is not None:
        wanted["blocks"] = as_blocks(said.blocks)
    if said.change_cost is not None:
        wanted["change_cost"] = dict(said.change_cost)
    if said.aim is not None:
        wanted["aim"] = Aim.of(said.aim).to_dict()
    if said.responses is not None:
        wanted["responses"] = [
            {"name": r} if isinstance(r, str) else dataclasses.asdict(whole)
            for r, whole in zip(said.responses, said.all_responses(), strict=True)
        ]
    if said.noise is not None:
        wanted["noise"] = noise_by_name(said.noise, campaign.responses)
    if said.prior is not None:
        wanted["prior"] = same_source(said.prior)
    known = dict(zip(campaign.responses, campaign.noise, strict=True))
    # What older campaigns do not say.
    beside: dict[str, Any] = {"blocks": {}, "change_cost": {}, "prior": {}, "aim": {}}
    stored = {**beside, **campaign.settings, "domain": campaign.domain, "noise": known}
    differences = [d for name, value in wanted.items() for d in _compare(stored[name], value, name)]
    if differences:
        raise Mismatch(
            f"campaign {campaign.name!r} exists and differs: {'; '.join(differences[:5])}. "
            "Leave these out to continue it, or choose another name"
        )


def _says_no_start(said: Description, campaign: CampaignRecord) -> bool:
    """Whether a file left the start to us, and the campaign began when the usual one was the domain's own."""
    spec = said.whole
    return (
        spec is not None
        and spec.n0 == usual_start(spec.strategy, spec.domain)
        and campaign.settings["n0"] == spec.domain.n0
    )


def _compare(stored: Any, given: Any, path: str) -> Iterator[str]:
    """Differences between two pieces of plain data, by path."""
    if isinstance(stored, Mapping) and isinstance(given, Mapping):
        # Of a response, its noise or a prior, only what was said is compared; of a domain, all of it.
        for key in (
            given if path.startswith(("responses", "noise", "prior")) else dict.fromkeys([*stored, *given])
        ):
            yield from _compare(stored.get(key), given.get(key), f"{path}.{key}")
    elif isinstance(stored, list) and isinstance(given, list) and len(stored) == len(given):
        for i, (a, b) in enumerate(zip(stored, given, strict=True)):
            name = a.get("name", i + 1) if isinstance(a, Mapping) else i + 1
            yield from _compare(a, b, f"{path}.{name}")
    elif stored != given:
        yield f"{path} is {short(stored)} in the store and {short(given)} here"
