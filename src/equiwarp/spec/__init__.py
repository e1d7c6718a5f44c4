"""Campaign files: campaigns and domains as plain data, checked."""

from typing import TYPE_CHECKING, Any

from equiwarp.exceptions import Problem, SpecError
from equiwarp.spec.campaign import CampaignSpec, Response
from equiwarp.spec.checks import RESERVED, strategy_name
from equiwarp.spec.plain_domains import domain_to_dict

if TYPE_CHECKING:
    from equiwarp.spec.domains import domain_from_dict

__all__ = [
    "RESERVED",
    "CampaignSpec",
    "Problem",
    "Response",
    "SpecError",
    "domain_from_dict",
    "domain_to_dict",
    "strategy_name",
]


def __getattr__(name: str) -> Any:
    if name == "domain_from_dict":  # which loads pydantic: whoever opens a stored campaign does without
        from equiwarp.spec.domains import domain_from_dict

        return domain_from_dict
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
