"""Domains as plain data, without the checks of hand-written files: quick to load for who opens a campaign.

What a store keeps was checked when it was made. A domain that gives the same data again is taken as it is;
anything else goes the checked way, which names every mistake.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equiwarp.domains import Constrained, Domain, registry
from equiwarp.domains.plain import Rows

Known = tuple[tuple[str, type[Domain]], ...]


def domain_to_dict(domain: Domain) -> dict[str, Any]:
    """A domain as JSON-able data, the same for equal domains. Callables leave their names only."""
    return registry.plain_data(domain)


def kept_domain(data: Mapping[str, Any]) -> Domain | None:
    """The domain that a store kept as this data; None if only the checked way can tell what it means."""
    make_known(data)
    try:
        domain = _built(data)
        return domain if domain_to_dict(domain) == data else None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _built(data: Mapping[str, Any]) -> Domain:
    kind = registry.kinds()[data["type"]]
    fields = {name: data.get(name, default) for name, (_, default) in kind.fields().items()}
    for name, (checked, _) in kind.fields().items():
        if isinstance(checked, Rows):
            usual = {key: default for key, (_, default) in checked.fields.items()}
            fields[name] = [{**usual, **row} for row in fields[name]]
    if _parts_in(data):
        fields["parts"] = [_built(part) for part in _parts_in(data)]
    whole = kind.from_dict(fields)
    return Constrained(whole, data["constraints"]) if data.get("constraints") else whole


def make_known(data: Any) -> None:
    """Look for the kind that data names in installed packages, if we do not know it.

    What was stored names the package that it came from: without that package it cannot be opened, and
    :class:`~equiwarp.exceptions.MissingPart` says so. A kind in a hand-written file may as well be misspelt.
    """
    kind = data.get("type") if isinstance(data, Mapping) else None
    if not isinstance(kind, str) or kind == registry.PYTHON:
        return
    for part in _parts_in(data):
        make_known(part)
    if "package" in data:
        registry.find(kind, str(data["package"]))
    registry.load(kind)


def names_in(data: Any) -> list[str]:
    """Column names that data of a domain would give, as far as one can tell from data that may be wrong."""
    if not isinstance(data, Mapping):
        return []
    if _parts_in(data):
        return [name for part in _parts_in(data) for name in names_in(part)]
    kind, known = data.get("type"), registry.kinds()
    # Without a known type, whichever kind makes sense of it.
    likely = [known[kind]] if isinstance(kind, str) and kind in known else known.values()
    return next((names for domain in likely if (names := domain.names_in(data))), [])


def categories_in(data: Any) -> dict[str, tuple[str, ...]]:
    """Categories by column name that data of a domain would give, as far as one can tell."""
    if not isinstance(data, Mapping):
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for part in _parts_in(data):
        found |= categories_in(part)
    for domain in registry.kinds().values():
        found |= domain.categories_in(data)
    return found


def _parts_in(data: Mapping[str, Any]) -> list[Any]:
    """The domains that a product is made of, as a person wrote them."""
    parts = data.get("parts")
    return parts if isinstance(parts, list) else []


def known() -> Known:
    """The kinds of domains that are known now. Models are made once for each such set."""
    return tuple(registry.kinds().items())
