"""Every row of the paper's two tables with ours beside it, and how far apart they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from equiwarp.bench.area import Summary
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.pages.markdown import DASH, markdown_table, number_text, plus_minus, seed_ranges
from equiwarp.bench.pages.paper_tables import Published, published
from equiwarp.bench.storage.csv_records import none_if_nan
from equiwarp.bench.trajectories import Trajectories

#: Pooled standard errors beyond which a row counts as different.
DIFFERENT_BY_SEM = 3.0
BELOW, WITHIN, ABOVE, ONE_SEED, NOT_RUN = "below", "within", "above", "one seed", "not run"


@dataclass(frozen=True)
class PaperLine:
    """One row of the paper: its figure, ours, and the seeds behind ours."""

    benchmark: str
    arm: str
    rounds: int
    paper: Published
    ours: Summary
    seeds: tuple[int, ...]

    @property
    def difference(self) -> float:
        """Ours minus the paper's, NaN if not run."""
        return self.ours.mean - self.paper.mean

    @property
    def pooled(self) -> float:
        """Standard error of the difference, NaN for fewer than two seeds."""
        return math.hypot(self.ours.sem, self.paper.sem)

    @property
    def verdict(self) -> str:
        if not self.seeds:
            return NOT_RUN
        if math.isnan(self.pooled):
            return ONE_SEED
        ratio = self.difference / self.pooled
        return BELOW if ratio < -DIFFERENT_BY_SEM else ABOVE if ratio > DIFFERENT_BY_SEM else WITHIN

    def record(self) -> dict[str, Any]:
        """Flat, with NaN as None."""
        numbers = {
            "ours_mean": self.ours.mean,
            "ours_sem": self.ours.sem,
            "paper_mean": self.paper.mean,
            "paper_sem": self.paper.sem,
            "difference": self.difference,
            "pooled_sem": self.pooled,
            "difference_in_pooled_sem": self.difference / self.pooled,
        }
        return {
            "benchmark": self.benchmark,
            "arm": self.arm,
            "rounds": self.rounds,
            "seeds": len(self.seeds),
            "seed_list": " ".join(str(seed) for seed in self.seeds),
            **{name: none_if_nan(value) for name, value in numbers.items()},
            "verdict": self.verdict,
        }


def compare_with_paper(found: Trajectories) -> list[PaperLine]:
    """All rows of the paper's tables, in its order, whether or not they were run."""
    lines = []
    for (name, arm, rounds), paper in published().items():
        values = found.reductions(name, arm, rounds)
        lines.append(PaperLine(name, arm, rounds, paper, Summary.of(values.values()), tuple(values)))
    return lines


def overview(lines: Sequence[PaperLine]) -> str:
    """Per arm, how many rows agree, and the means over the rows that were run."""
    head = ("arm", "rows of the paper", "run", "more than 3 s below", "within", "more than 3 s above")
    text = []
    for sphere in (False, True):
        part = [line for line in lines if find_benchmark(line.benchmark).sphere == sphere]
        for arm in dict.fromkeys(line.arm for line in part):
            mine = [line for line in part if line.arm == arm]
            run = [line for line in mine if line.seeds]
            verdicts = [line.verdict for line in mine]
            text.append(
                (
                    f"`{arm}`, {'spheres' if sphere else 'cubes'}",
                    str(len(mine)),
                    str(len(run)),
                    *(str(verdicts.count(one)) for one in (BELOW, WITHIN, ABOVE)),
                    number_text(_mean([line.ours.mean for line in run])),
                    number_text(_mean([line.paper.mean for line in run])),
                )
            )
    return markdown_table((*head, "mean AR, ours", "mean AR, paper, same rows"), text)


def by_arm(lines: Sequence[PaperLine], arm: str, sphere: bool) -> str:
    """One line per benchmark, three columns per horizon: ours, the paper's, the distance."""
    part = [line for line in lines if line.arm == arm and find_benchmark(line.benchmark).sphere == sphere]
    horizons = sorted({line.rounds for line in part})
    head = ["benchmark", "seeds"]
    for rounds in horizons:
        head += [f"{rounds} rounds", "paper", "s"]
    text = []
    for name in dict.fromkeys(line.benchmark for line in part):
        mine = {line.rounds: line for line in part if line.benchmark == name}
        cells = [find_benchmark(name).title, _seeds([mine[rounds] for rounds in horizons if rounds in mine])]
        for rounds in horizons:
            cells += _three(mine.get(rounds))
        text.append(cells)
    return markdown_table(head, text)


def shortfalls(lines: Sequence[PaperLine]) -> str:
    """The flagged rows, worst first."""
    below = [line for line in lines if line.verdict == BELOW]
    below.sort(key=lambda line: line.difference / line.pooled)
    head = ("benchmark", "arm", "rounds", "seeds", "ours", "paper", "difference", "in pooled SEM")
    return markdown_table(
        head,
        (
            (
                find_benchmark(line.benchmark).title,
                f"`{line.arm}`",
                str(line.rounds),
                seed_ranges(line.seeds),
                plus_minus(line.ours),
                plus_minus(Summary(line.paper.mean, line.paper.sem, 10)),
                number_text(line.difference, sign=True),
                number_text(line.difference / line.pooled, sign=True),
            )
            for line in below
        ),
    )


def _three(line: PaperLine | None) -> list[str]:
    if line is None:
        return [DASH] * 3
    ratio = number_text(line.difference / line.pooled, sign=True)
    mark = f"**{ratio} ▼**" if line.verdict == BELOW else f"{ratio} ▲" if line.verdict == ABOVE else ratio
    return [plus_minus(line.ours), plus_minus(Summary(line.paper.mean, line.paper.sem, 10)), mark]


def _seeds(lines: Sequence[PaperLine]) -> str:
    """The seeds of a line; where horizons differ, those of each."""
    texts = [seed_ranges(line.seeds) for line in lines]
    return texts[0] if len(set(texts)) == 1 else " / ".join(texts)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan
