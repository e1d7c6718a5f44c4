"""For faces that compute in other processes: what is sent there, and who chooses in the campaign's stead.

A process that computes gets typed records and arrays, never a store: it can be ended at any moment, and
nothing is lost or left open.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from itertools import compress
from typing import Any

import numpy as np

from equiwarp.campaign.campaign import Campaign
from equiwarp.campaign.chooser import Chooser, Chosen
from equiwarp.campaign.looking import MapInputs, map_inputs
from equiwarp.engine.large_data import spread_out
from equiwarp.spec import CampaignSpec
from equiwarp.store import ExperimentArrays
from equiwarp.store.records import Booleans


@dataclass(frozen=True)
class ChoiceInputs:
    """All that a choice depends on: the description, who chooses, and what that function is given."""

    spec: CampaignSpec
    choose: Callable[..., Chosen]
    arguments: tuple[Any, ...]


class RemoteChooser(Chooser):
    """A chooser that passes its inputs on, and waits for the answer."""

    def __init__(self, spec: CampaignSpec, run: Callable[[ChoiceInputs], Chosen]) -> None:
        super().__init__(spec)
        self._run = run

    def let(self, choose: Callable[..., Chosen], *arguments: Any) -> Chosen:
        return self._run(ChoiceInputs(self.spec, choose, arguments))

    def described_by(self, spec: CampaignSpec) -> RemoteChooser:
        return RemoteChooser(spec, self._run)


def choose_elsewhere(campaign: Campaign, run: Callable[[ChoiceInputs], Chosen]) -> None:
    """From now on, ``run`` answers what the campaign's chooser is asked."""
    context = campaign._context
    campaign._context = replace(context, chooser=RemoteChooser(context.spec, run))


def inputs_of(campaign: Campaign) -> MapInputs:
    """What the campaign's map is made from, as it is now."""
    return campaign._do(map_inputs)


def fingerprint(inputs: MapInputs) -> str:
    """Equal for equal measurements and failures under one description: one map is enough for them."""
    known = inputs.known
    told = _rows(known, known.measured | known.lost)
    digest = hashlib.sha256(f"{inputs.campaign.edition} {inputs.campaign.responses}".encode())
    for column in fields(told):
        values = getattr(told, column.name)
        if values is None:  # no limits
            continue
        if column.name == "blocks":
            digest.update(repr([sorted(block.items()) for block in values]).encode())
            continue
        if column.name == "states":  # as wide as the longest word of all experiments, also of others
            digest.update(repr(values.tolist()).encode())
            continue
        digest.update(f"{column.name} {values.dtype.str} {values.shape}".encode())
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def _rows(known: ExperimentArrays, keep: Booleans) -> ExperimentArrays:
    """Some of the experiments."""
    some = {
        column.name: getattr(known, column.name)[keep]
        for column in fields(known)
        if column.name != "blocks" and getattr(known, column.name) is not None
    }
    return replace(known, **some, blocks=tuple(compress(known.blocks, keep)))


def thinned(inputs: MapInputs, most: int) -> MapInputs:
    """The same with at most so many of the measurements, spread over the domain."""
    known = inputs.known
    measured = np.flatnonzero(known.measured)
    if len(measured) <= most:
        return inputs
    keep = ~known.measured
    keep[measured[spread_out(inputs.spec.domain.to_cube(known.x[measured]), most)]] = True
    return replace(inputs, known=_rows(known, keep))
