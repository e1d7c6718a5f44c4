"""Mistakes in a campaign file: all of them at once, each with the path of its field, in plain words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from equiwarp._util.text import short
from equiwarp.domains import registry
from equiwarp.exceptions import Problem

#: Tags of a limit's two forms: pydantic puts them into a location, where they are no fields.
FOR_ALL, BY_NAME = "one number for all", "numbers by name"


def explain(
    error: ValidationError, data: Any, vocabulary: Collection[str], root: tuple[str, ...] = ()
) -> list[Problem]:
    """pydantic's errors as problems; ``root`` leads from data to what was validated.

    ``vocabulary`` are the known fields, from which the nearest one to a misspelt field is offered.
    """
    problems = []
    for item in error.errors(include_url=False):
        loc = (*root, *item["loc"])
        loc = tuple(part for part in _without_tags(loc) if part not in (FOR_ALL, BY_NAME))
        words = _words(dict(item), vocabulary)
        problems.append(Problem(path_of(loc, data), words, item["type"], loc))
    return problems


def _without_tags(loc: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """A location without the kinds of domains that follow a domain or a part of one: they are no fields."""
    kinds = (*registry.kinds(), registry.PYTHON)

    def is_tag(i: int) -> bool:
        part_of = i >= 2 and loc[i - 2] == "parts" and isinstance(loc[i - 1], int)
        return loc[i] in kinds and (part_of or (i == 1 and loc[0] == "domain"))

    return tuple(part for i, part in enumerate(loc) if not is_tag(i))


def path_of(loc: Sequence[str | int], data: Any) -> str:
    """``domain.parameters.pH.low`` rather than ``domain.parameters[2].low``, where the item has a name."""
    path = ""
    for part in loc:
        step = str(part)
        if isinstance(part, int):
            is_item = isinstance(data, list | tuple) and part < len(data)
            if isinstance(data, Mapping) and part < len(data):  # tables by name, see domains.listed
                path, data = f"{path}.{list(data)[part]}", list(data.values())[part]
                continue
            data = data[part] if is_item else None
            name = data.get("name") if isinstance(data, Mapping) else None
            if not isinstance(name, str) or not name.strip():
                path += f"[{part + 1}]"
                continue
            step = name
        else:
            data = data.get(part) if isinstance(data, Mapping) else None
        path += f".{step}" if path else step
    return path


def _kinds() -> str:
    """All kinds of domains that a file may name: 'a', 'b' or 'c'."""
    *first, last = (repr(kind) for kind in registry.kinds())
    return f"{', '.join(first)} or {last}"


def _words(item: dict[str, Any], vocabulary: Collection[str]) -> str:
    given = short(item.get("input"))
    match item["type"]:
        case "missing":
            return "is missing"
        case "value_error" | "assertion_error":
            return str(item["msg"]).split(", ", 1)[-1]
        case "extra_forbidden":
            name = str(item["loc"][-1])
            near = difflib.get_close_matches(name, vocabulary, 1)
            if name == "high" and "components" in item["loc"]:
                return f'is not a known field here; write constraints = ["NAME <= {given}"] in the domain'
            if name in near:
                return "is not a known field here; it belongs to another part of the description"
            return f"is not a known field here{f'; did you mean {near[0]!r}?' if near else ''}"
        case "finite_number":
            return f"must be a finite number, got {given}"
        case "float_type" | "int_type" | "int_from_float":
            whole = "a whole number" if item["type"].startswith("int") else "a number"
            quoted = " without quotes" if isinstance(item.get("input"), str) else ""
            return f"must be {whole}{quoted}, got {given}"
        case "union_tag_not_found":
            return f"needs a type: {_kinds()}"
        case "union_tag_invalid" if item["ctx"]["tag"] == "product":  # known, but not within another one
            return "a part of a product cannot be a product: list its parts here instead"
        case "union_tag_invalid":
            return f"unknown type {item['ctx']['tag']!r}; use {_kinds()}"
        case "string_type":
            return f"must be text in quotes, got {given}"
        case "string_too_short" | "too_short" if isinstance(item.get("input"), str):
            return "must not be empty; call it something"
        case "list_type":
            return f"must be a list, got {given}"
        case "model_type" | "model_attributes_type":
            return f"must be a table of fields, got {given}"
        case _:
            return f"{str(item['msg']).replace('Input should be', 'must be')}, got {given}"


def toml_problem(error: ValueError, text: str) -> str:
    """What is wrong with the text of a campaign file, and what people mean who write it so."""
    said = f"not valid TOML: {error}"
    place = re.search(r"at line (\d+), column (\d+)", str(error))
    line = text.splitlines()[int(place[1]) - 1] if place else ""
    column = int(place[2]) - 1 if place else 0
    here = line[column : column + 1]
    if here.isalpha() and not here.isascii():
        return f"{said}; put a name with a letter such as {here} in quotes"
    if re.search(r"\d,\d", line[max(0, column - 1) : column + 2]):
        return f"{said}; write numbers with a decimal point, 1.5 and not 1,5"
    return said
