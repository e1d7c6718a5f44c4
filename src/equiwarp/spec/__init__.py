"""Campaigns and domains as plain data: files in, stores in and out. Part of layer 7."""

from equiwarp.spec.campaign import DEFAULT_STRATEGY, RESERVED, CampaignSpec, Response
from equiwarp.spec.domains import domain_from_dict, domain_to_dict
from equiwarp.spec.problems import Problem, SpecError

__all__ = [
    "DEFAULT_STRATEGY",
    "RESERVED",
    "CampaignSpec",
    "Problem",
    "Response",
    "SpecError",
    "domain_from_dict",
    "domain_to_dict",
]
