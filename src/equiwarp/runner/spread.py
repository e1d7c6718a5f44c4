"""Large work on an executor, in pieces: maps of millions of points, suggestions from millions of candidates.

Pieces are some per worker, each worked off in blocks that fit into memory, so that neither the number of
points nor the number of messages grows beyond what workers and wires take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from equiwarp._util.arguments import whole
from equiwarp.domains import Array, Candidates, Domain
from equiwarp.domains.base import require_domain
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import RunConfiguration, prepare
from equiwarp.engine.measurements import Measurements, noise_beside
from equiwarp.engine.reading import read_points, read_values
from equiwarp.engine.round import Round, RoundCache
from equiwarp.engine.suggestion import Suggestion
from equiwarp.exceptions import InvalidInput
from equiwarp.maps.map import Map
from equiwarp.maps.prediction import Prediction
from equiwarp.runner.executors import Workers
from equiwarp.strategy import DEFAULT_STRATEGY, OpenLoop, Strategy

#: Points that are predicted at once.
PREDICTED_AT_ONCE = 4096
#: Candidates that are scored at once.
SCORED_AT_ONCE = 16_384
#: Entries of a long list from which probes and targets are drawn.
SAMPLED = 32_768
#: Pieces for each worker: the last ones even out what the first ones took longer.
PIECES_PER_WORKER = 4


def predict_on(executor: Any, map: Map, points: Any, workers: int | None = None) -> Prediction:
    """What :meth:`equiwarp.Map.predict` says, computed on all workers.

    Parameters
    ----------
    executor : Executor, Dask client, "processes", "threads" or None
        As for :func:`equiwarp.run`.
    map : Map
        What predicts; it is sent to every piece.
    points : (n, columns) array-like, dict of columns or dataframe
        In the domain's units.
    workers : int, optional
        How many pieces at once; by default as many as the executor takes.

    Returns
    -------
    Prediction
        As if it had been computed at once.
    """
    x = read_points(map.domain, points)
    map.error()  # once here rather than once a piece: it is kept with the map
    parts = _on(executor, workers, x, _predicted, (map,))
    return Prediction(
        np.concatenate([part.mean for part in parts]), np.concatenate([part.deviation for part in parts])
    )


def _predicted(map: Map, x: Array) -> Prediction:
    blocks = [map.predict(block) for block in _blocks(x, PREDICTED_AT_ONCE)]
    return Prediction(
        np.concatenate([block.mean for block in blocks]),
        np.concatenate([block.deviation for block in blocks]),
    )


def suggest_from(
    executor: Any,
    domain: Domain,
    x: Any,
    y: Any,
    n: int = 1,
    strategy: str | Strategy = DEFAULT_STRATEGY,
    *,
    noise: Any = None,
    pending: Any = None,
    seed: int = 0,
    workers: int | None = None,
) -> Suggestion:
    """Choose from all entries of a long list, scored on all workers.

    :func:`equiwarp.suggest` draws some thousand entries of a list longer than 16,384 and chooses among them.
    Here every entry is scored: each block of the list proposes its n best, and the choice is made among the
    proposals. For n = 1 that is the best entry of the whole list; of several, the later ones are the best of
    what the blocks proposed.

    Parameters
    ----------
    executor : Executor, Dask client, "processes", "threads" or None
        As for :func:`equiwarp.run`.
    domain : Domain
        A list, such as :class:`equiwarp.Candidates`.
    x, y, noise, pending, seed
        As for :func:`equiwarp.suggest`.
    n : int
        How many to choose.
    strategy : str or Strategy
        One that scores points and has no equalizer: an equalizer is measured on one pool.
    workers : int, optional
        How many pieces at once; by default as many as the executor takes.

    Returns
    -------
    Suggestion

    Raises
    ------
    InvalidInput
        If the domain is no list, or the strategy is not suited.
    """
    n = whole(n, "n", 1)
    entries = require_domain(domain).listed
    if entries is None:
        raise InvalidInput(f"{domain!r} is no list of experiments; equiwarp.suggest chooses from it")
    sample = _sample(entries, domain.names)
    frame = prepare(sample, strategy, seed, lengthscale=domain.spacing())
    if frame.strategy.equalizer or isinstance(frame.strategy.criterion, OpenLoop):
        raise InvalidInput(
            f"strategy {frame.strategy.name!r} cannot be scored in pieces; use one that scores points and "
            "has no equalizer, such as lookahead-gp"
        )
    measurements = _read(domain, sample, x, y, noise, pending)
    first = Round(frame, measurements)
    cache = RoundCache(fitted=first.fitted, learnt=first.inputs.learnt)  # the same for every block
    parts = _on(executor, workers, entries, _proposed, (frame, measurements, cache, n))
    shortlist = replace(frame, pool=np.concatenate(parts))
    return replace(choose(shortlist, measurements, n, cache)[0], domain=domain)


def _proposed(
    frame: RunConfiguration, measurements: Measurements, cache: RoundCache, n: int, entries: Array
) -> Array:
    """The n best of each block of the list, or all that are free."""
    found = []
    for block in _blocks(entries, SCORED_AT_ONCE):
        configuration = replace(frame, pool=block)
        free = len(block) - len(configuration.taken(measurements.locations))
        if free:
            found.append(choose(configuration, measurements, min(n, free), cache)[0].points)
    return np.concatenate([entries[:0], *found])


def _sample(entries: Array, names: Sequence[str]) -> Candidates:
    """A list that can be sent to workers: a part of the entries that has the extent of all of them."""
    extremes = np.concatenate([entries.argmin(axis=0), entries.argmax(axis=0)])
    step = max(1, len(entries) // SAMPLED)
    rows = np.unique(np.concatenate([extremes, np.arange(0, len(entries), step)]))
    return Candidates(entries[rows], names)


def _read(domain: Domain, sample: Domain, x: Any, y: Any, noise: Any, pending: Any) -> Measurements:
    """Measurements as the workers see them: in a domain that has the coordinates of the whole list."""
    points = read_points(domain, x, "x", inside=False)
    values = read_values(y, len(points))
    waiting = points[:0] if pending is None else read_points(domain, pending, "pending", inside=False)
    return Measurements(sample, points, values, noise_beside(y, values, noise), waiting)


def _on(
    executor: Any, workers: int | None, x: Array, work: Callable[..., Any], arguments: tuple[Any, ...]
) -> list[Any]:
    """``work(*arguments, piece)`` for pieces of the rows of x, in their order."""
    chosen = Workers.of(executor, workers, is_async=False)
    try:
        count = min(len(x), PIECES_PER_WORKER * chosen.count()) or 1
        futures = [chosen.executor.submit(work, *arguments, piece) for piece in np.array_split(x, count)]
        return [future.result() for future in futures]
    finally:
        chosen.close(now=True)


def _blocks(x: Array, height: int) -> Iterator[Array]:
    for begin in range(0, len(x), height):
        yield x[begin : begin + height]
