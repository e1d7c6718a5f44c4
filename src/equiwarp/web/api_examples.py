"""How each call of the API is made with curl and with Python, filled with the numbers of one campaign."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from equiwarp._util.plain import plain
from equiwarp.campaign import Campaign
from equiwarp.campaign.experiment import Experiment

#: Verbs for what is to be run; the others are for what has a value.
OPEN_VERBS = ("tell", "fail", "abandon", "renew")


@dataclass(frozen=True)
class CampaignNumbers:
    """What stands in the calls: ids and settings of a campaign."""

    id: int = 1
    pending: int = 2
    done: int = 1
    point: Mapping[str, Any] = field(default_factory=lambda: {"x": 0.5})
    values: Mapping[str, Any] = field(default_factory=lambda: {"value": 3.1})


NOTHING = CampaignNumbers()


def numbers_of(campaign: Campaign, id: int) -> CampaignNumbers:
    """The numbers of a campaign: its last experiments in each state, as far as it has any."""
    done, pending = campaign.experiments("done")[-1:], campaign.experiments("pending")[:1]
    some: list[Experiment] = [*done, *pending]
    point = some[0].point if some else dict.fromkeys(campaign.domain.names, 0.5)
    values = dict(done[0].values or {}) if done else dict.fromkeys(campaign.responses, 3.1)
    return CampaignNumbers(
        id, pending[0].id if pending else 1, done[0].id if done else 1, plain(point), plain(values)
    )


def calls(base: str, path: str, method: str, numbers: CampaignNumbers, guarded: bool) -> tuple[str, str]:
    """A call as a command for the shell, and as Python with requests."""
    last = path.rpartition("/")[2]
    experiment = numbers.pending if last in OPEN_VERBS else numbers.done
    named = {"id": numbers.id, "experiment": experiment, "cell": 0, "what": "profile"}
    url = base + path.format(**named)
    body = None if method == "get" else _body(last, numbers)
    saved = last.format(**named) if "." in last else ""
    return _curl(url, body, saved, guarded), _python(url, body, saved, guarded)


def _curl(url: str, body: Any, saved: str, guarded: bool) -> str:
    token = " \\\n     -H 'Authorization: Bearer TOKEN'" if guarded else ""
    if body is None:
        return f"curl -s {f'-o {saved} ' if saved else ''}'{url}'{token}"
    text = json.dumps(body, ensure_ascii=False).replace("'", "'\\''")
    return f"curl -s '{url}'{token} \\\n     -H 'Content-Type: application/json' \\\n     -d '{text}'"


def _python(url: str, body: Any, saved: str, guarded: bool) -> str:
    token = ', headers={"Authorization": "Bearer TOKEN"}' if guarded else ""
    verb, sent = ("get", "") if body is None else ("post", f", json={body!r}")
    call = f'requests.{verb}("{url}"{sent}{token})'
    if saved:
        return f'open("{saved}", "wb").write({call}.content)'
    return f"answer = {call}.json()"


def _body(last: str, numbers: CampaignNumbers) -> dict[str, Any]:
    """What a call sends."""
    name, values = next(iter(numbers.point)), dict(numbers.values)
    bodies: dict[str, dict[str, Any]] = {
        "campaigns": {"toml": _toml(numbers)},
        "check": {"toml": _toml(numbers)},
        "ask": {"n": 4},
        "claim": {"n": 1, "lease": 3600},
        "renew": {"lease": 3600},
        "tell": {"values": values},
        "amend": {"values": values, "reason": "misread"},
        "fail": {"reason": "the furnace tripped"},
        "abandon": {"reason": "too hot for this oven"},
        "withdraw": {"reason": "contaminated"},
        "note": {"text": "stirred by hand"},
        "repeat": {"n": 2},
        "release": {"older_than": 86400},
        "plate": {"csv": f"id,{','.join(values)}\n{numbers.pending},{_cells(values)}\n"},
        "measurements": {
            "csv": f"{','.join([*numbers.point, *values])}\n{_cells({**numbers.point, **values})}\n"
        },
        "rename": {"of": "parameter", "old": name, "name": f"{name} of the oven"},
        "widen": {"parameter": name, "high": 1000},
        "change": {"description": "what is mapped, and why"},
    }
    return bodies.get(last, {})


def _cells(row: Mapping[str, Any]) -> str:
    return ",".join(str(value) for value in row.values())


def _toml(numbers: CampaignNumbers) -> str:
    response = next(iter(numbers.values))
    return (
        'name = "furnace"\n[domain]\ntype = "box"\n[[domain.parameters]]\nname = "temperature"\n'
        f"low = 20\nhigh = 90\n[[responses]]\nname = {json.dumps(response)}\n"
    )
