"""Part of ``docs/results/choosing.md``: what choosing can gain where the model is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from equiwarp.bench.pages.choosing_suites import Records
from equiwarp.bench.pages.markdown import markdown_table
from equiwarp.bench.studies.known_model import FARTHEST, POOL, START


def known_model_part(records: Records) -> list[str]:
    """A table as paragraphs; the mean over seeds that farthest points have, too."""
    if not records:
        return []
    sizes = sorted({r["points"] for r in records})
    left = {(_case(r), r["arm"], r["points"]): float(r["left"]) for r in records}
    rows: dict[tuple[int, float, float, str], dict[int, list[float]]] = {}
    for (case, arm, size), one in left.items():
        if arm != FARTHEST and (case, FARTHEST, size) in left:
            saved = 100 * (1 - one / left[case, FARTHEST, size])
            rows.setdefault((*case[:3], arm), {}).setdefault(size, []).append(saved)
    lines = [
        [
            str(dim),
            f"{length:g}",
            f"{100 * noise:g} %",
            arm,
            *(f"{np.mean(saved[size]):.0f}" for size in sizes),
        ]
        for (dim, length, noise, arm), saved in sorted(rows.items(), key=lambda row: row[0][:3])
        if len(saved) == len(sizes)
    ]
    head = [
        "parameters",
        "lengthscale",
        "noise",
        "variance summed over",
        *(f"{size} points" for size in sizes),
    ]
    return ["## Where the model is known", _TEXT, markdown_table(head, lines)]


def _case(record: Mapping[str, Any]) -> tuple[int, float, float, int]:
    return record["dim"], record["lengthscale"], record["noise"], record["seed"]


_TEXT = f"""`equiwarp bench study known-model`: per cent less deviation of the function than farthest points
leave, under an isotropic Matern process whose noise and lengthscale (in units of the root of the number of
parameters) are known. No value is needed for it, so that luck plays no part. From {START} points on, one at a
time, out of a pool of {POOL:,}."""
