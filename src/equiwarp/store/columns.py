"""Many rows at once: experiments as arrays and as rows to insert, and their counts.

The JSON of many rows is joined into one text and parsed at once, which is several times as fast. Rows
hold the columns that :mod:`equiwarp.store.statements` selects, in its order.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from equiwarp._util.text import short, unstorable
from equiwarp.domains import Array
from equiwarp.exceptions import InvalidInput
from equiwarp.store.records import SPENT, Booleans, Counts, ExperimentState, NewAsked, NewMeasurements

#: Rows of a query: tuples of columns.
QueryRows = Sequence[Sequence[Any]]
#: JSON that reads back bit for bit and never holds NaN.
_dump = partial(json.dumps, allow_nan=False, ensure_ascii=False)


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
    inside, added : (N,) boolean arrays
    """

    ids: np.ndarray[tuple[int], np.dtype[np.int64]]
    states: np.ndarray[tuple[int], np.dtype[np.str_]]
    x: Array
    y: Array
    noise: Array
    inside: Booleans
    added: Booleans

    @property
    def measured(self) -> Booleans:
        return self.states == "done"

    def at(self, state: ExperimentState) -> Array:
        """Locations in this state, inside the domain."""
        return self.x[(self.states == state) & self.inside]


def counts_of(rows: QueryRows) -> Counts:
    """Rows of ``statements.COUNTS``, summed up in three ways."""
    states: dict[str, int] = dict.fromkeys((*SPENT, "released"), 0)
    for state, _, _, n in rows:
        states[state] += n
    added = sum(n for _, origin, _, n in rows if origin == "added")
    return Counts(states, added, outside=sum(n for _, _, inside, n in rows if not inside))


def arrays_of(rows: QueryRows, columns: int, noise: Sequence[float | None]) -> ExperimentArrays:
    """Rows of ``statements.KNOWN`` as arrays; ``noise`` holds for values that came without their own."""
    n, k = len(rows), len(noise)
    ids, states, origins, inside, points, values, own = zip(*rows, strict=True) if rows else ((),) * 7
    y = np.full((n, k), np.nan)
    known = np.tile([math.nan if v is None else v for v in noise], (n, 1)).reshape(n, k)
    for texts, array in ((values, y), (own, known)):
        given = [i for i, text in enumerate(texts) if text is not None]
        array[given] = table_of([texts[i] for i in given], k)
    return ExperimentArrays(
        ids=np.array(ids, dtype=np.int64),
        states=np.array(states, dtype=np.str_),
        x=table_of(points, columns),
        y=y,
        noise=known,
        inside=np.array(inside, dtype=bool),
        added=np.array([origin == "added" for origin in origins], dtype=bool),
    )


def table_of(texts: Sequence[str], columns: int) -> Array:
    """Lists of numbers as the rows of an array ``(n, columns)``."""
    return np.array(json.loads(f"[{','.join(texts)}]"), dtype=float).reshape(-1, columns)


def asked_rows(new: NewAsked) -> list[dict[str, Any]]:
    """Pending experiments, each with a claim on its location."""
    each = zip(new.points.tolist(), new.keys, new.whys, strict=True)
    return [
        {
            "state": "pending",
            "origin": why.source,
            "inside": True,
            "point": dump(point),
            "key": key,
            "claim": key,
            "ask": new.ask,
            "place": place,
            "why": dump({k: None if v != v else v for k, v in vars(why).items()}),  # NaN is not JSON
        }
        for place, (point, key, why) in enumerate(each)
    ]


def measured_rows(new: NewMeasurements) -> list[dict[str, Any]]:
    """Experiments that are done, without a claim: a location may be measured again."""
    noise = [None] * len(new.points) if new.noise is None else new.noise.tolist()
    each = zip(new.points.tolist(), new.keys, new.inside.tolist(), new.values.tolist(), noise, strict=True)
    return [
        {
            "state": "done",
            "origin": "added",
            "inside": inside,
            "point": dump(point),
            "key": key,
            "value": dump(value),
            "noise": None if deviations is None else dump(deviations),
        }
        for point, key, inside, value, deviations in each
    ]
