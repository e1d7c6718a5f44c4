"""The registry: strategies by the names that papers and users know them under, ours and those installed.

A name of ours is found at once. Only a name that is not ours, or the whole list, makes us look at what
other packages register under the entry points of :data:`GROUP`: a ``Strategy``, or a callable without
arguments that returns one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from equiwarp._util.plugins import Plugins, loaded
from equiwarp.domains import Domain
from equiwarp.exceptions import InvalidInput
from equiwarp.strategy.base import Strategy
from equiwarp.strategy.distance import Distance
from equiwarp.strategy.epig import PredictiveGain
from equiwarp.strategy.epig_joint import JointPredictiveGain
from equiwarp.strategy.lookahead_gp import EmptyBall
from equiwarp.strategy.lookahead_nn import NearestLookahead
from equiwarp.strategy.map_error import MapError
from equiwarp.strategy.nipv import IntegratedVariance
from equiwarp.strategy.openloop import SobolDesign, UniformRandom
from equiwarp.strategy.variance import Variance

GROUP = "equiwarp.strategies"
#: Our own strategies, by name; the order is the one in which people see them.
OURS = {
    strategy.name: strategy
    for strategy in (
        Strategy("fps", Distance(), summary="farthest point from everything measured"),
        Strategy("sobol", SobolDesign(), summary="scrambled Sobol sequence, fixed in advance"),
        Strategy("random", UniformRandom(), summary="uniform random points"),
        Strategy("eig", Variance(), summary="largest posterior variance, the common recipe"),
        Strategy(
            "equalized", Variance(), equalizer=True, summary="variance with the boundary bias divided out"
        ),
        Strategy(
            "equiwarp",
            Variance(),
            equalizer=True,
            warp="reconstruction",
            summary="equalizer and reconstruction warp: the paper's full method",
        ),
        Strategy(
            "warp", Variance(), warp="reconstruction", summary="reconstruction warp without the equalizer"
        ),
        Strategy(
            "kumaraswamy",
            Variance(),
            equalizer=True,
            warp="kumaraswamy",
            summary="equalizer and a trained Kumaraswamy warp",
        ),
        Strategy("nipv", IntegratedVariance(), summary="largest drop of the integrated posterior variance"),
        Strategy("epig", PredictiveGain(), summary="information about a prediction, over all of the domain"),
        Strategy(
            "epig-joint",
            JointPredictiveGain(),
            summary="information about predictions at many targets at once, as the paper prints it",
        ),
        Strategy(
            "refit",
            Variance(),
            lengthscale="refit",
            summary="variance with the lengthscale refitted each round",
        ),
        Strategy(
            "lookahead-nn",
            NearestLookahead(),
            summary="largest expected drop of the nearest-neighbour map's error",
        ),
        Strategy(
            "lookahead-gp",
            EmptyBall(),
            lengthscale="fitted",
            summary="largest expected error of the Gaussian-process map, removed",
        ),
        Strategy(
            "map", MapError(), summary="largest expected drop of the averaged map's error, by its own models"
        ),
        Strategy(
            "neumann", Variance(), kernel="neumann", summary="variance of a kernel reflected at the faces"
        ),
    )
}

#: What chooses unless somebody says otherwise: it serves the map that people take home.
DEFAULT_STRATEGY = "map"
#: What begins with a small start: it gains from more choices.
SMALL_STARTS = frozenset({"map"})
#: Other names of our strategies.
ALIASES = {"lookahead": "lookahead-gp"}


def _read(found: Any, name: str) -> Strategy:
    """What an entry point leads to, as a strategy of this name."""
    strategy = loaded(found) if callable(found) and not isinstance(found, Strategy) else found
    if not isinstance(strategy, Strategy):
        raise InvalidInput(
            f"is {strategy!r}, not a Strategy; register a Strategy or a callable without arguments that "
            "returns one"
        )
    if strategy.name != name:
        raise InvalidInput(f"calls itself {strategy.name!r}; use one name for both")
    return strategy


_PLUGINS = Plugins(GROUP, "strategy", _read, frozenset({*OURS, *ALIASES}))


class Registry(Mapping[str, Strategy]):
    """Name -> Strategy, read-only: ours first, then those of other packages that can be loaded."""

    def __getitem__(self, name: str) -> Strategy:
        if name in OURS:
            return OURS[name]
        try:
            found = _PLUGINS.load(name)
        except InvalidInput:  # said by find(), to whoever names it
            found = None
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        yield from OURS
        yield from (name for name in _PLUGINS.names() if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Registry({', '.join(self)})"


_REGISTRY = Registry()


def strategies() -> Mapping[str, Strategy]:
    """All strategies that can be given by name: ours, and those of installed packages.

    A package registers strategies through entry points of the group ``equiwarp.strategies``. One that
    cannot be loaded is not listed; naming it raises the error that says why.

    Returns
    -------
    mapping of str to Strategy
        Read-only. Installed packages are searched when it is listed or a name is not ours.

    Examples
    --------
    >>> import equiwarp as ew
    >>> ew.strategies()["fps"].summary
    'farthest point from everything measured'
    >>> "equiwarp" in ew.strategies()
    True
    """
    return _REGISTRY


def full_name(name: str) -> str:
    """The registered name for another name of a strategy; any other text as it is."""
    return ALIASES.get(name, name)


def find(strategy: str | Strategy) -> Strategy:
    """A strategy by name, or one of your own as it is.

    Raises
    ------
    InvalidInput
        Nothing of this name is known; the message lists what is.
    MissingPart
        A package registers the name, but it cannot be loaded; the message names package and error.
    """
    if isinstance(strategy, Strategy):
        return strategy
    if not isinstance(strategy, str):
        raise InvalidInput(f"a strategy is a name or a Strategy, got {strategy!r}")
    name = full_name(strategy)
    found = OURS[name] if name in OURS else _PLUGINS.load(name)
    if found is None:
        raise InvalidInput(f"unknown strategy {strategy!r}; choose one of {', '.join(_REGISTRY)}")
    return found


def package_of(name: str) -> str | None:
    """The package that registers a strategy; None for ours and for a name that nobody registers.

    What is kept under a strategy's name can keep this beside it, and say later what is missing.
    """
    return None if full_name(name) in OURS else _PLUGINS.package(name)


def usual_start(strategy: str | Strategy, domain: Domain) -> int:
    """Size of the space-filling start of a strategy, where nobody says another.

    Four points for each number where `map` chooses all that follows, and the domain's own ``n0`` elsewhere.
    """
    name = strategy if isinstance(strategy, str) else strategy.name
    return domain.small_n0 if name in SMALL_STARTS else domain.n0
