"""Adding measurements that were made earlier or elsewhere: a whole table in one transaction."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from equiwarp.campaign.context import CampaignContext
from equiwarp.campaign.responses import fix_names, open_names, read_value_table
from equiwarp.campaign.sequence import location_keys
from equiwarp.domains import Array, Domain
from equiwarp.engine.reading import read_noise, read_points
from equiwarp.exceptions import InvalidInput, OutsideDomain
from equiwarp.store import CampaignTransaction, NewMeasurements
from equiwarp.store.steps import reached
from equiwarp.tables.cells import LARGEST


def add(context: CampaignContext, points: Any, values: Any, noise: Any = None) -> list[int]:
    """New measurements in one transaction; see :meth:`equiwarp.Campaign.add`."""
    domain = context.domain
    x = _readable_points(domain, points)
    inside = domain.contains(x)
    token = uuid.uuid4().hex

    def work(transaction: CampaignTransaction) -> list[int]:
        names, y = read_value_table(values, len(x), open_names(transaction.take()))
        served = transaction.event_with(token)
        if served is not None:
            return list(range(served.detail["first"], served.detail["last"] + 1))
        if len(x) == 0:
            return []
        keys = _keys(domain, x, inside)
        new = NewMeasurements(x, keys, inside, y, _deviations(noise, y, names))
        ids = transaction.insert_measured(transaction.take(), new)
        fix_names(transaction, names)
        detail = {"first": ids[0], "last": ids[-1], "count": len(x), "outside": int(np.sum(~inside))}
        transaction.log("added", None, detail, token)
        reached("add:written")
        return ids

    ids = context.store.write(work)
    if not inside.all():
        row = int(np.flatnonzero(~inside)[0])
        warnings.warn(
            f"{int(np.sum(~inside))} of {len(x)} points lie outside the domain (first: row {row}, "
            f"{domain.problem(x[row])}); they are kept, serve prediction and are never suggested",
            OutsideDomain,
            stacklevel=3,
        )
    return ids


def _keys(domain: Domain, x: Array, inside: np.ndarray[Any, Any]) -> list[str]:
    """A key per location; what lies outside has one that no suggestion can have."""
    keys = [f"outside {point}" for point in x.tolist()]
    for i, key in zip(np.flatnonzero(inside), location_keys(domain, x[inside]), strict=True):
        keys[i] = key
    return keys


def _readable_points(domain: Domain, points: Any) -> Array:
    """Points anywhere that the domain's scale can place at all."""
    x = read_points(domain, points, "points", inside=False)
    with np.errstate(all="ignore"):
        placed = np.isfinite(domain.embed(x)).all(axis=1) & (np.abs(x) <= LARGEST).all(axis=1)
    for row in np.flatnonzero(~placed)[:1]:
        raise InvalidInput(
            f"points, row {row}: {domain.text_of(x[row])} cannot be placed on the domain's scale; "
            "leave it out"
        )
    return x


def _deviations(noise: Any, y: Array, names: tuple[str, ...]) -> Array | None:
    if isinstance(noise, Mapping):
        if set(noise) != set(names):
            raise InvalidInput(f"noise is given for {list(noise)}; give it for the responses {list(names)}")
        columns = [np.broadcast_to(np.asarray(noise[name], dtype=float), len(y)) for name in names]
        noise = np.column_stack(columns)
    return read_noise(noise, y)
