"""Campaigns: the one stateful class, a file for each group of verbs."""

from equiwarp.campaign.assessment import Assessment
from equiwarp.campaign.campaign import Campaign
from equiwarp.campaign.experiment import Experiment, Proposal, Status
from equiwarp.store import Event

__all__ = ["Assessment", "Campaign", "Event", "Experiment", "Proposal", "Status"]
