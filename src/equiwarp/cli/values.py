"""Values typed on the command line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from equiwarp.campaign.experiment import Experiment

#: Settings of a command that takes values: -1.5 is one, not an option.
NEGATIVE = {"ignore_unknown_options": True}


def no_options(words: tuple[str, ...]) -> None:
    """Misspelt options, which these commands would otherwise take for values."""
    for word in words:
        if word.startswith("-") and word != "-" and not re.match(r"-[\d.]", word):
            raise click.NoSuchOption(word)


def read_values(words: tuple[str, ...], responses: tuple[str, ...]) -> Any:
    """``1.5``, ``1.5 2.5`` in order, or ``yield=1.5 cost=2.5``."""
    from equiwarp.tables.table import number

    if not words:
        raise click.UsageError("give a value after the id")
    if not any("=" in word[1:] for word in words):
        values = [number(word, f"value {i + 1}") for i, word in enumerate(words)]
        return values[0] if len(values) == 1 else values
    named: dict[str, float] = {}
    for word in words:
        name, equals, text = word.rpartition("=")
        if not equals:
            raise click.UsageError(f"{word!r}: name every value, as in {responses[0]}=1.5, or none of them")
        named[name] = number(text, f"value of {name!r}")
    return named


def shown(experiment: Experiment) -> str:
    values = experiment.values or {}
    return ", ".join(f"{name} = {value:.6g}" for name, value in values.items())
