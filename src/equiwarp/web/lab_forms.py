"""The forms of the laboratory's verbs: what was typed, as the campaign takes it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from equiwarp.campaign import Campaign
from equiwarp.exceptions import InvalidInput, TableError
from equiwarp.tables.cells import read_number


def act(c: Campaign, experiment: int, verb: str, typed: dict[str, str]) -> None:
    """Undo, renew, note or repeat."""
    if verb == "undo":
        c.undo(experiment)
    elif verb == "renew":
        c.renew(experiment, hours(typed.get("hours", "1")) or 3600.0)
    elif verb == "note":
        sample = typed.get("sample", "").strip()
        known = c.experiment(experiment).sample
        c.note(
            experiment,
            typed.get("text", ""),
            sample=sample if sample != known else None,
            block=texts(typed, "block", c.spec.blocks) or None,
        )
    else:
        text = typed.get("n", "1").strip()
        if not (text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= 96):
            raise InvalidInput(f"how many times: {text[:20]!r} is not a whole number between 1 and 96")
        c.repeat(experiment, int(text))


def beside_the_values(c: Campaign, typed: dict[str, str]) -> dict[str, Any]:
    """Actual settings, the sample and the block, as far as they were typed."""
    return {
        "at": settings(texts(typed, "at", c.domain.names)) or None,
        "sure": "sure" in typed,
        "sample": typed.get("sample", "").strip() or None,
        "block": texts(typed, "block", c.spec.blocks) or None,
    }


def batch_rules(c: Campaign, typed: dict[str, str]) -> dict[str, Any]:
    """What is fixed, shared and so on, as far as it was typed."""
    shared = [name for j, name in enumerate(c.domain.names) if f"share-{j}" in typed]
    return {
        "fixed": settings(texts(typed, "fix", c.domain.names)) or None,
        "shared": shared or None,
        "order": typed.get("order") or None,
        "block": texts(typed, "block", c.spec.blocks) or None,
        "lease": hours(typed.get("hours", "")),
    }


def hours(text: str) -> float | None:
    """Seconds, of a number of hours; None where nothing was typed."""
    return 3600.0 * read_number(text.strip(), "hours") if text.strip() else None


def texts(typed: dict[str, str], field: str, names: Iterable[str]) -> dict[str, str]:
    """Fields ``at-0``, ``at-1``, ... by name, without the empty ones."""
    found = {name: typed.get(f"{field}-{j}", "").strip() for j, name in enumerate(names)}
    return {name: text for name, text in found.items() if text}


def settings(typed: dict[str, str]) -> dict[str, float | str]:
    """Numbers where they read as such, else names of categories, which the domain knows or refuses."""
    found: dict[str, float | str] = {}
    for name, text in typed.items():
        try:
            found[name] = read_number(text, name)
        except TableError as error:
            if error.code != "not_a_number":
                raise
            found[name] = text
    return found
