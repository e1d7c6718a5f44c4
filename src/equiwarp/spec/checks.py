"""What no single field can tell: names that clash, parts that are not there or do not go together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equiwarp._util.text import offered, unstorable
from equiwarp.aims import Aim
from equiwarp.domains import Domain
from equiwarp.domains.expressions import Expression
from equiwarp.exceptions import EquiwarpError, ExpressionError, InvalidInput, Problem
from equiwarp.models import read_models
from equiwarp.spec.plain_domains import categories_in
from equiwarp.strategy import DEFAULT_STRATEGY, Strategy, find, full_name, strategies

#: Columns of plates and exports ("noise RESPONSE" is one too): no parameter or response may be so called.
RESERVED = (
    "id", "failed", "noise", "state", "origin", "inside", "reason", "created", "since", "sample", "notes",
    "repeats",
)  # fmt: skip
#: Of these, what a stored campaign may have used before the column was there.
RESERVED_LATER = ("since", "sample", "notes", "repeats")


def strategy_name(strategy: str | Strategy) -> str:
    """The name under which a campaign's strategy is kept."""
    return strategy.name if isinstance(strategy, Strategy) else full_name(strategy)


def registered(strategy: str | Strategy) -> str | Strategy:
    """The name of a registered strategy, any other object as it is."""
    if not isinstance(strategy, str | Strategy):
        return find(strategy)  # which says what a strategy is
    name = strategy_name(strategy)
    return name if isinstance(strategy, str) or strategies().get(name) == strategy else strategy


def unknown_strategy(strategy: Any) -> list[Problem]:
    """A name that is not registered, or an object under a name that means another strategy."""
    try:
        find(strategy if isinstance(strategy, str) else DEFAULT_STRATEGY)  # other kinds: the model's matter
    except InvalidInput as error:
        return [Problem("strategy", str(error))]
    if isinstance(strategy, Strategy) and full_name(strategy.name) in strategies():
        said = f"{strategy.name!r} is the name of another strategy, which is registered; rename yours"
        return [Problem("strategy", said)]
    return []


def unknown_models(models: Any) -> list[Problem]:
    """A name under which no map model is registered."""
    try:
        read_models(models)
    except EquiwarpError as error:
        return [Problem("models", str(error))]
    return []


def unsuited(strategy: str | Strategy, domain: Domain) -> list[Problem]:
    there = isinstance(strategy, Strategy) or strategy in strategies()
    if not there or find(strategy).kernel != "neumann" or domain.has_faces:
        return []
    name = strategy_name(strategy)
    return [Problem("strategy", f"{name!r} reflects at the faces of a box; choose another one")]


def unknown_responses(data: Mapping[str, Any]) -> list[Problem]:
    """Limits of a stop rule for a response that is not measured."""
    stop, responses = data.get("stop"), data.get("responses") or [{}]
    if not isinstance(stop, Mapping) or not isinstance(responses, list):
        return []
    known = [str(r.get("name", "value")) for r in responses if isinstance(r, Mapping)]
    return [
        Problem(f"stop.{kind}.{name}", f"there is no response {name!r}{offered(str(name), known)}")
        for kind, limits in stop.items()
        if isinstance(limits, Mapping)
        for name in limits
        if name not in known
    ]


def bad_constraints(data: Mapping[str, Any], names: Sequence[str]) -> list[Problem]:
    """Constraints that cannot be read, found even where another field is wrong."""
    domain = data.get("domain")
    constraints = domain.get("constraints") if isinstance(domain, Mapping) else None
    if not names or not isinstance(constraints, list):
        return []
    problems = []
    for i, text in enumerate(constraints):
        try:
            if isinstance(text, str):
                Expression.parse(text, names, categories_in(domain))
        except ExpressionError as error:
            place = ("domain", "constraints", i)
            problems.append(Problem(f"domain.constraints[{i + 1}]", str(error), "constraint", place))
    return problems


def bad_aim(aim: Any, domain: Domain, responses: Sequence[str]) -> list[Problem]:
    """An aim that cannot be read, or not on this domain and for these responses."""
    try:
        Aim.of(aim).on(domain, responses)
    except EquiwarpError as error:
        path, colon, said = str(error).partition(": ")
        place = path if colon and path.startswith("aim") and " " not in path else "aim"
        return [Problem(place, said if place == path else str(error), "aim")]
    return []


def names_clash(data: Mapping[str, Any], parameters: Sequence[str], stored: bool) -> list[Problem]:
    """Names that would make two columns of a table the same."""
    reserved = [name for name in RESERVED if not (stored and name in RESERVED_LATER)]
    responses = data.get("responses", [])
    items = responses if isinstance(responses, list) else []
    names = [str(r.get("name", "value")) for r in items if isinstance(r, Mapping)]
    described = data.get("domain")
    lists = described if isinstance(described, Mapping) else {}
    listed = [key for key in ("parameters", "components") if isinstance(lists.get(key), list)]
    at = {"domain": ("domain", *listed[:1]) if listed else (), "responses": ("responses",), "blocks": ()}

    def problem(path: str, row: int, message: str) -> Problem:
        return Problem(path, message, "name", (*at[path], row, "name") if at[path] else ())

    problems = []
    blocks = data.get("blocks", {})
    columns = [str(name) for name in blocks] if isinstance(blocks, Mapping) else []
    for path, group in (("domain", parameters), ("responses", names), ("blocks", columns)):
        for i, n in enumerate(group):
            if n.casefold() in reserved or n.casefold().startswith("noise "):
                problems.append(problem(path, i, f"{n!r} is a column of every table; rename it"))
            if unstorable(n):
                problems.append(problem(path, i, f"{n!r} holds characters that cannot be stored; rename it"))
            same = [other for other in group[:i] if n == other or (not stored and n.split() == other.split())]
            if same:  # blanks around a name are lost in every table
                problems.append(problem(path, i, f"the name {n!r} appears twice; rename one of the two"))
            if path == "responses" and n in parameters:
                problems.append(problem(path, i, f"{n!r} is also the name of a parameter; rename it"))
    return problems + [
        Problem("blocks", f"{n!r} is also the name of a parameter or a response; rename it")
        for n in columns
        if n in parameters or n in names
    ]


def unknown_costs(data: Mapping[str, Any], parameters: Sequence[str]) -> list[Problem]:
    """Costs of changing what is no parameter."""
    costs = data.get("change_cost", {})
    named = [str(name) for name in costs] if isinstance(costs, Mapping) and parameters else []
    return [
        Problem(f"change_cost.{n}", f"is not a parameter; the parameters are {', '.join(parameters)}")
        for n in named
        if n not in parameters
    ]
