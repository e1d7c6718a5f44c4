"""Part of ``docs/results/choosing.md``: what choosing can gain where the model is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from equiwarp.bench.pages.choosing_suites import Records
from equiwarp.bench.pages.markdown import markdown_table
from equiwarp.bench.studies.known_model import FARTHEST, POOL, START


def known_model_part(records: Records) -> list[str]:
    """A table as paragraphs; the mean over lengthscales and seeds that farthest points have, too."""
    if not records:
        return []
    sizes = sorted({r["points"] for r in records})
    left = {(_case(r), r["arm"], r["points"]): float(r["left"]) for r in records}
    rows: dict[tuple[int, float, str], dict[int, list[float]]] = {}
    for (case, arm, size), one in left.items():
        if arm != FARTHEST and (case, FARTHEST, size) in left:
            saved = 100 * (1 - one / left[case, FARTHEST, size])
            rows.setdefault((case[0], case[1], arm), {}).setdefault(size, []).append(saved)
    lines = [
        [str(dim), f"{100 * noise:g} %", arm, *(f"{np.mean(saved[size]):.0f}" for size in sizes)]
        for (dim, noise, arm), saved in sorted(rows.items(), key=lambda row: row[0][:2])
        if len(saved) == len(sizes)
    ]
    head = ["parameters", "noise", "variance summed over", *(f"{size} points" for size in sizes)]
    return ["## Where the model is known", _TEXT, markdown_table(head, lines)]


def _case(record: Mapping[str, Any]) -> tuple[int, float, float, int]:
    return record["dim"], record["noise"], record["lengthscale"], record["seed"]


_TEXT = f"""`equiwarp bench study known-model`: per cent less deviation of the function than farthest points
leave, under an isotropic Matern process whose noise and lengthscale are known (0.25 and 0.6 times the root of
the number of parameters, mean of both). No value is needed for it, so that luck plays no part. From
{START} points on, one at a time, out of a pool of {POOL:,}; one seed."""
