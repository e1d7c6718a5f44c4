"""``docs/results/map.md`` from the study of the map: every number on it comes from one command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.pages.markdown import markdown_table
from equiwarp.bench.studies.calibration import Ingredients, bands_table, constants_table, rates_table
from equiwarp.bench.studies.families import families_table
from equiwarp.bench.studies.fit_speed import fit_speed_table
from equiwarp.bench.studies.map_quality import AHEAD, BANDS, STAGES, STOP_STAGES
from equiwarp.bench.studies.map_rivals import RIVALS, STAGE
from equiwarp.bench.studies.map_sizes import sizes_table
from equiwarp.bench.studies.priors import priors_table
from equiwarp.bench.studies.unseen_functions import unseen_titles
from equiwarp.bench.studies.weights import weights_table
from equiwarp.maps.error import CorrectionPrior

StageRows = Sequence[dict[str, Any]]
#: Limits of the stop rule, in deviations of the function.
LIMITS = (0.4, 0.2, 0.1, 0.05)
#: A stop is wrong if the true error is this many times the limit.
TOO_MUCH = 1.3


def at(rows: StageRows, rounds: int) -> list[dict[str, Any]]:
    """The rows of one stage."""
    return [row for row in rows if row["rounds"] == rounds]


def log_ratio(rows: StageRows, above: str, below: str) -> Any:
    """Logarithms of one column over another."""
    return np.log([row[above] / row[below] for row in rows])


def calibration_table(rows: StageRows, estimate: str = "estimate", true: str = "true") -> str:
    """How the estimated error compares with the true one, stage by stage."""
    lines = []
    for stage in STAGES:
        here = at(rows, stage)
        ratio = log_ratio(here, estimate, true)
        inside = [f"{100 * np.mean([r[f'inside_{b}'] for r in here]):.0f}" for b in BANDS]
        held = np.mean([r["low"] <= r["true"] <= r["high"] for r in here])
        lines.append(
            [f"start + {stage}", str(len(here)), f"{np.exp(ratio.mean()):.2f}", f"{_rms(ratio):.2f}",
             f"{100 * np.mean(ratio < np.log(0.7)):.0f} %", " / ".join(inside), f"{100 * held:.0f} %"]
        )  # fmt: skip
    head = ["measurements", "maps", "estimate over truth", "rms of its log", "below 0.7",
            "inside 50 / 80 / 95 % bands", "inside the interval (80 %)"]  # fmt: skip
    return markdown_table(head, lines)


def accuracy_table(rows: StageRows) -> str:
    """The map's true error function by function, and over that of the plain Matern map."""
    titles, lines = unseen_titles(), []
    for name in dict.fromkeys(row["benchmark"] for row in rows):
        mine = [row for row in rows if row["benchmark"] == name]
        title = titles.get(name) or find_benchmark(name).title
        cells = [title]
        for stage in STAGES[1:]:
            here = at(mine, stage)
            error = 100 * np.exp(np.mean(np.log([r["true"] for r in here])))
            cells.append(f"{error:.2g} ({np.exp(log_ratio(here, 'true', 'matern').mean()):.2f})")
        lines.append(cells)
    return markdown_table(["function", *(f"start + {s}" for s in STAGES[1:])], lines)


def accuracy_summary(rows: StageRows) -> str:
    """The geometric mean over all functions, and how many cases got better or worse by a tenth."""
    lines = []
    for stage in STAGES:
        ratio = log_ratio(at(rows, stage), "true", "matern")
        better, worse = np.mean(ratio < -0.1), np.mean(ratio > 0.1)
        lines.append(
            [f"start + {stage}", f"{np.exp(ratio.mean()):.2f}", f"{100 * better:.0f} % / {100 * worse:.0f} %"]
        )
    return markdown_table(
        ["measurements", "error over the plain map's", "better / worse by a tenth or more"], lines
    )


def forecast_table(rows: StageRows) -> str:
    """The forecast over the true error that many experiments later, and both falls beside each other."""
    lines, all_falls = [], []
    later = {(r["benchmark"], r["seed"], r["rounds"]): r["true"] for r in rows}
    for stage in STAGES:
        here = at(rows, stage)
        true = np.array([later[r["benchmark"], r["seed"], stage + AHEAD] for r in here])
        ratio = np.log([r["forecast"] for r in here] / true)
        told = -log_ratio(here, "forecast", "estimate")
        came = np.log(np.array([r["true"] for r in here]) / true)
        all_falls.append((told, came))
        lines.append(
            [f"start + {stage}", f"{np.exp(ratio.mean()):.2f}", f"{_rms(ratio):.2f}",
             f"{np.corrcoef(told, came)[0, 1]:.2f}"]
        )  # fmt: skip
    told, came = (np.concatenate(part) for part in zip(*all_falls, strict=True))
    lines.append(["all", "", "", f"{np.corrcoef(told, came)[0, 1]:.2f}"])
    head = ["measurements", "forecast over truth", "rms of its log", "correlation of the falls"]
    return markdown_table(head, lines)


def stop_table(rows: StageRows) -> str:
    """How many experiments late the rule fires, and how often it fires although the error is too large."""
    cases: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in rows:
        if row["rounds"] in STOP_STAGES:
            cases.setdefault((row["benchmark"], row["seed"]), []).append(row)
    lines = []
    for limit in LIMITS:
        late, wrong, stops, never = [], 0, 0, 0
        for case in cases.values():
            fired, there = _first(case, "estimate", limit), _first(case, "true", limit)
            if fired is not None:
                stops += 1
                wrong += fired["true"] > TOO_MUCH * limit
                late.append(fired["rounds"] - (there["rounds"] if there else fired["rounds"] + 20))
            elif there is not None:
                never += 1
        spread = np.percentile(late, [10, 50, 90]) if late else [np.nan] * 3
        lines.append(
            [f"{limit:g}", str(stops), f"{spread[1]:.0f} ({spread[0]:.0f} to {spread[2]:.0f})",
             f"{wrong} of {stops}", str(never)]
        )  # fmt: skip
    head = ["limit", "stops", "experiments late: median (10 to 90 %)",
            f"true error above {TOO_MUCH:g} limits",
            "good enough, not noticed within 100 rounds"]  # fmt: skip
    return markdown_table(head, lines)


def noise_table(rows: StageRows) -> str:
    """The noise that the map estimates where it is not told, over the true one."""
    lines = []
    for stage in STAGES:
        here = at(rows, stage)
        ratio = log_ratio(here, "noise", "true_noise")
        cost = log_ratio(here, "unknown_true", "true")
        lines.append(
            [f"start + {stage}", f"{np.exp(ratio.mean()):.2f}", f"{100 * np.mean(ratio < np.log(0.1)):.0f} %",
             f"{np.exp(cost.mean()):.2f}",
             f"{np.exp(log_ratio(here, 'unknown_estimate', 'unknown_true').mean()):.2f}"]
        )  # fmt: skip
    head = ["measurements", "estimated over true noise", "below a tenth", "map's error over that if told",
            "estimated over true error"]  # fmt: skip
    return markdown_table(head, lines)


def rivals_table(rows: StageRows) -> str:
    """Each rival's error over the map's, on the same points."""
    lines = []
    for name in RIVALS:
        pairs = [(r[name], r["map"]) for r in rows if name in r]
        solved = np.array([p for p in pairs if p[0] is not None], dtype=float)
        if not len(solved):
            continue
        ratio = np.log(solved[:, 0] / solved[:, 1])
        better, worse = np.mean(ratio < -0.1), np.mean(ratio > 0.1)
        lines.append(
            [name, f"{np.exp(ratio.mean()):.2f}", f"{100 * better:.0f} % / {100 * worse:.0f} %",
             str(len(solved)), str(len(pairs) - len(solved))]
        )  # fmt: skip
    head = ["model", "its error over the map's", "better / worse than the map by a tenth", "cases", "failed"]
    return markdown_table(head, lines)


@dataclass(frozen=True)
class MapRecords:
    """What the page is made from: the records of several studies.

    Attributes
    ----------
    named : rows of :mod:`equiwarp.bench.studies.map_quality`
    random : ingredients of the error estimate on random functions
    rivals, sizes, priors, speed, weights, families : records of the studies of these names; empty where one was not run
    """

    named: StageRows
    random: Sequence[Ingredients] = ()
    rivals: StageRows = ()
    sizes: StageRows = ()
    priors: StageRows = ()
    speed: StageRows = ()
    weights: StageRows = ()
    families: StageRows = ()


def map_page(records: MapRecords, command: str) -> str:
    """The page in Markdown."""
    named = records.named
    seeds = len({row["seed"] for row in named})
    parts = [
        "# How good the map is, and whether it knows", INTRO.format(command=command, seeds=seeds),
        "## Accuracy", TEXTS["accuracy"], accuracy_summary(named), TEXTS["functions"], accuracy_table(named),
    ]  # fmt: skip
    if records.rivals:
        parts += [
            f"On the same points after {STAGE} rounds, other people's models:",
            rivals_table(records.rivals),
        ]
    parts += ["## The error estimate", TEXTS["error"], calibration_table(named)]
    if records.random:
        parts += [
            TEXTS["constants"], constants_table(records.random, SHOWN),
            TEXTS["bands"], bands_table(records.random),
        ]  # fmt: skip
    parts += ["## The forecast", TEXTS["forecast"], forecast_table(named)]
    if records.random:
        parts += [TEXTS["learning"], rates_table(records.random)]
    parts += [
        "## When the stop rule fires", TEXTS["stop"], stop_table(named),
        "## Noise that nobody told", TEXTS["noise"], noise_table(named),
    ]  # fmt: skip
    if records.sizes:
        parts += ["## Many values", TEXTS["sizes"], sizes_table(records.sizes)]
    if records.speed:
        parts += ["## How fast it is fitted", TEXTS["speed"], fit_speed_table(records.speed)]
    if records.priors:
        parts += ["## Priors of the models", TEXTS["priors"], priors_table(records.priors)]
    if records.weights:
        parts += ["## How firmly weights are equal", TEXTS["weights"], weights_table(records.weights)]
    if records.families:
        parts += ["## What each family is worth", TEXTS["families"], families_table(records.families)]
    return "\n\n".join(parts) + "\n"


#: Priors of the correction that are shown beside the one in use.
SHOWN = {
    "one that the residuals sway more": CorrectionPrior(0.3, 0.3, 0.7, 6.0),
    "the same with and without much noise": CorrectionPrior(0.2, 0.2, 0.4),
    "as it is, but fits take up less freedom": CorrectionPrior(freedom=6.0),
}
INTRO = """Made by `{command}`; every number is computed, none is typed. Designs are those of `lookahead-gp`,
one point at a time with 5 % noise, seeds of each function: {seeds}. Constants of the map were chosen on
random functions (seven families in one to six dimensions) and on the three smooth boxes; the functions
below confirm, and nothing was chosen by them. Errors are root mean squares over the whole domain against
the function without noise. What the map notices of faulty data has [a page of its own](findings.md)."""
TEXTS = {
    "accuracy": """The map is an average of eight families of models. Below 1 it is better than the plain map of
the paper, one Matern-5/2.""",
    "functions": """True error in per cent of the function's deviation, and in brackets over that of the plain
map; geometric means over seeds.""",
    "error": """`error()` should be right in the mean (1), rarely far off (a small rms of the logarithm) and
hardly ever much too low. At the end of the start, nobody can know what lies between the points: where they
missed every peak of a function, its values look calm, and no residual says otherwise. Bands are those of
`predict(...).band(share)`.""",
    "constants": """Random functions and the smooth boxes, by which the constants of the estimate were chosen,
and two other choices (`equiwarp bench study error` has all): estimate over truth, rms of its logarithm,
how often it is below 0.7.""",
    "bands": """On them, places inside the bands for 50, 80 and 95 of 100, by the degrees of freedom of the t
distribution of which the bands are.""",
    "learning": """The same functions chose the rate at which errors fall beyond what the rolled-forward model
says: forecast over truth 20 experiments later, and rms of its logarithm.""",
    "sizes": """A random function of four parameters, 5 % noise; beyond 2,000 values through 1,000 inducing
points over all of them.""",
    "speed": """Processor time of one fit from three starts, beside scikit-learn's fit of the same likelihood
from as many, and of a whole map; one thread, all in one run.""",
    "priors": """What the priors that hold few values together are worth (`equiwarp bench study priors`): the
error of the map under other priors over the map's own, random functions in 2, 4 and 6 dimensions at farthest
points, ± standard error; and how often a map is worse than a constant, by number of values.""",
    "weights": """Each family is taken to have predicted some values alone before any is looked at
(`equiwarp bench study weights`). On the same functions and points, whose families are fitted once: the error
of the average over the map's own, ± standard error; the worst ratio of all; and by number of values the error
that the average expects, before it is corrected, over the true one.""",
    "families": """Per cent more error, ± standard error, where the average has to do without one of its families,
or where the handicap of `single-index` is another (`equiwarp bench study families`). The seven kinds of random
functions chose, the two others have the structure of which one family knows. A family that is worth nothing
in the mean may still be worth much for one function: the last column.""",
    "forecast": """`forecast(20)` against the true error 20 experiments later, and how well the fall that was
forecast goes along with the fall that came.""",
    "stop": """The rule fires when `error()` is below the limit, here in deviations of the function; looked
at every four experiments. Late is counted from when the true error was first below the
limit.""",
    "noise": "Where noise is not told, a prior keeps few values from being fitted without any.",
}


def _first(rows: StageRows, column: str, limit: float) -> dict[str, Any] | None:
    """The first stage at which a column is no longer above a limit."""
    return next((row for row in rows if row[column] <= limit), None)


def _rms(values: Any) -> float:
    return float(np.sqrt(np.mean(np.square(values))))
