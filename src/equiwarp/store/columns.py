"""Many rows at once: experiments as arrays and as rows to insert, and their counts.

The JSON of many rows is joined into one text and parsed at once, which is several times as fast. Rows
hold the columns that :mod:`equiwarp.store.statements` selects, in its order.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from equiwarp._util.text import short, unstorable
from equiwarp.domains import Array
from equiwarp.exceptions import InvalidInput
from equiwarp.store.records import (
    SPENT,
    Booleans,
    Counts,
    ExperimentState,
    NewAsked,
    NewMeasurements,
    Particulars,
    is_accident,
)

#: Rows of a query: tuples of columns.
QueryRows = Sequence[Sequence[Any]]
#: Low and high of what is plausible; None where a side is open.
PlausibleRange = tuple[float | None, float | None]
#: JSON that reads back bit for bit and never holds NaN.
_dump = partial(json.dumps, allow_nan=False, ensure_ascii=False)
NOTHING = Particulars()


def dump(data: Any) -> str:
    """Plain data as JSON. A NUL is escaped there; half a character is refused."""
    return storable(_dump(data))


def storable(text: str) -> str:
    """A text that every database can keep, or an error that shows it."""
    if unstorable(text):
        raise InvalidInput(f"{short(text)} holds characters that cannot be stored; leave them out")
    return text


@dataclass(frozen=True)
class ExperimentArrays:
    """What a strategy or a map needs to know of all N experiments, in the order of their ids.

    Attributes
    ----------
    ids, states : (N,) arrays
    x : (N, columns) array
    y : (N, k) array
        NaN where there is no value.
    noise : (N, k) array
        NaN where it is unknown.
    width : (N, k) array or None
        By how much more a value may be off because it is a limit; 0 of others. None if there is no limit.
    inside, added : (N,) boolean arrays
    blocks : tuple of N dicts
        The block that each experiment belongs to.
    accident : (N,) boolean array
        Failures that say nothing about their location.
    """

    ids: np.ndarray[tuple[int], np.dtype[np.int64]]
    states: np.ndarray[tuple[int], np.dtype[np.str_]]
    x: Array
    y: Array
    noise: Array
    inside: Booleans
    added: Booleans
    accident: Booleans
    blocks: tuple[dict[str, str], ...] = ()
    width: Array | None = None

    @property
    def measured(self) -> Booleans:
        """Those with the value of some response at least, unless it was withdrawn."""
        return np.isfinite(self.y).any(axis=1) & (self.states != "withdrawn")

    @property
    def waiting(self) -> Array:
        """Locations of pending experiments without any value, inside the domain."""
        return self.x[(self.states == "pending") & self.inside & ~self.measured]

    @property
    def lost(self) -> Booleans:
        """Failed, and not by accident."""
        return (self.states == "failed") & ~self.accident

    def at(self, state: ExperimentState) -> Array:
        """Locations in this state, inside the domain."""
        return self.x[(self.states == state) & self.inside]


def counts_of(rows: QueryRows, ended: QueryRows = ()) -> Counts:
    """Rows of ``statements.COUNTS``, summed up in four ways; ``ended`` ones are released, not pending."""
    rows = [
        *rows,
        *((state, *sort, -n) for state, *sort, n in ended),
        *(("released", *sort, n) for _, *sort, n in ended),
    ]
    states: dict[str, int] = dict.fromkeys((*SPENT, "released", "withdrawn"), 0)
    for state, _, _, _, n in rows:
        states[state] += n
    added = sum(n for _, origin, _, _, n in rows if origin == "added")
    measured = sum(n for state, _, _, value, n in rows if value and state != "withdrawn")
    return Counts(states, added, sum(n for _, _, inside, _, n in rows if not inside), measured)


def arrays_of(
    rows: QueryRows, columns: int, noise: Sequence[float | None], ranges: Sequence[PlausibleRange] = ()
) -> ExperimentArrays:
    """Rows of ``statements.KNOWN`` as arrays; ``noise`` holds for values that came without their own.

    A value that is a limit becomes the middle of what it may have been, with its width; ``ranges`` has what
    is plausible of each response.
    """
    n, k = len(rows), len(noise)
    ids, states, origins, inside, points, values, own, abouts, reasons = (
        zip(*rows, strict=True) if rows else ((),) * 9
    )
    y, known = np.full((n, k), np.nan), np.full((n, k), np.nan)
    for texts, array in ((values, y), (own, known)):
        given = [i for i, text in enumerate(texts) if text is not None]
        array[given] = table_of([texts[i] for i in given], k)
    known = np.where(np.isnan(known), [math.nan if v is None else v for v in noise], known)
    about = {i: particulars_of(text) for i, text in enumerate(abouts) if text is not None}
    width = np.zeros((n, k))
    for i, particulars in about.items():
        for j in (*particulars.below, *particulars.above):
            y[i, j], width[i, j] = _limited(y[i, j], j in particulars.below, ranges[j : j + 1])
    return ExperimentArrays(
        ids=np.array(ids, dtype=np.int64),
        states=np.array(states, dtype=np.str_),
        x=table_of(points, columns),
        y=y,
        noise=known,
        inside=np.array(inside, dtype=bool),
        added=np.array([origin == "added" for origin in origins], dtype=bool),
        accident=np.array([r is not None and is_accident(r) for r in reasons], dtype=bool),
        blocks=tuple(about[i].block if i in about else {} for i in range(n)),
        width=width if width.any() else None,
    )


def below_limit(limit: float, low: float | None = None, high: float | None = None) -> tuple[float, float]:
    """Where a value below a detection limit may lie: from 0 on, as far as that is plausible."""
    return max(0.0, low or 0.0), limit if high is None else min(limit, high)


def above_limit(limit: float, low: float | None = None, high: float | None = None) -> tuple[float, float]:
    """Where a value above a limit may lie: up to the most that is plausible, or else to twice the limit."""
    return limit if low is None else max(limit, low), 2 * limit if high is None else high


def _limited(limit: float, below: bool, ranges: Sequence[PlausibleRange]) -> tuple[float, float]:
    """A value that is a limit, and its width. A limit that is not plausible counts without the range."""
    may_be = below_limit if below else above_limit
    for low, high in [*ranges, (None, None)]:
        ends = may_be(limit, low, high)
        if ends[0] < ends[1]:
            break
    return anywhere(*ends)


def anywhere(low: float, high: float) -> tuple[float, float]:
    """A value and its deviation, if any number from low to high is as likely as another."""
    return (low + high) / 2, (high - low) / math.sqrt(12.0)


def particulars_of(text: str) -> Particulars:
    """What the column ``about`` says."""
    data = json.loads(text)
    lists = {name: tuple(data[name]) for name in ("asked", "notes", "below", "above") if name in data}
    return Particulars(**{**data, **lists})


def particulars_text(about: Particulars) -> str | None:
    """The column ``about``: what differs from the rule; NULL if nothing does."""
    said = {name: value for name, value in vars(about).items() if value != getattr(NOTHING, name)}
    return dump(said) if said else None


def table_of(texts: Sequence[str], columns: int) -> Array:
    """Lists of numbers as the rows of an array ``(n, columns)``."""
    return np.array(json.loads(f"[{','.join(texts)}]"), dtype=float).reshape(-1, columns)


def asked_rows(new: NewAsked) -> list[dict[str, Any]]:
    """Pending experiments, each with a claim on its location; repeats have none."""
    about = particulars_text(new.about)
    each = zip(new.points.tolist(), new.keys, new.whys, strict=True)
    return [
        {
            "state": "pending",
            "origin": why.source,
            "inside": True,
            "point": dump(point),
            "key": key,
            "claim": None if new.ask is None else key,
            "ask": new.ask,
            "place": None if new.ask is None else place,
            "about": about,
            "lease": new.lease,
            "why": dump({k: None if v != v else v for k, v in vars(why).items()}),  # NaN is not JSON
        }
        for place, (point, key, why) in enumerate(each)
    ]


def measured_rows(new: NewMeasurements) -> list[dict[str, Any]]:
    """Experiments that are done, without a claim: a location may be measured again."""
    unknown = [[math.nan]] * len(new.points)
    values, noise = (
        [[None if v != v else v for v in row] for row in rows]  # NaN: not known, and not JSON
        for rows in (new.values.tolist(), unknown if new.noise is None else new.noise.tolist())
    )
    about = list(new.about) or [NOTHING] * len(new.points)
    for i in np.flatnonzero((new.signs != "").any(axis=1)).tolist():
        about[i] = _with_limits(about[i], new.signs[i].tolist())
    texts = [None if one == NOTHING else particulars_text(one) for one in about]
    each = zip(new.points.tolist(), new.keys, new.inside.tolist(), values, noise, texts, strict=True)
    return [
        {
            "state": "done",
            "origin": "added",
            "inside": inside,
            "point": dump(point),
            "key": key,
            "value": dump(value),
            "noise": None if all(d is None for d in deviations) else dump(deviations),
            "about": about,
        }
        for point, key, inside, value, deviations, about in each
    ]


def _with_limits(about: Particulars, signs: Sequence[str]) -> Particulars:
    below, above = (tuple(j for j, sign in enumerate(signs) if sign == side) for side in "<>")
    return replace(about, below=below, above=above)


def signed(value: str, about: str | None) -> tuple[tuple[float, str] | None, ...]:
    """The columns ``value`` and ``about``: each value with ``<`` or ``>`` if it is a limit, or None."""
    limits = NOTHING if about is None else particulars_of(about)
    return tuple(
        None if v is None else (v, "<" if j in limits.below else ">" if j in limits.above else "")
        for j, v in enumerate(json.loads(value))
    )
