"""Changing what was said about a campaign: names, noise, the stop rule, the aim.

Each change is one transaction with an event, and a new edition of the description. Experiments that were
handed out stay as they are; other programs notice the new edition with their next verb and go on by it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equiwarp.aims import Aim
from equiwarp.campaign.adding import keys_of
from equiwarp.campaign.context import CampaignContext
from equiwarp.campaign.description import as_blocks, noise_by_name
from equiwarp.campaign.stored_description import needs_python, spec_of
from equiwarp.domains import Domain
from equiwarp.domains.expressions import renamed
from equiwarp.exceptions import Conflict, InvalidInput, StoreOvertaken
from equiwarp.maps.stopping import StopRule
from equiwarp.spec import CampaignSpec
from equiwarp.store import CampaignRecord, CampaignTransaction


@dataclass(frozen=True)
class Edition:
    """A changed description, and the event that says how.

    ``names`` says whether somebody named the responses by it: the first value no longer decides them then.
    """

    spec: CampaignSpec
    what: str
    detail: dict[str, Any]
    names: bool = False


def edit(context: CampaignContext, change: Callable[[CampaignRecord, CampaignSpec], Edition | None]) -> None:
    """Write a changed description, unless there is nothing to change."""

    def work(transaction: CampaignTransaction) -> None:
        if transaction.served():  # before looking: the edition is another one then
            return
        campaign = transaction.take()
        old = spec_of(campaign, context.domain, context.spec.strategy, context.spec.prior)
        new = change(campaign, old)
        if new is None:
            return
        described = new.spec.to_dict()
        domain = campaign.domain if needs_python(campaign.domain) else described["domain"]
        settings = {**campaign.settings, **{k: v for k, v in described.items() if k != "domain"}}
        if new.names or new.spec.aim.at_levels:
            settings["settled"] = True
        transaction.set_description(campaign, new.spec.name, domain, settings)
        # The description as it is now: what doctor compares the campaign with.
        detail = {**new.detail, "now": {"name": new.spec.name, "domain": domain, "settings": settings}}
        if new.spec.domain is not old.domain and campaign.ids:
            _rekey(transaction, new.spec.domain)
            detail |= {"first": 1, "last": campaign.ids}  # the experiments whose rows this event leaves
        transaction.log(new.what, None, detail)

    context.store.write(work)


def _rekey(transaction: CampaignTransaction, domain: Domain) -> None:
    """Locations by the new domain's scale."""
    records = transaction.experiments()
    x = np.array([record.point for record in records], dtype=float).reshape(-1, domain.columns)
    inside = domain.contains(x)
    rows = zip((record.id for record in records), keys_of(domain, x, inside), inside.tolist(), strict=True)
    transaction.rekey(rows)


def rename(context: CampaignContext, name: str) -> None:
    """Another name for the campaign."""

    def change(campaign: CampaignRecord, spec: CampaignSpec) -> Edition | None:
        new = dataclasses.replace(spec, name=str(name).strip(), stored=True)
        said = {"of": "campaign", "before": spec.name, "after": new.name}
        return None if new.name == spec.name else Edition(new, "renamed", said)

    try:
        edit(context, change)
    except StoreOvertaken:
        raise Conflict(f"this store has a campaign {str(name)!r} already; choose another name") from None


def rename_response(context: CampaignContext, old: str, name: str) -> None:
    """Another name for what is measured."""
    name = str(name).strip()

    def change(campaign: CampaignRecord, spec: CampaignSpec) -> Edition:
        require_known(old, [r.name for r in spec.responses], "response")
        if spec.prior is not None and old in (spec.prior.responses or ()):
            raise InvalidInput(
                f"the prior {spec.prior.name} knows the response as {old!r}; it keeps its name"
            )
        responses = tuple(dataclasses.replace(r, name=name) if r.name == old else r for r in spec.responses)
        aim = spec.aim.renamed(old, name)
        stop = _stop_renamed(spec.stop, old, name)
        new = dataclasses.replace(spec, responses=responses, aim=aim, stop=stop, stored=True)
        said = {"of": "response", "before": old, "after": name}
        return Edition(new, "renamed", said, names=name != old)

    edit(context, change)


def _stop_renamed(stop: StopRule, old: str, name: str) -> StopRule:
    """The same stop rule with another name for a response."""
    limits = dataclasses.asdict(stop)
    return StopRule(
        **{
            kind: {name if n == old else n: v for n, v in limit.items()}
            if isinstance(limit, Mapping)
            else limit
            for kind, limit in limits.items()
        }
    )


def rename_parameter(context: CampaignContext, old: str, name: str) -> None:
    """Another name for a parameter, in constraints and costs too."""
    name = str(name).strip()

    def change(campaign: CampaignRecord, spec: CampaignSpec) -> Edition:
        require_known(old, spec.domain.names, "parameter")
        if spec.prior is not None and old in (spec.prior.parameters or ()):
            raise InvalidInput(
                f"the prior {spec.prior.name} knows the parameter as {old!r}; it keeps its name"
            )
        wanted = tuple(name if n == old else n for n in spec.domain.names)
        domain = rebuilt(campaign, _domain_renamed(campaign.domain, old, name))
        if domain.names != wanted:
            raise InvalidInput(f"the parameter {old!r} has its name from the domain; it cannot be renamed")
        costs = {name if n == old else n: cost for n, cost in spec.change_cost.items()}
        aim = _aim_renamed(spec.aim, old, name)
        new = dataclasses.replace(spec, domain=domain, change_cost=costs, aim=aim, stored=True)
        return Edition(new, "renamed", {"of": "parameter", "before": old, "after": name})

    edit(context, change)


def _aim_renamed(aim: Aim, old: str, new: str) -> Aim:
    """The same aim with another name for a parameter, which only a weight can name."""
    said = aim.to_dict()
    weight = said.get("weight")
    return Aim.of({**said, "weight": renamed(weight, old, new)}) if isinstance(weight, str) else aim


def _domain_renamed(data: Any, old: str, new: str) -> Any:
    """The plain data of a domain with another name for one of its parameters."""
    if isinstance(data, list):
        return [_domain_renamed(part, old, new) for part in data]
    if not isinstance(data, Mapping):
        return data
    answer = {}
    for key, value in data.items():
        if key == "name":
            answer[key] = new if value == old else value
        elif key == "names":
            answer[key] = [new if n == old else n for n in value]
        elif key == "constraints":
            answer[key] = [renamed(text, old, new) for text in value]
        else:
            answer[key] = _domain_renamed(value, old, new)
    return answer


@dataclass(frozen=True)
class Wanted:
    """What is to change of a description; None stays."""

    stop: StopRule | None = None
    noise: Any = None
    plausible: Mapping[str, Sequence[float | None]] | None = None
    description: str | None = None
    change_cost: Mapping[str, float] | None = None
    blocks: Any = None
    aim: Any = None

    @property
    def names_responses(self) -> bool:
        """Whether a range, a limit or noise is for one response by its name or place."""
        limits = () if self.stop is None else dataclasses.astuple(self.stop)
        by_name = any(isinstance(limit, Mapping) for limit in limits)
        return bool(self.plausible) or by_name or isinstance(self.noise, Mapping | list | tuple)


def change(context: CampaignContext, wanted: Wanted) -> None:
    """Other fields of the description."""

    def edition(campaign: CampaignRecord, spec: CampaignSpec) -> Edition | None:
        fields: dict[str, Any] = {}
        if wanted.noise is not None or wanted.plausible is not None:
            fields["responses"] = _responses(spec, wanted)
        for name in ("stop", "description", "change_cost"):
            if getattr(wanted, name) is not None:
                fields[name] = getattr(wanted, name)
        if wanted.blocks is not None:
            fields["blocks"] = _more_blocks(spec, as_blocks(wanted.blocks))
        if wanted.aim is not None:
            fields["aim"] = Aim.of(wanted.aim)
        new = dataclasses.replace(spec, **fields, stored=True)
        before, after = spec.to_dict(), new.to_dict()
        said = {k: {"before": before[k], "after": after[k]} for k in after if before[k] != after[k]}
        return Edition(new, "changed", said, wanted.names_responses) if said else None

    edit(context, edition)


def _responses(spec: CampaignSpec, wanted: Wanted) -> tuple[Any, ...]:
    names = [r.name for r in spec.responses]
    noise = noise_by_name(wanted.noise, names)
    ranges = wanted.plausible or {}
    for name in ranges:
        require_known(name, names, "response")
    responses = []
    for response in spec.responses:
        if response.name in noise:
            response = dataclasses.replace(response, noise=noise[response.name])
        if response.name in ranges:
            low, high = _range(ranges[response.name], response.name)
            response = dataclasses.replace(response, low=low, high=high)
        responses.append(response)
    return tuple(responses)


def _range(given: Any, name: str) -> tuple[Any, Any]:
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise InvalidInput(
            f"plausible, {name}: give a pair (low, high), None where there is no end, got {given!r}"
        )
    return given[0], given[1]


def _more_blocks(spec: CampaignSpec, wanted: dict[str, str]) -> dict[str, str]:
    for name in spec.blocks:
        if name not in wanted:
            raise InvalidInput(f"the block {name!r} is recorded with experiments and cannot be left out")
    return wanted


def require_known(name: str, known: Sequence[str], what: str) -> None:
    if name not in known:
        raise InvalidInput(f"there is no {what} {name!r}; there are {', '.join(known)}")


def rebuilt(campaign: CampaignRecord, data: Any) -> Domain:
    from equiwarp.spec.domains import domain_from_dict  # loads pydantic, which few commands need

    if needs_python(campaign.domain):
        raise InvalidInput("the domain is described in Python and cannot be changed here")
    return domain_from_dict(data)
