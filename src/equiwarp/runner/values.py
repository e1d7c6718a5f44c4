"""Values in the text that a program leaves: a number, several numbers, or JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from equiwarp._util.text import short
from equiwarp.runner.function import TellingFailure


def value_of_text(text: str, responses: Sequence[str], where: str) -> Any:
    """What a campaign can be told: a number, a list, or a dict of the responses.

    Text is read as JSON; if it is none, as numbers that blanks or commas separate. Of a JSON object the
    responses are taken, other entries are left alone.
    """
    if not text.strip():
        raise TellingFailure(f"{where}: there is no value")
    try:
        data = json.loads(text)
    except json.JSONDecodeError:
        data = _numbers(text, where)
    if isinstance(data, Mapping):
        missing = [name for name in responses if name not in data]
        if missing:
            raise TellingFailure(f"{where}: no value for {missing[0]!r}; it has {', '.join(map(str, data))}")
        return {name: data[name] for name in responses}
    return data


def _numbers(text: str, where: str) -> float | list[float]:
    try:
        found = [float(word.replace("_", "?")) for word in text.replace(",", " ").split()]
    except ValueError:
        raise TellingFailure(f"{where}: {short(text.strip())} is neither a number nor JSON") from None
    return found[0] if len(found) == 1 else found
