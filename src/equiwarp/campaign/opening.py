"""Opening a campaign: make it as described, or find it and make sure that it is the one described."""

from __future__ import annotations

import dataclasses
import getpass
import socket
from collections.abc import Mapping
from typing import Any

from equiwarp.campaign.description import Description, require_same
from equiwarp.campaign.strategy_source import require_installed, source_of
from equiwarp.domains import Domain
from equiwarp.exceptions import Mismatch, StoreOvertaken
from equiwarp.spec import CampaignSpec, domain_to_dict
from equiwarp.store import CampaignRecord, Store, Transaction
from equiwarp.strategy import DEFAULT_STRATEGY, Strategy, find

#: What the store keeps beside the description itself.
_BESIDE = ("settled", "strategy_source")


def open_campaign(
    store: Store, said: Description | CampaignSpec, who: str
) -> tuple[CampaignRecord, CampaignSpec]:
    """The campaign and its description: begun if it is new, refused if it differs."""
    wanted = Description.of(said) if isinstance(said, CampaignSpec) else said

    def begin(transaction: Transaction) -> CampaignRecord:
        found = transaction.find(wanted.name)
        if found is not None:
            return found
        spec = wanted.spec()
        settings = settings_of(spec, wanted.settled)
        return transaction.create(spec.name, domain_to_dict(spec.domain), settings, who)

    # What is no text names no campaign; the description says so.
    known = isinstance(wanted.name, str)
    campaign = store.read(lambda transaction: transaction.find(wanted.name)) if known else None
    if campaign is None:
        wanted.spec()  # a mistake in the description shows before anything is written
        try:
            campaign = store.write(begin)
        except StoreOvertaken:  # begun by another process at the same moment
            campaign = store.write(begin)
    require_same(campaign, wanted)
    return campaign, spec_of(campaign, wanted.domain, wanted.strategy)


def settings_of(spec: CampaignSpec, settled: bool) -> dict[str, Any]:
    """What the store keeps beside the domain."""
    settings = {**{k: v for k, v in spec.to_dict().items() if k != "domain"}, "settled": settled}
    source = source_of(find(spec.strategy))
    return settings if source is None else {**settings, "strategy_source": source}


def spec_of(campaign: CampaignRecord, domain: Domain | None, strategy: str | Strategy | None) -> CampaignSpec:
    """The description of a campaign as it is now.

    Domain and strategy are given where only Python can describe them.
    """
    described = {k: v for k, v in campaign.settings.items() if k not in _BESIDE}
    objects: dict[str, Any] = {}
    if isinstance(strategy, Strategy):
        described["strategy"], objects["strategy"] = DEFAULT_STRATEGY, strategy
    else:
        require_installed(campaign)
    described["domain"] = campaign.domain
    if needs_python(campaign.domain):
        if domain is None:
            stored = campaign.domain
            raise Mismatch(
                f"campaign {campaign.name!r} has a domain that only Python can describe "
                f"({stored.get('callables') or stored.get('description')}); pass the same domain again"
            )
        described["domain"], objects["domain"] = {"type": "sphere", "dim": 1}, domain
    return dataclasses.replace(CampaignSpec.from_dict(described, stored=True), **objects, stored=True)


def needs_python(stored: Mapping[str, Any]) -> bool:
    return stored.get("type") == "python" or bool(stored.get("callables"))


def this_person() -> str:
    """user@machine, for the events."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = "unknown"
    return f"{user}@{socket.gethostname()}"
