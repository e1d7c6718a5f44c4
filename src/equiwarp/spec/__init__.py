"""Campaign files: campaigns and domains as plain data, checked."""

from equiwarp.exceptions import Problem, SpecError
from equiwarp.spec.campaign import CampaignSpec, Response
from equiwarp.spec.checks import RESERVED, strategy_name
from equiwarp.spec.domains import domain_from_dict, domain_to_dict

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
