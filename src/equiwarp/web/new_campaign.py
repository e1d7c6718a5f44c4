"""Beginning a campaign from data, a campaign file or the form: every mistake with the path of its field.

A campaign file that arrives over the network never makes the server open a file: a list of candidates
comes along as text.
"""

from __future__ import annotations

import io
import tomllib
from collections.abc import Mapping
from typing import Any

from equiwarp.campaign import Campaign
from equiwarp.exceptions import Conflict, InvalidInput, Problem, SpecError, TableError
from equiwarp.spec import CampaignSpec
from equiwarp.spec.campaign import with_listed
from equiwarp.spec.problems import toml_problem
from equiwarp.store import CampaignEntry
from equiwarp.web.bounds import MOST_DEPTH, nameable, require_plain_toml, storable
from equiwarp.web.hub import Hub

#: Sizes beyond which a description is a mistake or a bad joke.
MOST_PARAMETERS, MOST_DIM, MOST_SETTINGS, MOST_CONSTRAINTS = 64, 32, 1_000_000, 64


def spec_of_toml(text: str, csv: str | None = None) -> CampaignSpec:
    """Validate the text of a campaign file."""
    try:
        require_plain_toml(text)
    except InvalidInput as error:
        raise SpecError([Problem("toml", str(error), "too_large")]) from None
    try:
        text = text.removeprefix("\ufeff")
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError([Problem("toml", toml_problem(error, text), "toml")]) from None
    except RecursionError:
        raise SpecError([Problem("toml", "nested too deeply", "toml")]) from None
    return spec_of_data(data, csv)


def spec_of_data(data: Mapping[str, Any], csv: str | None = None) -> CampaignSpec:
    """Validate a description; ``csv`` is the list of candidates."""
    data = dict(data)
    domain = data.get("domain")
    if isinstance(domain, Mapping) and domain.get("type") == "candidates" and "rows" not in domain:
        data["domain"] = _with_list(dict(domain), csv)
    problems = [*_unstorable(data, ()), *_too_large(data.get("domain"))]
    if problems:
        raise SpecError(problems)
    spec = CampaignSpec.from_dict(data)
    if spec.prior is not None and "store" in spec.prior:  # visitors do not reach other files of the server
        raise SpecError([_at("name a campaign of this server's store", "value", "prior", "store")])
    return spec


def begin(hub: Hub, spec: CampaignSpec, who: str) -> CampaignEntry:
    """Begin a new campaign; one of that name must not exist."""
    if hub.named(spec.name) is not None:
        raise Conflict(f"there is a campaign {spec.name!r} already; choose another name")
    Campaign.from_spec(spec, store=hub.store, who=who)
    entry = hub.named(spec.name)
    assert entry is not None
    return entry


def _with_list(domain: dict[str, Any], csv: str | None) -> dict[str, Any]:
    if not csv or not csv.strip():
        raise SpecError([_at("add the list of candidates as a CSV file", "missing", "domain", "csv")])
    columns = domain.get("columns")
    if columns is not None and not (isinstance(columns, list) and all(isinstance(c, str) for c in columns)):
        raise SpecError([_at("must be a list of column names", "list_type", "domain", "columns")])
    try:
        return with_listed(domain, io.StringIO(csv, newline=""))
    except TableError as error:
        raise SpecError([_at(str(error), error.code, "domain", "csv")]) from None


def _at(message: str, code: str, *place: str | int) -> Problem:
    """A mistake at a place; items of lists are counted from 1 in its path."""
    path = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in place)
    return Problem(path.removeprefix("."), message, code, place)


def _unstorable(value: Any, place: tuple[str | int, ...]) -> list[Problem]:
    """Texts that no store can hold, wherever they are."""
    inner: list[tuple[Any, tuple[str | int, ...]]] = []
    if len(place) > MOST_DEPTH:
        return [_at(f"nested more than {MOST_DEPTH} deep", "too_large", *place[:3])]
    if isinstance(value, Mapping):
        inner = [(v, (*place, str(k))) for k, v in value.items()] + [(k, place) for k in value]
    elif isinstance(value, list) and place != ("domain", "rows"):
        inner = [(v, (*place, i)) for i, v in enumerate(value)]
    if isinstance(value, str):
        try:
            (storable if place[:1] == ("description",) else nameable)(value)
        except InvalidInput as error:
            return [_at(str(error), "unstorable", *place)]
    return [problem for item, where in inner for problem in _unstorable(item, where)]


def _too_large(domain: Any) -> list[Problem]:
    """What would exhaust the machine before anybody could see the mistake."""
    if not isinstance(domain, Mapping):
        return []
    problems = []
    dim = domain.get("dim")
    if isinstance(dim, int) and dim > MOST_DIM:
        problems.append(_at(f"at most {MOST_DIM} dimensions, got {dim}", "too_large", "domain", "dim"))
    constraints = domain.get("constraints")
    if isinstance(constraints, list) and len(constraints) > MOST_CONSTRAINTS:
        message = f"at most {MOST_CONSTRAINTS}, got {len(constraints)}"
        problems.append(_at(message, "too_large", "domain", "constraints"))
    for field in ("parameters", "components"):
        items = domain.get(field)
        if isinstance(items, list | Mapping) and len(items) > MOST_PARAMETERS:
            message = f"at most {MOST_PARAMETERS}, got {len(items)}"
            problems.append(_at(message, "too_large", "domain", field))
        for i, item in enumerate(items if isinstance(items, list) else []):
            if isinstance(item, Mapping) and _settings(item) > MOST_SETTINGS:
                name = f".{item['name']}" if isinstance(item.get("name"), str) else f"[{i + 1}]"
                message = f"makes more than {MOST_SETTINGS:,} settings"
                place = ("domain", field, i, "step")
                problems.append(Problem(f"domain.{field}{name}.step", message, "too_large", place))
    return problems


def _settings(parameter: Mapping[str, Any]) -> float:
    """How many settings the step of a parameter makes; 0 without one."""
    typed = [parameter.get(k) for k in ("low", "high", "step")]
    low, high, step = (float(v) if isinstance(v, int | float) else None for v in typed)
    if low is None or high is None or not step or not step > 0:
        return 0.0
    return (high - low) / step
