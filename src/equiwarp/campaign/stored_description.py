"""The description of a campaign as the store keeps it, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from equiwarp.campaign.strategy_source import require_installed, source_of
from equiwarp.domains import Domain
from equiwarp.exceptions import Mismatch
from equiwarp.spec import CampaignSpec
from equiwarp.store import CampaignRecord
from equiwarp.strategy import DEFAULT_STRATEGY, Strategy, find

if TYPE_CHECKING:
    from equiwarp.maps.prior import Prior

#: What the store keeps beside the description itself.
_BESIDE = ("settled", "strategy_source")


def settings_of(spec: CampaignSpec, settled: bool) -> dict[str, Any]:
    """What the store keeps beside the domain."""
    settings = {**{k: v for k, v in spec.to_dict().items() if k != "domain"}, "settled": settled}
    source = source_of(find(spec.strategy))
    return settings if source is None else {**settings, "strategy_source": source}


def spec_of(
    campaign: CampaignRecord, domain: Domain | None, strategy: str | Strategy | None, prior: Prior | None
) -> CampaignSpec:
    """The description of a campaign as it is now.

    Domain and strategy are given where only Python can describe them; the prior is as it was opened.
    """
    described = {k: v for k, v in campaign.settings.items() if k not in (*_BESIDE, "prior")}
    objects: dict[str, Any] = {"prior": prior}
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
    return CampaignSpec._from_store(described, objects)


def needs_python(stored: Mapping[str, Any]) -> bool:
    return stored.get("type") == "python" or bool(stored.get("callables"))
