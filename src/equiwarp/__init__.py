"""equiwarp: map an unknown function with as few experiments as possible.

>>> import equiwarp as ew
>>> box = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
>>> s = ew.suggest(box, x=[[30, 4], [60, 7]], y=[1.0, 2.5], n=1, noise=0.05)
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equiwarp.campaign import Campaign
    from equiwarp.domains import Box, Candidates, Constrained, Domain, Parameter, Simplex, Sphere
    from equiwarp.strategies import Strategy, strategies
    from equiwarp.suggest import suggest
    from equiwarp.suggestion import Suggestion

__version__ = "0.1.0"

#: Public names and where they live; imported on first use, so that `import equiwarp` is cheap.
_PUBLIC = {
    "Box": "equiwarp.domains",
    "Campaign": "equiwarp.campaign",
    "Candidates": "equiwarp.domains",
    "Constrained": "equiwarp.domains",
    "Domain": "equiwarp.domains",
    "Parameter": "equiwarp.domains",
    "Simplex": "equiwarp.domains",
    "Sphere": "equiwarp.domains",
    "Strategy": "equiwarp.strategies",
    "Suggestion": "equiwarp.suggestion",
    "strategies": "equiwarp.strategies",
    "suggest": "equiwarp.suggest",
}

__all__ = [
    "Box",
    "Campaign",
    "Candidates",
    "Constrained",
    "Domain",
    "Parameter",
    "Simplex",
    "Sphere",
    "Strategy",
    "Suggestion",
    "strategies",
    "suggest",
]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        value = getattr(import_module(_PUBLIC[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'equiwarp' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])


class _Package(ModuleType):
    """Keeps `equiwarp.suggest` and `equiwarp.strategies` the public functions.

    Importing a submodule binds it as an attribute of its package, which would put the module of the
    same name in the function's place as soon as anything imports it.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _PUBLIC and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
