"""Measured values at the campaign's door: one number, several by name or in order, with or without noise.

Only finite numbers of a size that can be squared pass. Text is never guessed to be a number. Unless the
responses were named when the campaign began, the first value decides what they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from equiwarp._util.text import listed, short, unstorable
from equiwarp.engine.naming import numbered
from equiwarp.exceptions import Implausible, InvalidInput
from equiwarp.store import CampaignRecord, CampaignTransaction
from equiwarp.tables.cells import LARGEST, read_number, with_plain_sign


def one_number(value: Any, what: str) -> float:
    """A finite float of usable size, or a ``ValueError`` that names the value and its place."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    # NumPy counts spans of time among the numbers.
    if isinstance(value, bool | np.bool_ | np.timedelta64) or not isinstance(value, Real):
        raise InvalidInput(f"{what}: {value!r} is not a number{_hint(value)}")
    try:
        number = float(value)
    except OverflowError:
        raise InvalidInput(f"{what}: {short(value)} is beyond ±{LARGEST:g}; use a larger unit") from None
    if not math.isfinite(number):
        raise InvalidInput(
            f"{what}: {number} is not a finite number; if there is no value, tell that the experiment failed"
        )
    if abs(number) > LARGEST:
        raise InvalidInput(f"{what}: {number:g} is beyond ±{LARGEST:g}; use a larger unit")
    return number


def _hint(value: Any) -> str:
    if isinstance(value, str) and value.replace(",", ".", 1).strip().lstrip("+-").replace(".", "").isdigit():
        return "; write it without quotes and with a decimal point"
    return ""


@dataclass(frozen=True)
class ReadValue:
    """Values of one experiment in the order of the responses; None where there is none yet.

    ``below`` counts the responses, from 0, whose value is a detection limit; ``above`` those whose value is
    the end of the instrument's range. ``noise`` has the deviations of these values, None for other responses,
    or is None if none is known.
    """

    names: tuple[str, ...]
    values: tuple[float | None, ...]
    below: tuple[int, ...] = ()
    above: tuple[int, ...] = ()
    noise: tuple[float | None, ...] | None = None

    @property
    def shown(self) -> dict[str, str]:
        """The values that there are, as people read them."""
        return {
            name: f"{sign}{value!r}"
            for name, value, sign in zip(self.names, self.values, self.signs, strict=True)
            if value is not None
        }

    @property
    def signs(self) -> tuple[str, ...]:
        """``<`` or ``>`` for each response whose value is a limit, else nothing."""
        return tuple(
            "<" if j in self.below else ">" if j in self.above else "" for j in range(len(self.values))
        )


def read_told(campaign: CampaignRecord, id: int, value: Any, noise: Any, sure: bool) -> ReadValue:
    """What somebody tells of an experiment, read by what the campaign knows of its responses."""
    known = open_names(campaign)
    read = read_value(value, known, f"value of experiment {id}", limits=True)
    if known and not sure:
        require_plausible(campaign.settings["responses"], read.values, read.signs)
    given = read_deviations(noise, read.names, f"noise of experiment {id}", some=True)
    if given is None:
        return read
    if isinstance(noise, Mapping):
        for name, deviation, one in zip(read.names, given, read.values, strict=True):
            if deviation is not None and one is None:
                raise InvalidInput(
                    f"noise of experiment {id}: it is given for {name!r}, of which there is no value here; "
                    "tell both together"
                )
    told = (d if v is not None else None for d, v in zip(given, read.values, strict=True))
    return replace(read, noise=tuple(told))


def read_value(value: Any, names: Sequence[str], what: str = "value", limits: bool = False) -> ReadValue:
    """The values of one experiment; empty ``names`` are fixed by what is given.

    A dict may leave responses out, and None stands for one that is not measured yet. With ``limits``, the
    text ``<0.5`` is a value below that detection limit, and ``>90`` one above that end of a range.
    """
    order, entries = _entries(value, names, what)
    single = len(order) == 1 and not isinstance(value, Mapping)
    read: list[float | None] = []
    limited: dict[str, list[int]] = {"<": [], ">": []}
    for j, (name, entry) in enumerate(zip(order, entries, strict=True)):
        place = what if single else f"{what}, {name}"
        if limits and isinstance(entry, str):
            entry = with_plain_sign(entry.strip())
        sign = entry[:1] if limits and isinstance(entry, str) else ""
        if sign in limited:
            limited[sign].append(j)
            read.append(read_limit(entry, place))
        else:
            read.append(None if entry is None and not single else one_number(entry, place))
    if all(v is None for v in read):
        raise InvalidInput(f"{what}: there is none; give the value of at least one of {listed(order)}")
    return ReadValue(order, tuple(read), tuple(limited["<"]), tuple(limited[">"]))


def _entries(value: Any, names: Sequence[str], what: str) -> tuple[tuple[str, ...], list[Any]]:
    """The names of the responses, and what was given for each; None where nothing was."""
    if isinstance(value, Mapping):
        given = {str(key): entry for key, entry in value.items()}
        order = tuple(names) or tuple(given)
        for name in given:
            if name not in order:
                raise InvalidInput(f"{what}: unknown response {name!r}; the campaign has {listed(order)}")
        return order, [given.get(name) for name in order]
    if _is_sequence(value):
        entries = list(value)
        order = tuple(names) or numbered(len(entries))
        if len(entries) != len(order) or not entries:
            raise InvalidInput(
                f"{what}: {len(entries)} values for {len(order)} responses {listed(order)}; give one for each"
            )
        return order, entries
    order = tuple(names) or numbered(1)
    if len(order) != 1:
        raise InvalidInput(f"{what}: one number for {len(order)} responses; give a dict with {listed(order)}")
    return order, [value]


def _is_sequence(value: Any) -> bool:
    """Whether it has entries, of whatever kind and length."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def read_limit(text: str, what: str) -> float:
    """A detection limit or the end of a range, which is a positive number, behind its sign."""
    limit = one_number(read_number(text[1:].removeprefix("=").strip(), what), what)
    if limit <= 0:
        kind = "detection limit" if text[0] == "<" else "end of a range"
        raise InvalidInput(
            f"{what}: {text[0]}{limit:g} is no {kind}, which is above 0; tell the number itself"
        )
    return limit


def has_ranges(responses: Sequence[Mapping[str, Any]]) -> bool:
    """Whether some response has a plausible range."""
    return any(r.get("low") is not None or r.get("high") is not None for r in responses)


def require_plausible(
    responses: Sequence[Mapping[str, Any]],
    values: Iterable[float | None],
    signs: Sequence[str],
    place: str = "",
) -> None:
    """Refuse a value outside the plausible range of its response; ``signs`` say which are limits."""
    for response, value, sign in zip(responses, values, signs, strict=True):
        side = None if value is None else implausible(value, sign, response.get("low"), response.get("high"))
        if side is not None:
            raise Implausible(
                f"{place}{response['name']} = {sign}{value:g} is {side[0]} {side[1]:g}, what is plausible; "
                "correct it, or say that you are sure of it"
            )


def implausible(value: float, sign: str, low: float | None, high: float | None) -> tuple[str, float] | None:
    """On which side of what is plausible a value lies, and the bound there; None if it is plausible.

    What lies below a limit is plausible if that limit is above the lower bound, and the other way round.
    """
    if low is not None and sign != ">" and (value < low or (sign and value == low)):
        return "below", low
    if high is not None and sign != "<" and (value > high or (sign and value == high)):
        return "above", high
    return None


def same_names(expected: tuple[str, ...], given: tuple[str, ...], what: str) -> None:
    for name in expected:
        if name not in given:
            raise InvalidInput(f"{what}: no value for response {name!r}; given are {listed(given)}")
    for name in given:
        if name not in expected:
            raise InvalidInput(f"{what}: unknown response {name!r}; the campaign has {listed(expected)}")


def read_deviations(
    noise: Any, names: Sequence[str], what: str = "noise", some: bool = False
) -> list[float | None] | None:
    """Standard deviations, one per response; a single number holds for all. None: not known.

    With ``some``, a dict may leave responses out.
    """
    if noise is None:
        return None
    if isinstance(noise, str | bytes):
        remedy = "give a standard deviation in the units of the response, or None to estimate it"
        raise InvalidInput(f"{what}: {noise!r} is not a number; {remedy}")
    if not isinstance(noise, Mapping) and not _is_sequence(noise):
        noise = [noise] * max(len(names), 1)
    if isinstance(noise, Mapping) and not some:
        same_names(tuple(names) or tuple(map(str, noise)), tuple(map(str, noise)), what)
    _require_known(noise, what)
    read = read_value(noise, names, what)
    for deviation in read.values:
        if deviation is not None and deviation < 0:
            raise InvalidInput(f"{what}: {deviation:g} is negative; a standard deviation is at least 0")
    return list(read.values)


def _require_known(noise: Any, what: str) -> None:
    """Refuse NaN, for which a measured value would have another remedy."""
    for deviation in noise.values() if isinstance(noise, Mapping) else noise:
        if isinstance(deviation, float) and math.isnan(deviation):
            raise InvalidInput(f"{what}: nan is no standard deviation; None estimates it")


def open_names(campaign: CampaignRecord) -> tuple[str, ...]:
    """Names that values must have; empty as long as the first value may decide."""
    return campaign.responses if campaign.settled else ()


def fix_names(transaction: CampaignTransaction, names: tuple[str, ...]) -> None:
    """The first value decides what the responses are."""
    settings = transaction.look().settings
    if settings["settled"]:
        return
    for name in names:
        if unstorable(name):
            raise InvalidInput(f"response {name!r} holds characters that cannot be stored; rename it")
    known = settings["responses"][0]
    responses = [{**known, "name": name} for name in names]
    transaction.set_settings({**settings, "responses": responses, "settled": True})
