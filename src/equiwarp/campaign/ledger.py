"""Between the store's rows and the values that people see: experiments, events, situations."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import Row

from equiwarp.campaign.chooser import Recipe, Situation
from equiwarp.campaign.experiment import Event, Experiment
from equiwarp.domains import Array
from equiwarp.engine.explanation import Explanation
from equiwarp.store.records import dump


def experiment_of(row: Row[Any], parameters: Sequence[str], responses: Sequence[str]) -> Experiment:
    """A row of the experiments table as people see it."""
    return Experiment(
        id=row.number,
        point=dict(zip(parameters, json.loads(row.point), strict=True)),
        state=row.state,
        why=Explanation.from_dict(json.loads(row.why)) if row.why else Explanation(row.origin),
        values=_named(row.value, responses),
        noise=_named(row.noise, responses),
        reason=row.reason,
        inside=bool(row.inside),
        ask=row.ask,
        created=row.created,
        since=row.changed,
    )


def _named(text: str | None, names: Sequence[str]) -> dict[str, float] | None:
    return None if text is None else dict(zip(names, json.loads(text), strict=True))


def event_of(row: Row[Any]) -> Event:
    return Event(row.id, row.at, row.who, row.what, row.number, json.loads(row.detail))


def new_rows(recipe: Recipe, points: Array, whys: Sequence[Explanation], ask: int) -> list[dict[str, Any]]:
    """Pending experiments, ready to be inserted, each with a claim on its location."""
    return [
        {
            "state": "pending",
            "origin": why.source,
            "inside": True,
            "point": dump(point),
            "key": key,
            "claim": key,
            "ask": ask,
            "place": place,
            "why": dump(why.as_dict()),
        }
        for place, (point, key, why) in enumerate(
            zip(points.tolist(), recipe.keys(points), whys, strict=True)
        )
    ]


def noise_of(campaign: Row[Any]) -> list[float | None]:
    """Known noise of each response, from the campaign's row."""
    return [response["noise"] for response in json.loads(campaign.settings)["responses"]]


def situation_of(rows: Sequence[Row[Any]], recipe: Recipe, noise: Sequence[float | None]) -> Situation:
    """Arrays over all experiments; ``noise`` holds for values that came without their own."""
    n, k = len(rows), len(noise)
    y = np.full((n, k), np.nan)
    known = np.tile([math.nan if v is None else v for v in noise], (n, 1)).reshape(n, k)
    for column, array in (("value", y), ("noise", known)):
        given = [i for i, row in enumerate(rows) if getattr(row, column) is not None]
        array[given] = _table([getattr(rows[i], column) for i in given], k)
    return Situation(
        numbers=np.array([row.number for row in rows], dtype=np.int64),
        states=np.array([row.state for row in rows], dtype=np.str_),
        x=_table([row.point for row in rows], recipe.domain.columns),
        y=y,
        noise=known,
        inside=np.array([row.inside for row in rows], dtype=bool),
        added=np.array([row.origin == "added" for row in rows], dtype=bool),
    )


def _table(texts: Sequence[str], columns: int) -> Array:
    """JSON lists of numbers as the rows of an array; parsed at once, which is faster for many."""
    return np.array(json.loads(f"[{','.join(texts)}]"), dtype=float).reshape(-1, columns)
