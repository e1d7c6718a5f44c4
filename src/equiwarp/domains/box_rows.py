"""The parameters of a box as people write them, in Python and in the rows of a campaign file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from equiwarp.domains.category import Category
from equiwarp.domains.parameter import Parameter
from equiwarp.domains.plain import Data, Fields
from equiwarp.exceptions import InvalidInput

#: One axis of a box.
BoxParameter = Parameter | Category

#: What the row of a parameter in a campaign file may say.
ROW: Fields = {
    "name": (str, ...),
    "low": (float | None, None),
    "high": (float | None, None),
    "unit": (str, ""),
    "scale": (Literal["linear", "log"], "linear"),
    "step": (float | None, None),
    "levels": (list[float] | None, None),
    "resolution": (float | None, None),
    "periodic": (bool, False),
    "categories": (list[str] | None, None),
    "distance": (float | None, None),
}


def parameter_of(spec: Any) -> BoxParameter:
    """A parameter from any way to write one: bounds, a mapping, a list of names, or one already made."""
    if isinstance(spec, Category):
        return spec
    if isinstance(spec, Mapping):
        return Category._of(spec) if spec.get("categories") is not None else Parameter.of(spec)
    if is_list_of_names(spec):
        return Category._of(spec)
    return Parameter.of(spec)


def is_list_of_names(spec: Any) -> bool:
    """Whether a spec is meant as categories; a pair with one text in it is a bound in quotes."""
    if not isinstance(spec, list | tuple):
        return False
    texts = sum(isinstance(item, str) for item in spec)
    return texts == len(spec) or (texts > 0 and len(spec) > 2)


def read_row(row: Data) -> BoxParameter:
    """A parameter from its row in a campaign file; the row also has a name."""
    if not row["name"]:
        raise InvalidInput("needs a name")
    usual = {key: default for key, (_, default) in ROW.items()}
    said = {k: row[k] for k in ROW if k != "name" and row.get(k) is not None and row[k] != usual[k]}
    if "levels" in said and "step" in said:
        raise InvalidInput("step and levels exclude each other: give one of them")
    if "distance" in said and "categories" not in said:
        raise InvalidInput("only categories have a distance: leave it out")
    if not said.keys() & {"levels", "categories"} and not ("low" in said and "high" in said):
        raise InvalidInput("needs low and high, or a list of levels or of categories")
    return parameter_of(said)


def written_categories(rows: Any) -> dict[str, tuple[str, ...]]:
    """The categories of rows that a person wrote, by name, as far as one can tell."""
    if isinstance(rows, Mapping):
        named = {
            str(k): row.get("categories") if isinstance(row, Mapping) else row for k, row in rows.items()
        }
    elif isinstance(rows, list):
        tables = [row for row in rows if isinstance(row, Mapping) and isinstance(row.get("name"), str)]
        named = {row["name"].strip(): row.get("categories") for row in tables}
    else:
        named = {}
    return {
        name: tuple(text.strip() for text in texts)
        for name, texts in named.items()
        if isinstance(texts, list) and texts and all(isinstance(text, str) for text in texts)
    }
