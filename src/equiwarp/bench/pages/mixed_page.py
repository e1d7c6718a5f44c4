"""``docs/results/mixed.md`` from the suites with categories and angles."""

from __future__ import annotations

from collections.abc import Sequence

from equiwarp.bench.pages.choosing_suites import Records, suite_part
from equiwarp.bench.sweeps.suites import Suite

SETUP = """Made-up functions, by which nothing was chosen (`bench/functions/mixed.py`), noise 5 %, one point
at a time, the domain's usual start. All designs are read by the same averaged map. Numbers are per cent less
error than with farthest points after the same number of rounds; mean ± standard error over functions and
seeds. Where they are listed, `botorch-mixed` is BoTorch's MixedSingleTaskGP with the integrated posterior
variance, `baybe` BayBE's default Gaussian process with the posterior standard deviation; both take an angle
for a number."""


def suites_page(suites: Sequence[Suite], records: Records, command: str) -> str:
    """The chosen suites, one after the other."""
    parts = ["# Categories and angles", f"Written by `{command}`.", SETUP]
    for suite in suites:
        parts += suite_part(suite, records)
    return "\n\n".join(parts) + "\n"
