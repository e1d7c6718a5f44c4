"""Opening a campaign: make it as described, or find it and make sure that it is the one described."""

from __future__ import annotations

import dataclasses
import getpass
import socket
from typing import Any

from equiwarp.campaign.description import Description, require_same
from equiwarp.campaign.prior_source import kept_values, resolved, stored_prior
from equiwarp.campaign.stored_description import settings_of, spec_of
from equiwarp.exceptions import InvalidInput, StoreOvertaken
from equiwarp.spec import CampaignSpec, domain_to_dict
from equiwarp.store import CampaignRecord, Store, Transaction


def open_campaign(
    store: Store, said: Description | CampaignSpec, who: str
) -> tuple[CampaignRecord, CampaignSpec]:
    """The campaign and its description: begun if it is new, refused if it differs."""
    wanted = Description.of(said) if isinstance(said, CampaignSpec) else said
    # What is no text names no campaign; the description says so.
    known = isinstance(wanted.name, str)
    campaign = store.read(lambda transaction: transaction.find(wanted.name)) if known else None
    if campaign is None:
        campaign = _begun(store, wanted, who)
    require_same(campaign, wanted)
    prior = stored_prior(store, campaign, wanted.prior)
    return campaign, spec_of(campaign, wanted.domain, wanted.strategy, prior)


def _begun(store: Store, wanted: Description, who: str) -> CampaignRecord:
    """A new campaign, or the one that another process began at the same moment."""
    spec = wanted.spec()  # a mistake in the description shows before anything is written
    if spec.prior is not None:
        spec = dataclasses.replace(spec, prior=resolved(store, spec.prior, spec.domain))
    settings, beside = settings_of(spec, wanted.settled), kept_values(spec.prior)

    def begin(transaction: Transaction) -> CampaignRecord:
        found = transaction.find(wanted.name)
        if found is not None:
            return found
        return transaction.create(spec.name, domain_to_dict(spec.domain), settings, who, beside)

    try:
        return store.write(begin)
    except StoreOvertaken:
        return store.write(begin)


def read_who(who: Any) -> str:
    """The person or program that is recorded with every event."""
    if not isinstance(who, str):
        raise InvalidInput(f"who must be text in quotes, got {who!r}")
    return who or this_person()


def this_person() -> str:
    """user@machine, for the events."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = "unknown"
    return f"{user}@{socket.gethostname()}"
