"""All findings about a map, response by response; a value that the others contradict is set aside first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from equiwarp.maps.diagnostics import aim, contradicted, drift, noise, parameters, prior, structure
from equiwarp.maps.diagnostics.finding import MapFinding
from equiwarp.maps.diagnostics.subject import Subject

if TYPE_CHECKING:
    from equiwarp.maps.map import Map


def diagnose(map: Map) -> tuple[MapFinding, ...]:
    """Everything there is to say about a map, the first response first."""
    every = [found for j in range(len(map.responses)) for found in _examine(Subject.of(map, j))]
    return (*aim.out_of_reach(map), *every)


def _examine(subject: Subject) -> Iterator[MapFinding]:
    if not subject.n:
        return
    flat = list(structure.constant(subject))
    if flat:
        yield from flat
        return
    off, plain_rest = contradicted.contradicted(subject)
    rest = subject.without(off) if off else subject
    yield from contradicted.findings(subject, off, plain_rest, rest)
    yield from noise.findings(subject.plain, plain_rest)
    yield from drift.findings(rest)
    yield from prior.misleads(rest)
    yield from structure.no_structure(rest)
    yield from parameters.inert(rest)
    yield from parameters.edges(rest)
