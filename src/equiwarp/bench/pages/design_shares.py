"""On how many designs the full method has less accumulated error than EIG, readout by readout.

A design is a benchmark and a seed. The counts are kept as a table beside the page, because packed designs
carry no scores but those of 1-NN.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equiwarp.bench.area import error_area
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.pages.reductions import CUBES
from equiwarp.bench.storage.csv_records import kept_records
from equiwarp.bench.trajectories import Trajectories

SHARES_TABLE = "designs-above-eig.csv"
METHOD, RIVAL = "equiwarp", "eig"


def share_records(found: Mapping[str, Trajectories]) -> list[dict[str, Any]]:
    """For each readout, benchmark and horizon: seeds that both arms have, and those where ours is better."""
    records = []
    for readout, scored in found.items():
        for name in CUBES:
            for rounds in find_benchmark(name).checkpoints:
                ours, theirs = (scored.far_enough(name, arm, rounds) for arm in (METHOD, RIVAL))
                seeds = scored.shared(name, (METHOD, RIVAL), rounds)
                better = sum(
                    error_area(ours[seed], rounds) < error_area(theirs[seed], rounds) for seed in seeds
                )
                one = {"readout": readout, "benchmark": name, "rounds": rounds}
                records += [{**one, "better": better, "designs": len(seeds)}] if seeds else []
    return records


def share_text(tables: Path, readout: str, rounds: int) -> str:
    """``71 % of 180``, or a dash for what was not scored."""
    path = tables / SHARES_TABLE
    wanted = (readout, rounds)
    rows = [r for r in kept_records(path) if (r["readout"], r["rounds"]) == wanted]
    designs = sum(r["designs"] for r in rows)
    return f"{100 * sum(r['better'] for r in rows) / designs:.0f} % of {designs}" if designs else "–"
