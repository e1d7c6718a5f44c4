"""The models that a map can be made of, by name: ours, and those that installed packages register."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from equiwarp._util.plugins import Plugins
from equiwarp.exceptions import InvalidInput
from equiwarp.models.base import MapModel

GROUP = "equiwarp.models"
#: Our own families, by name: module and class, imported when they are needed.
OURS = {"matern": ("equiwarp.models.matern", "PredictionGP")}
DEFAULT_MODEL = "matern"


def model_names() -> tuple[str, ...]:
    """Every name that a map's model can have, ours first."""
    return (*OURS, *_PLUGINS.names())


def find_model(name: str) -> type[MapModel]:
    """A family of models by its name.

    Raises
    ------
    InvalidInput
        Nothing of this name is known; the message lists what is.
    MissingPart
        A package registers the name, but it cannot be loaded; the message names package and error.
    """
    if not isinstance(name, str):
        raise InvalidInput(f"a map model is given by its name, got {name!r}")
    if name in OURS:
        module, kind = OURS[name]
        family: type[MapModel] = getattr(import_module(module), kind)
        return family
    found = _PLUGINS.load(name)
    if found is None:
        raise InvalidInput(
            f"unknown map model {name!r}; choose one of {', '.join(model_names())}, or install the package "
            f"that registers it under the entry points {GROUP!r}"
        )
    return found


def require_model(name: str) -> None:
    """Refuse a name that nobody registers; ours are not imported for that."""
    if name not in OURS:
        find_model(name)


def _read(found: Any, name: str) -> type[MapModel]:
    """What an entry point leads to, as a family of models."""
    if not (isinstance(found, type) and issubclass(found, MapModel)):
        raise InvalidInput(f"is {found!r}, not a subclass of MapModel; register such a class")
    return found


_PLUGINS = Plugins(GROUP, "map model", _read, frozenset(OURS))
