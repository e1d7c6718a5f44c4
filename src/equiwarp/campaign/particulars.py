"""What is told of an experiment beside its values: actual settings, its sample, its block."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from equiwarp._util.text import listed
from equiwarp.campaign.context import CampaignContext
from equiwarp.campaign.sequence import location_keys
from equiwarp.domains import Array
from equiwarp.engine.reading import placed, read_points
from equiwarp.exceptions import InvalidInput, OutsideDomain
from equiwarp.store import ExperimentRecord
from equiwarp.store.records import Changes

if TYPE_CHECKING:
    from equiwarp.campaign.telling import ToldValue

#: The longest text of a block or a sample.
LONGEST = 200


def with_particulars(
    context: CampaignContext,
    found: ExperimentRecord,
    told: ToldValue,
    changes: Changes,
    detail: dict[str, Any],
) -> tuple[Changes, dict[str, Any]]:
    """The changes and the event of a tell, with what was said beside the values."""
    about = changes.get("about", found.about)
    if told.sample is not None:
        about = replace(about, sample=read_text(told.sample, "sample"))
        detail = {**detail, "sample": about.sample}
    if told.block is not None:
        about = replace(about, block={**about.block, **read_block(context, told.block)})
        detail = {**detail, "block": about.block}
    changes = {**changes, "about": about}
    return (changes, detail) if told.at is None else _moved(context, found, told.at, changes, detail)


def _moved(
    context: CampaignContext,
    found: ExperimentRecord,
    at: Mapping[str, Any],
    changes: Changes,
    detail: dict[str, Any],
) -> tuple[Changes, dict[str, Any]]:
    """The same, at the settings that were used; what was asked stays on record."""
    domain = context.domain
    point = actual_point(context, found, at)
    if np.array_equal(point[0], found.point):
        return changes, detail
    inside = bool(domain.contains(point)[0])
    if not inside:
        warnings.warn(
            f"experiment {found.id} was done outside the domain ({domain.problem(point[0])}); "
            "it serves prediction only",
            OutsideDomain,
            stacklevel=2,
        )
    key = location_keys(domain, point)[0] if inside else f"outside {point[0].tolist()}"
    about = replace(changes["about"], asked=changes["about"].asked or found.point)
    moved: Changes = {
        **changes, "about": about, "point": point[0].tolist(), "key": key, "inside": inside, "claim": None
    }  # fmt: skip
    return moved, {**detail, "at": domain.named(point[0])}


def actual_point(context: CampaignContext, found: ExperimentRecord, at: Mapping[str, Any]) -> Array:
    """The settings that were used, ``(1, columns)``: those asked for, with what was given instead."""
    domain, what = context.domain, f"settings of experiment {found.id}"
    if not isinstance(at, Mapping):
        raise InvalidInput(f"{what}: give the settings that were used by name, got {at!r}")
    for name in at:
        if name not in domain.names:
            raise InvalidInput(f"{what}: unknown parameter {name!r}; there are {listed(domain.names)}")
    asked = domain.named(found.point)
    point = read_points(domain, {**asked, **at}, what, inside=False)
    if not placed(domain, point)[0]:
        given = domain.text_of(point[0])
        raise InvalidInput(f"{what}: {given} cannot be placed on the domain's scale; correct it")
    return point


def read_block(context: CampaignContext, block: Mapping[str, Any]) -> dict[str, str]:
    """The block of an experiment: a text for some of the campaign's block columns."""
    known = context.spec.blocks
    if not isinstance(block, Mapping):
        raise InvalidInput(f"block: give a value for some of {listed(known)} by name, got {block!r}")
    for name in block:
        if name not in known:
            remedy = (
                f"there are {listed(known)}" if known else "the campaign has none: describe them with blocks"
            )
            raise InvalidInput(f"block: unknown column {name!r}; {remedy}")
    return {name: read_text(value, f"block {name}") for name, value in block.items()}


def read_text(value: Any, what: str) -> str:
    """One line of text that can be stored; a number is written as text."""
    text = str(value).strip()
    if len(text) > LONGEST or not text.isprintable():
        raise InvalidInput(f"{what}: {text[:40]!r} is not one line of at most {LONGEST} characters")
    return text
