"""Adding measurements that were made earlier or elsewhere: a whole table in one transaction."""

from __future__ import annotations

import hashlib
import uuid
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from equiwarp._util.arguments import items_of
from equiwarp.campaign.context import CampaignContext
from equiwarp.campaign.keys import key_token
from equiwarp.campaign.particulars import read_block, read_text
from equiwarp.campaign.responses import (
    fix_names,
    has_ranges,
    open_names,
    require_plausible,
)
from equiwarp.campaign.sequence import location_keys
from equiwarp.campaign.value_tables import ReadTable, read_noise_table, read_value_table
from equiwarp.domains import Array, Domain
from equiwarp.engine.reading import placed, read_points
from equiwarp.exceptions import Conflict, InvalidInput, KnownMeasurements, OutsideDomain
from equiwarp.store import CampaignTransaction, Event, NewMeasurements
from equiwarp.store.records import Particulars
from equiwarp.store.steps import reached


@dataclass(frozen=True)
class AddedRows:
    """Measurements to add; see :meth:`equiwarp.Campaign.add`."""

    points: Any
    values: Any
    noise: Any = None
    again: bool = False
    sure: bool = False
    key: str | None = None
    block: Mapping[str, Any] | None = None
    sample: Any = None


def add(context: CampaignContext, rows: AddedRows) -> list[int]:
    """New measurements in one transaction."""
    domain = context.domain
    x = _readable_points(domain, rows.points)
    inside = domain.contains(x)
    about = _about(context, rows, len(x))
    token = uuid.uuid4().hex if rows.key is None else key_token(context, "add", rows.key)
    known = np.zeros(len(x), dtype=bool)

    def work(transaction: CampaignTransaction) -> list[int]:
        campaign = transaction.take()
        read = read_value_table(rows.values, len(x), open_names(campaign))
        noise = read_noise_table(rows.noise, read.values, read.names)
        request = partial(_digest, x, read, noise)
        served = transaction.event_with(token)
        if served is not None:
            return _served(served, rows.key, len(x), request())
        if not rows.sure and campaign.settled and has_ranges(campaign.settings["responses"]):
            _require_plausible_rows(campaign.settings["responses"], read)
        keys = keys_of(domain, x, inside)
        known[:] = False if rows.again else _known(transaction, keys, read)
        if known.all():
            return []
        new = ~known
        kept = NewMeasurements(
            x[new],
            [key for key, one in zip(keys, new, strict=True) if one],
            inside[new],
            read.values[new],
            None if noise is None else np.where(np.isnan(read.values), np.nan, noise)[new],
            read.signs[new],
            [one for one, there in zip(about, known, strict=True) if not there] if about else (),
        )
        ids = transaction.insert_measured(campaign, kept)
        fix_names(transaction, read.names)
        detail: dict[str, Any] = {
            "first": ids[0],
            "last": ids[-1],
            "count": len(ids),
            "outside": int(np.sum(~inside[new])),
        }
        if rows.key is not None:
            detail |= {"given": len(x), "request": request()}
        transaction.log("added", None, detail, token)
        reached("add:written")
        return ids

    ids = context.store.write(work)
    _say_known(known)
    _say_outside(domain, x, inside | known)
    return ids


def _about(context: CampaignContext, rows: AddedRows, n: int) -> list[Particulars]:
    """The block and the sample of each row; empty if none was given."""
    if rows.block is None and rows.sample is None:
        return []
    if not isinstance(rows.block or {}, Mapping):
        raise InvalidInput(f"block: give texts by column, got {rows.block!r}")
    texts = {name: _texts(given, n, f"block {name}") for name, given in (rows.block or {}).items()}
    samples = _texts(rows.sample, n, "sample")
    read_block(context, dict.fromkeys(texts, ""))  # refuses columns that the campaign does not have
    return [
        Particulars(
            block=read_block(context, {name: column[i] for name, column in texts.items() if column[i]}),
            sample=read_text(samples[i], "sample"),
        )
        for i in range(n)
    ]


def _texts(given: Any, n: int, what: str) -> list[str]:
    """One text for all rows, or one for each; empty where there is none."""
    if given is None or isinstance(given, str):
        return [given or ""] * n
    texts = ["" if text is None or text != text else str(text) for text in items_of(given, what)]
    if len(texts) != n:
        raise InvalidInput(f"{what}: {len(texts)} texts for {n} points; give one for all, or one for each")
    return texts


def _digest(x: Array, read: ReadTable, noise: Array | None) -> str:
    """What was given, in a few letters: the same rows have the same."""
    parts = [x, read.values, read.signs.astype("U1"), np.array([]) if noise is None else noise]
    return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()[:16]


def _served(event: Event, key: str | None, given: int, request: str) -> list[int]:
    """The ids that this request was given when it was made before."""
    if event.detail.get("given", given) != given:
        raise Conflict(
            f"the key {key!r} was used to add {event.detail['given']} measurements, and now for {given}; use "
            "another key for another request"
        )
    if event.detail.get("request", request) != request:
        raise Conflict(
            f"the key {key!r} was used to add other measurements than these {given}; nothing was added: use "
            "another key for another request"
        )
    return list(range(event.detail["first"], event.detail["last"] + 1))


def _require_plausible_rows(responses: Sequence[Mapping[str, Any]], read: ReadTable) -> None:
    for i, (row, signs) in enumerate(zip(read.values.tolist(), read.signs.tolist(), strict=True)):
        require_plausible(responses, row, signs, f"values, row {i}: ")


def known_rows(context: CampaignContext, x: Array, values: Any) -> np.ndarray[Any, Any]:
    """Rows that :func:`add` would leave out because they are known, ``(n,)``."""
    keys = keys_of(context.domain, x, context.domain.contains(x))

    def work(transaction: CampaignTransaction) -> np.ndarray[Any, Any]:
        names = open_names(transaction.look())
        return _known(transaction, keys, read_value_table(values, len(x), names))

    return context.store.read(work)


def _known(transaction: CampaignTransaction, keys: list[str], read: ReadTable) -> np.ndarray[Any, Any]:
    """Rows with the settings and values of a measurement that is there, ``(n,)``; each counts once."""
    there = Counter(transaction.values_at(keys))
    found = np.zeros(len(keys), dtype=bool)
    for i, (key, *row) in enumerate(zip(keys, read.values.tolist(), read.signs.tolist(), strict=True)):
        same = key, tuple(None if v != v else (v, sign) for v, sign in zip(*row, strict=True))
        found[i] = there[same] > 0
        there[same] -= 1
    return found


def _say_known(known: np.ndarray[Any, Any]) -> None:
    if known.any():
        warnings.warn(
            f"{int(known.sum())} of {len(known)} rows are known already (first: row "
            f"{int(np.flatnonzero(known)[0])}), with the same settings and values, and were left out; if "
            "they were measured again, add them with again=True (--again)",
            KnownMeasurements,
            stacklevel=5,
        )


def _say_outside(domain: Domain, x: Array, fine: np.ndarray[Any, Any]) -> None:
    if not fine.all():
        row = int(np.flatnonzero(~fine)[0])
        warnings.warn(
            f"{int(np.sum(~fine))} of {len(x)} points lie outside the domain (first: row {row}, "
            f"{domain.problem(x[row])}); they are kept, serve prediction and are never suggested",
            OutsideDomain,
            stacklevel=5,
        )


def keys_of(domain: Domain, x: Array, inside: np.ndarray[Any, Any]) -> list[str]:
    """A key per location; what lies outside has one that no suggestion can have."""
    keys = [f"outside {point}" for point in x.tolist()]
    for i, key in zip(np.flatnonzero(inside), location_keys(domain, x[inside]), strict=True):
        keys[i] = key
    return keys


def _readable_points(domain: Domain, points: Any) -> Array:
    """Points anywhere that the domain's scale can place at all."""
    x = read_points(domain, points, "points", inside=False)
    for row in np.flatnonzero(~placed(domain, x))[:1]:
        raise InvalidInput(
            f"points, row {row}: {domain.text_of(x[row])} cannot be placed on the domain's scale; "
            "leave it out"
        )
    return x
