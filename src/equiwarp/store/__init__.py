"""Where campaigns are kept: one SQLite file, or a PostgreSQL database by URL.

Layer 7. The rest of the package sees :class:`Store` (transactions that survive crashes), the queries
in :mod:`equiwarp.store.records` and :func:`doctor`; it never sees a driver's exception.
"""

from equiwarp.exceptions import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreNewer,
    StoreReadOnly,
    StoreUnreachable,
    StoreUnsuitable,
)
from equiwarp.store.core import Store
from equiwarp.store.doctor import Finding, Report, doctor

__all__ = [
    "Finding",
    "Report",
    "Store",
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreMissing",
    "StoreNewer",
    "StoreReadOnly",
    "StoreUnreachable",
    "StoreUnsuitable",
    "doctor",
]
