"""What a cheap simulator is worth as the prior of a dear one: maps of the same points, with and without it.

Beside them SMT's MFK (co-kriging, recursive; ``pip install smt``) with the same values of the dear function
and ten per dimension of the cheap one, at points that contain those of the dear one, as its documentation
advises. Our prior is the cheap function itself, or ("measured") a map of the cheap values that MFK gets.
"""

from __future__ import annotations

import contextlib
import io
import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp.bench.functions.multi_fidelity import PAIRS, FidelityPair
from equiwarp.bench.pages.markdown import markdown_table
from equiwarp.bench.storage.csv_records import appended, kept_records, read_records
from equiwarp.domains import Array
from equiwarp.exceptions import InvalidInput
from equiwarp.maps.map import Map, build_map

COLUMNS = ("pair", "seed", "nothing", "prior", "measured", "mfk", "share", "estimate")
#: Noise that maps are told of, relative to the deviation of the values: the functions have none, and this is
#: the least that models take.
NOISE = 1e-5
#: Between these lines of a page the table stands.
BEGIN, END = "<!-- table: equiwarp bench study prior -->", "<!-- end of table -->"
PriorCase = tuple[FidelityPair, int]
#: Points at which the error is taken, and cheap values for each dimension.
TEST_POINTS, CHEAP = 4096, 10


def prior_case(pair: FidelityPair, seed: int) -> dict[str, float | str | None]:
    """One pair and seed: errors in percent of the function's deviation."""
    domain, rng = pair.domain, np.random.default_rng(seed)
    x = domain.sample(pair.values, rng)
    cheap = np.concatenate([domain.sample(CHEAP * domain.dim, rng), x])
    y, noise = pair.dear(x), NOISE * float(pair.dear(x).std())
    coarse = build_map(domain, cheap, pair.cheap(cheap), NOISE * float(pair.cheap(cheap).std()))
    test = domain.sample(TEST_POINTS, np.random.default_rng(99))
    truth = pair.dear(test)

    def missed(predicted: Array) -> float:
        return 100 * float(np.sqrt(np.mean((predicted - truth) ** 2)) / truth.std())

    def of(known: Map) -> float:
        return missed(known.predict(test).mean[:, 0])

    informed = build_map(domain, x, y, noise, prior=pair.cheap)
    (worth,) = informed.prior_worth()
    assert worth is not None
    return {
        "pair": pair.name,
        "seed": seed,
        "nothing": of(build_map(domain, x, y, noise)),
        "prior": of(informed),
        "measured": of(build_map(domain, x, y, noise, prior=coarse)),
        "mfk": missed(_mfk(pair, x, cheap, test)) if find_spec("smt") else None,
        "share": worth.share,
        "estimate": 100 * informed.error()[0].value / float(truth.std()),
    }


def _mfk(pair: FidelityPair, x: Array, cheap: Array, test: Array) -> Array:
    """SMT's co-kriging, with its defaults."""
    model = import_module("smt.applications.mfk").MFK(theta0=len(pair.bounds) * [1.0], print_global=False)
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.set_training_values(cheap, pair.cheap(cheap)[:, None], name=0)
        model.set_training_values(x, pair.dear(x)[:, None])
        model.train()
        return np.asarray(model.predict_values(test))[:, 0]


def named_pairs(seed: int) -> Sequence[FidelityPair]:
    """The pairs of the literature, which are the same for every seed."""
    return PAIRS


def run_prior(
    path: Path,
    seeds: Sequence[int],
    progress: Callable[[list[PriorCase]], Iterable[PriorCase]] = iter,
    pairs: Callable[[int], Sequence[FidelityPair]] = named_pairs,
) -> list[dict[str, Any]]:
    """Every pair and seed that the file does not have yet, one record each; then all of its records."""
    known = kept_records(path)
    done = {(record["pair"], record["seed"]) for record in known}
    cases = [(pair, seed) for seed in seeds for pair in pairs(seed) if (pair.name, seed) not in done]
    with appended(path, COLUMNS) as append:
        for pair, seed in progress(cases):
            append([prior_case(pair, seed)])
    return [record for record in read_records(path) if record["seed"] in seeds]


def prior_table(rows: Sequence[dict[str, Any]], pairs: Sequence[FidelityPair] = PAIRS) -> str:
    """Medians over the seeds, and in how many of them the map with the prior was better."""
    lines = []
    for pair in pairs:
        own = [row for row in rows if row["pair"] == pair.name]
        if not own:
            continue
        columns = {
            name: np.array([math.nan if row[name] is None else row[name] for row in own])
            for name in COLUMNS[2:]
        }
        better = [
            f"{int(np.sum(columns['measured'] < columns[other]))} of {len(own)}"
            for other in ("nothing", "mfk")
        ]
        medians = [f"{np.median(columns[name]):.2g}" for name in ("nothing", "prior", "measured", "mfk")]
        lines.append([pair.name, str(pair.values), *medians, *better, f"{np.median(columns['share']):.2f}"])
    head = [
        "pair", "values", "from nothing", "prior: the function", "prior: its values", "SMT's MFK",
        "better than nothing", "better than MFK", "share of the prior",
    ]  # fmt: skip
    return markdown_table(head, lines)


def with_table(page: str, table: str) -> str:
    """A page with the table between its marks."""
    begin, _, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise InvalidInput(f"the page has no place for the table: add the lines {BEGIN!r} and {END!r}")
    return f"{begin}{BEGIN}\n\n{table}\n\n{END}{after}"
