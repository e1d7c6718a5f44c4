"""The kinds of domains that campaign files and stores may name, ours and those of other packages.

A new domain is one file and one line: in :data:`OURS` here; in another package, an entry point ::

    [project.entry-points."equiwarp.domains"]
    annulus = "annuli.domain:Annulus"

or, in a program, ``register(Annulus)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from equiwarp._util.plugins import Plugins
from equiwarp.domains.base import Domain
from equiwarp.domains.box import Box
from equiwarp.domains.candidates import Candidates
from equiwarp.domains.product import Product
from equiwarp.domains.simplex import Simplex
from equiwarp.domains.sphere import Sphere
from equiwarp.exceptions import InvalidInput, InvalidType, MissingPart

GROUP = "equiwarp.domains"
#: The domains of this package that have a kind; `Constrained` writes itself into the data of its base.
OURS: tuple[type[Domain], ...] = (Box, Simplex, Sphere, Candidates, Product)
#: Data of a domain that only Python can describe has this type.
PYTHON = "python"

_known: dict[str, type[Domain]] = {domain.kind: domain for domain in OURS}


def kinds() -> Mapping[str, type[Domain]]:
    """The kinds known so far, by name. Entry points are looked up when a name is unknown."""
    return MappingProxyType(_known)


def register(domain: type[Domain]) -> type[Domain]:
    """Make a kind of domain known under its ``kind``, so that campaign files and stores may name it.

    Parameters
    ----------
    domain : type
        A subclass of :class:`~equiwarp.domains.Domain` with a ``kind`` of its own.

    Returns
    -------
    type
        The same class, so that this can be used as a decorator.

    Raises
    ------
    InvalidType
        If it is not a class of domains.
    InvalidInput
        If it has no kind of its own, or another class has that kind.

    Examples
    --------
    >>> import equiwarp as ew
    >>> from equiwarp.domains import register
    >>> register(ew.Box).kind
    'box'
    """
    if not (isinstance(domain, type) and issubclass(domain, Domain)):
        raise InvalidType(f"a domain is registered by its class, a subclass of Domain; got {domain!r}")
    if not domain.kind or domain.kind == PYTHON or "kind" not in vars(domain):
        raise InvalidInput(f"{domain.__name__} needs a name of its own in `kind`, got {domain.kind!r}")
    taken = _known.setdefault(domain.kind, domain)
    if taken is not domain:
        raise InvalidInput(
            f"the kind {domain.kind!r} is {taken.__module__}.{taken.__name__} already; choose another name"
        )
    return domain


def find(kind: str, package: str = "") -> type[Domain]:
    """The class of a kind, from an installed package if need be.

    Raises :class:`~equiwarp.exceptions.MissingPart` if there is none; ``package`` is where it came from.
    """
    load(kind)
    if kind in _known:
        return _known[kind]
    where = f"install the package {package!r}" if package else "install the package that it comes from"
    raise MissingPart(
        f"the domain is of the kind {kind!r}, which is not installed; {where} "
        f"(it registers the kind under the entry points {GROUP!r}), or import and register it yourself"
    )


def load(kind: str) -> None:
    """Make an unknown kind known if an installed package offers it."""
    if kind and kind not in _known:
        _PLUGINS.load(kind)


def _read(found: Any, kind: str) -> type[Domain]:
    """What an entry point leads to, registered as a class of this kind."""
    if not (isinstance(found, type) and issubclass(found, Domain)):
        raise InvalidInput(f"is {found!r}, not a subclass of Domain; register such a class")
    if found.kind != kind:
        raise InvalidInput(f"leads to a domain of the kind {found.kind!r}; use one name for both")
    return register(found)


_PLUGINS = Plugins(GROUP, "kind of domain", _read, frozenset(_known))


def plain_data(domain: Domain) -> dict[str, Any]:
    """A domain as JSON-able data, the same for equal domains.

    A class that is not registered leaves its name only; one of another package also says which.
    """
    bare = domain.whole
    load(bare.kind)
    parts = [plain_data(part) for part in bare.parts] if isinstance(bare, Product) else []
    python = any(part["type"] == PYTHON for part in parts)
    if python or _known.get(bare.kind) is not type(bare):
        data: dict[str, Any] = {"type": PYTHON, "description": repr(bare)}
    elif parts:
        data = {"type": bare.kind, "parts": parts}
    else:
        data = bare.to_dict()
        if type(bare) not in OURS:
            data["package"] = type(bare).__module__.partition(".")[0]
    return {**data, **domain.conditions()}
