"""Where a campaign's prior comes from, and how it is kept, so that a reopened campaign chooses the same.

Of a campaign or a map, the measurements are kept with the event of the campaign's creation: what the prior
knew then, whatever becomes of it later. A Python function cannot be kept; it is given again, like constraints
that are functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from equiwarp.domains import Domain
from equiwarp.exceptions import InvalidInput, Mismatch, StoreMissing
from equiwarp.store import Actor, CampaignRecord, Store

if TYPE_CHECKING:
    from equiwarp.campaign.looking import MapInputs
    from equiwarp.maps.prior import Prior


def campaign_as_prior(given: Any) -> Any:
    """What somebody gave as a prior; an open campaign is read, all else is left to the description."""
    if not (hasattr(given, "_do") and hasattr(given, "spec")):
        return given
    from equiwarp.campaign.looking import map_inputs

    return _of_inputs(given._do(map_inputs), given.store)


def resolved(store: Store, prior: Any, domain: Domain) -> Prior:
    """The prior of a new campaign in a store, looked up if a campaign is named. It must suit the domain."""
    found: Prior = _looked_up(store, prior) if isinstance(prior, Mapping) else prior
    if found.parameters is not None:
        found.bound_to(domain, found.responses or ("value",))
    if found.source.get("store") == store.name:
        found = replace(found, source={k: v for k, v in found.source.items() if k != "store"})
    return found


def _looked_up(store: Store, reference: Mapping[str, str]) -> Prior:
    from equiwarp.campaign.context import CampaignContext
    from equiwarp.campaign.looking import map_inputs
    from equiwarp.campaign.stored_description import spec_of

    name, place = reference.get("campaign"), store
    if name is None:
        raise InvalidInput(f"prior: {dict(reference)} names no campaign")
    if "store" in reference:
        place = Store(reference["store"], create=False)
    found = place.read(lambda transaction: transaction.find(name))
    if found is None:
        there = ", ".join(entry.name for entry in place.read(lambda t: t.entries())) or "none"
        raise StoreMissing(f"prior: there is no campaign {name!r} in {place.name}; there are: {there}")
    spec = spec_of(found, None, None, stored_prior(place, found, None))
    from equiwarp.campaign.chooser import Chooser

    inputs = map_inputs(CampaignContext(place.of(Actor(found.id, "")), spec, Chooser(spec)))
    return _of_inputs(inputs, place)


def _of_inputs(inputs: MapInputs, store: Store) -> Prior:
    """The prior that a campaign's map is, with its measurements as they are now."""
    from equiwarp.campaign.chooser import noise_with_limits
    from equiwarp.campaign.looking import measured
    from equiwarp.maps.prior_map import MappedValues

    spec, campaign = inputs.spec, inputs.campaign
    x, y, known = measured(inputs)
    if not len(x):
        raise InvalidInput(f"prior: campaign {campaign.name!r} has no measurement yet")
    if spec.prior is not None:
        raise InvalidInput(
            f"prior: campaign {campaign.name!r} has a prior itself, {spec.prior.name}; begin with that one"
        )
    noise = noise_with_limits(spec.domain, x, y, known.stated, known.width)
    values = MappedValues.made(spec.domain, (x, y, noise), spec.models, campaign.responses)
    source = {"campaign": campaign.name, "store": store.name}
    return replace(values.as_prior(), name=campaign.name, source=source)


def same_source(prior: Any) -> dict[str, str]:
    """What has to agree with the stored campaign for it to be the same prior."""
    source = prior if isinstance(prior, Mapping) else _source_of(prior)
    return {key: source[key] for key in ("campaign", "map", "function") if source.get(key) is not None}


def _source_of(prior: Any) -> Mapping[str, str]:
    if isinstance(prior, str):
        from equiwarp.spec.fields import prior_reference

        return prior_reference(prior)
    from equiwarp.maps.prior_map import read_prior

    return read_prior(prior).source


def kept_values(prior: Prior | None) -> dict[str, Any]:
    """What is kept of a prior beside its name, for the event of the campaign's creation."""
    from equiwarp.maps.prior_map import MappedValues
    from equiwarp.spec import domain_to_dict

    if prior is None or not isinstance(prior.function, MappedValues):
        return {}
    described = domain_to_dict(prior.function.domain)
    if described.get("type") == "python" or described.get("callables"):
        raise InvalidInput(
            f"prior: the domain of {prior.name} can be described in Python only, so its map cannot be kept; "
            "give a function of points instead, such as lambda x: map.predict(x).mean"
        )
    return {"prior": {"name": prior.name, "domain": described, **prior.function.numbers()}}


def stored_prior(store: Store, campaign: CampaignRecord, given: Any) -> Prior | None:
    """The prior of a stored campaign: drawn from the values that were kept, or the function that is given."""
    source = campaign.settings.get("prior")
    if source is None:
        return None
    if "function" in source:
        if given is None:
            raise Mismatch(
                f"campaign {campaign.name!r} has a prior that only Python can describe (the function "
                f"{source['function']}); pass the same prior again"
            )
        from equiwarp.maps.prior_map import read_prior

        return read_prior(given)
    from equiwarp.maps.prior_map import MappedValues
    from equiwarp.spec.domains import domain_from_dict

    kept = store.of(Actor(campaign.id, "")).read(lambda t: t.creation()).detail["prior"]
    values = MappedValues.from_numbers(domain_from_dict(kept["domain"]), kept)
    return replace(values.as_prior(), name=kept["name"], source=source)
