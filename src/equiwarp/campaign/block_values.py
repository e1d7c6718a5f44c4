"""Values without the offsets of their blocks: what a strategy chooses by and a map is drawn from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equiwarp.gp.offsets import block_offsets
from equiwarp.spec import CampaignSpec
from equiwarp.store import ExperimentArrays

#: The offset of each block, by column.
BlockOffsets = dict[str, dict[str, float]]


def has_offsets(spec: CampaignSpec) -> bool:
    """Whether a block of the campaign may be an offset."""
    return "offset" in spec.blocks.values()


def without_offsets(
    spec: CampaignSpec, known: ExperimentArrays
) -> tuple[ExperimentArrays, list[BlockOffsets]]:
    """The same experiments with the offsets taken off their values, and those of each response."""
    columns = [name for name, purpose in spec.blocks.items() if purpose == "offset"]
    y, use, found = known.y.copy(), known.measured, []
    spacing = spec.domain.spacing()
    for j in range(y.shape[1]):
        rows = np.flatnonzero(use & np.isfinite(known.y[:, j]))
        blocks = [[known.blocks[i].get(name, "") for i in rows] for name in columns]
        noise = known.noise[rows, j]
        if known.width is not None:
            noise = np.hypot(noise, known.width[rows, j])
        shift, effects = block_offsets(
            spec.domain.embed(known.x[rows]),
            known.y[rows, j],
            None if np.isnan(noise).any() else noise,
            blocks,
            spacing,
        )
        y[rows, j] -= shift
        named: BlockOffsets = {name: {} for name in columns}
        for (c, block), value in effects.items():
            named[columns[c]][block] = value
        found.append(named)
    return replace(known, y=y), found
