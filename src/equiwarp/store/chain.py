"""Digests that tie events to each other and to the rows they leave, so that a change behind our back shows.

Every event carries a digest of itself, of the digest before it in the same campaign (its ``chain``), and of
each row that it leaves (its ``leaves``). The campaign carries the last digest of its chain, its ``head``.

The form that is digested must never change. It names its fields, and leaves out those without content: a
column that comes later, and is empty or zero in what was written before, changes no digest. Ids of campaigns
and events are no part of it, since a campaign that moves to another store gets others.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

#: Columns of an experiment that count even if they are 0 or false; None never counts.
FIRST = frozenset(
    [
        *("number", "state", "origin", "inside", "point", "key", "claim", "ask", "place", "value", "noise"),
        *("why", "reason", "created", "changed"),
    ]
)
#: What is digested of an event.
EVENT = ("number", "at", "who", "what", "detail", "leaves")
#: Characters of the digest of a row: 72 bits, against accidents; whoever computes digests anew is not found.
WIDTH = 12


def row_digest(row: Mapping[Any, Any]) -> str:
    """Digest of an experiment's row, of whichever columns it has."""
    fields = {
        name: value
        for name, value in row.items()
        if name != "campaign" and value is not None and (name in FIRST or value)
    }
    short = hashlib.blake2b(_canonical(fields), digest_size=WIDTH * 6 // 8).digest()
    return base64.urlsafe_b64encode(short).decode()


def event_digest(before: str | None, event: Mapping[Any, Any]) -> str:
    """Digest of an event and of all events before it in its campaign."""
    fields = {name: event[name] for name in EVENT if event[name] is not None}
    return hashlib.blake2b((before or "").encode() + b"\n" + _canonical(fields), digest_size=16).hexdigest()


def leaves_of(rows: Iterable[Mapping[Any, Any]]) -> str:
    """The digests of several rows, one after another."""
    return "".join(row_digest(row) for row in rows)


def numbers_of(number: int | None, detail: Mapping[Any, Any]) -> range:
    """The experiments that an event leaves: its own, or those that it added or gave new keys."""
    if number is not None:
        return range(number, number + 1)
    if "first" in detail and "last" in detail:
        return range(detail["first"], detail["last"] + 1)
    return range(0)


def _canonical(fields: Mapping[Any, Any]) -> bytes:
    text = json.dumps(dict(fields), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")
