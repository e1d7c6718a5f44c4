"""``docs/results/findings.md`` from the study of what a map notices: every number comes from one command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equiwarp.bench.studies.findings import CLEAN, NAMED, RANDOM, findings_table, noise_table, unasked_table

INTRO = """Made by `{command}`; every number is computed, none is typed. A case is a function, a space-filling
design of 40 to 100 points in up to eight dimensions, and noise of 2, 5 or 10 % of the
function's deviation, stated in every other case. Each is examined as it is (clean) and with one fault at a
time. Intervals are 95 % (Wilson)."""
TITLES = {
    RANDOM: "Random functions, by which thresholds were chosen",
    NAMED: "Named functions, which confirm",
}
NOISE = """Wrong noise by the number of parameters. Too small a noise is contradicted only where points lie
close enough together to tell noise from the function: with 40 to 100 points, with one parameter, often with
two, and hardly beyond. Elsewhere the map predicts left-out values as well with the wrong noise as with the
true one, and only repeated measurements would tell. Too large a noise shows more often."""
UNASKED = """What is said of clean cases. Some of it is true: a function may have a parameter that hardly
matters, rise towards an edge, or be too rough for the number of points."""


def findings_page(groups: Mapping[str, Sequence[dict[str, Any]]], command: str) -> str:
    """The page in Markdown."""
    parts = ["# What the map notices", INTRO.format(command=command)]
    for group, records in groups.items():
        seeds = sorted({record["seed"] for record in records})
        clean = [record for record in records if record["fault"] == CLEAN]
        span = f"Seeds {seeds[0]} to {seeds[-1]}, {len(clean)} cases."
        parts += [f"## {TITLES[group]}", span, findings_table(records), NOISE, noise_table(records)]
        parts += [UNASKED, unasked_table(records)]
    return "\n\n".join(parts) + "\n"
