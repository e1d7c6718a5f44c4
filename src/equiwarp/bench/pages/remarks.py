"""What stands out among the rows of the paper, said in sentences that are made from the rows."""

from __future__ import annotations

from collections.abc import Sequence

from equiwarp.bench.pages.markdown import number_text
from equiwarp.bench.pages.paper_comparison import PaperLine
from equiwarp.bench.pages.reductions import title

#: The benchmarks that constants may be tuned on.
TUNED = "smooth-box"


def surrogate_remark(lines: Sequence[PaperLine]) -> str:
    """How far the two real-data benchmarks are from the paper's: their targets are not the same functions."""
    named = []
    for name in ("airfoil-5d", "power-plant-4d"):
        spans = []
        for arm in dict.fromkeys(line.arm for line in lines):
            apart = [one.difference for one in lines if (one.benchmark, one.arm) == (name, arm) and one.seeds]
            if apart:
                low, high = (number_text(value, sign=True) for value in (min(apart), max(apart)))
                spans.append(f"{low} to {high} (`{arm}`)")
        if spans:
            named.append(f"{title(name)}: {', '.join(spans)}")
    if not named:
        return ""
    return SURROGATES.format("; ".join(named))


def above_remark(lines: Sequence[PaperLine]) -> str:
    """Where the full method is above the paper at every horizon, and by how much."""
    named = []
    run = [line for line in lines if line.arm == "equiwarp" and line.seeds]
    for name in dict.fromkeys(line.benchmark for line in run):
        apart = [line.difference for line in run if line.benchmark == name]
        if min(apart) > 0:
            low, high = (number_text(value, sign=True) for value in (min(apart), max(apart)))
            named.append((name, f"{title(name)} {low} to {high}"))
    if not named:
        return ""
    tuned = [title(name) for name, _ in named if name.startswith(TUNED)]
    said = f"Of these we tune on {', '.join(tuned)} only." if tuned else "We tune on none of these."
    return ABOVE.format(", ".join(text for _, text in named), said)


SURROGATES = """### Real data

Ours minus the paper's over the horizons. {}. The targets are surrogates whose hyperparameters the paper does
not give, so they are not the same functions; the pool explains part of it at most."""
ABOVE = """### Rows above the paper

The full method is above the paper at every horizon on these: {}. {} Lengthscale, transport bins and pool
are ours, since the paper gives none of them, and we did not take apart which of them makes the difference."""
