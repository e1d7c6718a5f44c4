"""How a user's function is called: by parameter names, with one array, or as a coroutine.

Workers load this file, so it imports nothing but the standard library.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from equiwarp.exceptions import InvalidInput, InvalidType


class Simulator(Protocol):
    """What computes the value of one experiment, given its id and its settings by name."""

    def __call__(self, id: int, point: Mapping[str, float | str]) -> Any: ...


@dataclass(frozen=True)
class CalledByNames:
    """A function whose arguments are the parameters: ``f(temperature=30.0, pH=4.0)``."""

    function: Callable[..., Any]

    def __call__(self, id: int, point: Mapping[str, float | str]) -> Any:
        return self.function(**point)


@dataclass(frozen=True)
class CalledWithArray:
    """A function of one array, in the order of the domain's columns: ``f(np.array([30.0, 4.0]))``.

    Categories stand in it by their names; the array then holds objects.
    """

    function: Callable[..., Any]

    def __call__(self, id: int, point: Mapping[str, float | str]) -> Any:
        import numpy as np

        # One text would turn a whole array into texts.
        named = any(isinstance(value, str) for value in point.values())
        return self.function(np.array(list(point.values()), dtype=object if named else float))


class TellingFailure(Exception):  # noqa: N818  (it is told, not caught)
    """An experiment failed and the text says all about it: no traceback is kept with it."""


@dataclass(frozen=True)
class Evaluated:
    """What a function returned, and the seconds it took on its worker."""

    value: Any
    seconds: float


def evaluate(simulator: Simulator, id: int, point: Mapping[str, float | str], attempt: int) -> Evaluated:
    """One experiment, on a worker. ``attempt`` tells a repetition from the first call, for Dask's cache."""
    begin = time.perf_counter()
    value = simulator(id, point)
    return Evaluated(value, time.perf_counter() - begin)


async def evaluate_async(simulator: Simulator, id: int, point: Mapping[str, float | str]) -> Evaluated:
    """The same for a coroutine function."""
    begin = time.perf_counter()
    try:
        value = await simulator(id, point)
    except (SystemExit, KeyboardInterrupt) as error:  # either would end the loop, and all who wait for it
        raise TellingFailure(f"{type(error).__name__}: {error}") from error
    return Evaluated(value, time.perf_counter() - begin)


def read_function(function: Any, names: Sequence[str]) -> CalledByNames | CalledWithArray:
    """Decide from its signature how a function is called, before anything starts.

    Raises
    ------
    InvalidType
        It cannot be called at all.
    InvalidInput
        It takes neither the parameters by their names nor one array. An argument that is called like one of
        several parameters is meant to be that one: the array would be taken for it.
    """
    if not callable(function):
        raise InvalidType(f"function must be something to call, got {function!r}")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # compiled ones do not say what they take
        return CalledWithArray(function)
    if _binds(signature, **dict.fromkeys(names, 0.0)):
        return CalledByNames(function)
    taken = [name for name in names if name in signature.parameters]
    if _binds(signature, 0.0) and not taken:
        return CalledWithArray(function)
    hint = f"; one array needs another name than {taken[0]!r}" if len(taken) == 1 else ""
    raise InvalidInput(
        f"the function takes {signature}, and the domain has the parameters {', '.join(names)}: "
        f"name its arguments like the parameters, or let it take one array{hint}"
    )


def is_async(function: Any) -> bool:
    """Whether a call returns something to await."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004  (an object with an async __call__)
    )


def _binds(signature: inspect.Signature, *arguments: Any, **named: Any) -> bool:
    try:
        signature.bind(*arguments, **named)
    except TypeError:
        return False
    return True
