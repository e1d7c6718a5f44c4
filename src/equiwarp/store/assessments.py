"""What the last map of a campaign said, kept beside it: whoever wants a summary need not fit a map.

It follows from the measurements and can be computed again, so it has no event and no digest. A map of an
earlier state does not take the place of a later one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from equiwarp.store import statements
from equiwarp.store.campaign_transaction import CampaignTransaction
from equiwarp.store.columns import dump


@dataclass(frozen=True)
class KeptAssessment:
    """What a map said.

    Attributes
    ----------
    learned : int
        Which state of the campaign it was made from: see :class:`CampaignRecord`.
    made : str
        When, UTC, ISO 8601.
    content : dict
        What it said, as plain data.
    """

    learned: int
    made: str
    content: dict[str, Any]


def kept_assessment(transaction: CampaignTransaction) -> KeptAssessment | None:
    """What the last map said; None if none was kept."""
    row = transaction._connection.execute(statements.ASSESSMENT, transaction._its).one_or_none()
    return None if row is None else KeptAssessment(row.learned, row.made, json.loads(row.content))


def keep_assessment(transaction: CampaignTransaction, made: KeptAssessment) -> None:
    """Keep what a map said, unless that of a later state is there."""
    connection, its = transaction._connection, transaction._its
    row = {"learned": made.learned, "made": made.made, "content": dump(made.content)}
    if connection.execute(statements.ASSESSMENT, its).one_or_none() is None:
        connection.execute(statements.INSERT_ASSESSMENT, {**its, **row})
        return
    new = {f"new_{name}": value for name, value in row.items()}
    connection.execute(statements.RENEW_ASSESSMENT, {"its_campaign": its["campaign"], **new})
