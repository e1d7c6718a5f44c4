"""The models that a map can be made of, by name: ours, and those that installed packages register."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from equiwarp._util.arguments import items_of
from equiwarp._util.plugins import Plugins
from equiwarp.exceptions import InvalidInput
from equiwarp.models.base import MapModel

GROUP = "equiwarp.models"
#: Our own families, by name: module and class, imported when they are needed.
OURS = {
    "matern": ("equiwarp.models.matern", "MaternModel"),
    "additive": ("equiwarp.models.additive", "AdditiveModel"),
    "smooth": ("equiwarp.models.smooth", "SmoothModel"),
    "trend": ("equiwarp.models.trend", "TrendModel"),
    "warped": ("equiwarp.models.warped", "WarpedModel"),
    "envelope": ("equiwarp.models.envelope", "EnvelopeModel"),
    "pairs": ("equiwarp.models.pairs", "PairsModel"),
    "single-index": ("equiwarp.models.single_index", "SingleIndexModel"),
}
#: What a map is averaged from unless told otherwise.
DEFAULT_MODELS = tuple(OURS)


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


def read_models(names: Any) -> tuple[str, ...]:
    """The families that a user names, one or several; one that nobody registers is refused.

    Ours are not imported for that.
    """
    given = (names,) if isinstance(names, str) else tuple(items_of(names, "models"))
    if not given:
        raise InvalidInput(f"a map needs at least one model; choose from {', '.join(model_names())}")
    for name in given:
        if name not in OURS:
            find_model(name)
    if len(set(given)) < len(given):
        raise InvalidInput(f"models names one of them twice: {', '.join(given)}")
    return given


def _read(found: Any, name: str) -> type[MapModel]:
    """What an entry point leads to, as a family of models."""
    if not (isinstance(found, type) and issubclass(found, MapModel)):
        raise InvalidInput(f"is {found!r}, not a subclass of MapModel; register such a class")
    return found


_PLUGINS = Plugins(GROUP, "map model", _read, frozenset(OURS))
