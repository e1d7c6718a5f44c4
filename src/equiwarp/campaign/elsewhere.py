"""For faces that compute in other processes: what is sent there, and who chooses in the campaign's stead.

A process that computes gets typed records and arrays, never a store: it can be ended at any moment, and
nothing is lost or left open.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from equiwarp.campaign.campaign import Campaign
from equiwarp.campaign.chooser import Chooser
from equiwarp.campaign.looking import MapInputs, map_inputs
from equiwarp.domains import Array
from equiwarp.engine.explanation import Explanation
from equiwarp.engine.large_data import spread_out
from equiwarp.spec import CampaignSpec

#: What a chooser answers: points ``(n, columns)``, and the reason for each.
Chosen = tuple[Array, list[Explanation]]


@dataclass(frozen=True)
class ChoiceInputs:
    """All that a choice depends on: the description, and what :meth:`Chooser.suggest` is given."""

    spec: CampaignSpec
    arguments: tuple[Any, ...]
    options: dict[str, Any]


class RemoteChooser(Chooser):
    """A chooser that passes its inputs on, and waits for the answer."""

    def __init__(self, spec: CampaignSpec, run: Callable[[ChoiceInputs], Chosen]) -> None:
        super().__init__(spec)
        self._run = run

    def suggest(self, *arguments: Any, **options: Any) -> Chosen:
        return self._run(ChoiceInputs(self.spec, arguments, options))


def choose_elsewhere(campaign: Campaign, run: Callable[[ChoiceInputs], Chosen]) -> None:
    """From now on, ``run`` answers what the campaign's chooser is asked."""
    context = campaign._context
    campaign._context = replace(context, chooser=RemoteChooser(context.spec, run))


def inputs_of(campaign: Campaign) -> MapInputs:
    """What the campaign's map is made from, as it is now."""
    return map_inputs(campaign._context)


def fingerprint(inputs: MapInputs) -> str:
    """Equal for equal measurements: a map that was fitted to them need not be fitted again."""
    known, digest = inputs.known, hashlib.sha256()
    for column in fields(known):
        values = getattr(known, column.name)[known.measured]
        digest.update(f"{column.name} {values.dtype.str} {values.shape}".encode())
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def thinned(inputs: MapInputs, most: int) -> MapInputs:
    """The same with at most so many of the measurements, spread over the domain."""
    known = inputs.known
    measured = np.flatnonzero(known.measured)
    if len(measured) <= most:
        return inputs
    keep = ~known.measured
    keep[measured[spread_out(inputs.spec.domain.to_cube(known.x[measured]), most)]] = True
    some = {column.name: getattr(known, column.name)[keep] for column in fields(known)}
    return replace(inputs, known=replace(known, **some))
