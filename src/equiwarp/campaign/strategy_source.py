"""Where a strategy that is not ours came from, so that one who misses it knows what to look for."""

from __future__ import annotations

from equiwarp.exceptions import InvalidInput, MissingPart
from equiwarp.store import CampaignRecord
from equiwarp.strategy import Strategy, find
from equiwarp.strategy.registry import OURS, package_of


def source_of(strategy: Strategy) -> dict[str, str] | None:
    """``{"package": ...}``, or ``{"module": ...}`` where no package is installed; None for one of ours."""
    if OURS.get(strategy.name) is strategy:
        return None
    offered = package_of(strategy.name)
    if offered is not None:
        return {"package": offered}
    module = type(strategy.criterion).__module__
    top = module.partition(".")[0]
    if top == "equiwarp":  # ours, or put together by somebody from parts of ours
        return None
    from importlib.metadata import packages_distributions

    packages = packages_distributions().get(top)
    return {"package": packages[0]} if packages else {"module": module}


def require_installed(campaign: CampaignRecord) -> None:
    """Refuse to go on without the campaign's strategy, saying where to find it."""
    name = campaign.settings["strategy"]
    try:
        find(name)
        return
    except MissingPart:  # installed and broken: it says so better than we can
        raise
    except InvalidInput:
        pass
    source = campaign.settings.get("strategy_source", {})
    if "package" in source:
        way = f"it came from the package {source['package']}: install that"
    elif "module" in source:
        way = f"it came from the Python module {source['module']}: import it"
    else:
        way = "install the package that brings it"
    raise MissingPart(
        f"campaign {campaign.name!r} chooses by the strategy {name!r}, which is not registered here; {way}, "
        "or pass the Strategy object again"
    )
