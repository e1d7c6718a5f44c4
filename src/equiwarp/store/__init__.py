"""Where campaigns are kept: a SQLite file or a PostgreSQL database.

The rest of the package passes work to a :class:`Store`, which runs it in a transaction that survives
crashes. Within, :class:`Transaction` and :class:`CampaignTransaction` give and take frozen records. SQL,
a driver's exceptions and the JSON in columns stay inside this package. :func:`doctor` examines a store.
"""

from equiwarp.store.campaign_transaction import CampaignTransaction
from equiwarp.store.columns import ExperimentArrays
from equiwarp.store.core import CampaignStore, Store
from equiwarp.store.engine import redacted
from equiwarp.store.findings import Finding, Report
from equiwarp.store.health import doctor
from equiwarp.store.records import (
    Actor,
    CampaignEntry,
    CampaignRecord,
    Counts,
    Event,
    ExperimentRecord,
    ExperimentState,
    NewAsked,
    NewMeasurements,
    Particulars,
)
from equiwarp.store.transaction import Transaction

__all__ = [
    "Actor",
    "CampaignEntry",
    "CampaignRecord",
    "CampaignStore",
    "CampaignTransaction",
    "Counts",
    "Event",
    "ExperimentArrays",
    "ExperimentRecord",
    "ExperimentState",
    "Finding",
    "NewAsked",
    "NewMeasurements",
    "Particulars",
    "Report",
    "Store",
    "Transaction",
    "doctor",
    "redacted",
]
