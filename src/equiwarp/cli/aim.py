"""Options that say where the map has to be good."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from equiwarp.cli.common import named_texts

_OPTIONS = (
    click.option("--aim-near", multiple=True, metavar="[RESPONSE=]LEVEL",
                 help="Find the contour at a level; repeatable."),
    click.option("--aim-above", multiple=True, metavar="[RESPONSE=]LEVEL",
                 help="Map what exceeds a level well."),
    click.option("--aim-below", multiple=True, metavar="[RESPONSE=]LEVEL",
                 help="Map what stays below a level well."),
    click.option("--aim-between", multiple=True, metavar="[RESPONSE=]LOW:HIGH",
                 help="Map what lies between two levels well."),
    click.option("--aim-weight", metavar="EXPRESSION", help="Or where an expression is large."),
    click.option("--aim-everywhere", is_flag=True, help="No aim any more."),
)  # fmt: skip


def aim_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of an aim; those that are given make up the whole of it."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_aim(said: dict[str, Any]) -> Any:
    """What the options say, taken out of all that was said; None if they say nothing."""
    everywhere, weight = said.pop("aim_everywhere"), said.pop("aim_weight")
    aim: dict[str, Any] = {} if weight is None else {"weight": weight}
    for kind in ("near", "above", "below", "between"):
        words: tuple[str, ...] = said.pop(f"aim_{kind}")
        if words:
            aim[kind] = _levels(words, f"--aim-{kind}")
    if everywhere and aim:
        raise click.UsageError("--aim-everywhere goes with no other aim")
    return "everywhere" if everywhere else aim or None


def _levels(words: tuple[str, ...], option: str) -> Any:
    """Levels by response, or of the only one where none is named."""
    if all("=" not in word for word in words):
        levels = [_level(word, option) for word in words]
        return levels[0] if len(levels) == 1 else levels
    found: dict[str, Any] = {}
    for word in words:
        for name, text in (named_texts((word,), option) or {}).items():
            found.setdefault(name, []).append(_level(text, f"{option} {name}"))
    return {name: levels[0] if len(levels) == 1 else levels for name, levels in found.items()}


def _level(text: str, option: str) -> Any:
    from equiwarp.tables.cells import read_number

    if not option.startswith("--aim-between"):
        return read_number(text.strip(), option)
    low, colon, high = text.partition(":")
    if not colon:
        raise click.UsageError(f"{option} {text}: write LOW:HIGH, such as 40:60")
    return [read_number(part.strip(), option) for part in (low, high)]
