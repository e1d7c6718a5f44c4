"""Other people's packages: imported when a run starts, named with their remedy when absent."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from equiwarp.bench.functions.catalogue import Benchmark
from equiwarp.domains import Box
from equiwarp.exceptions import InvalidInput


def load_package(module: str, arm: str) -> Any:
    """A module of an optional package, untyped; ``ValueError`` with the extra's name if it is absent."""
    try:
        return import_module(module)
    except ImportError as error:
        raise InvalidInput(f"arm {arm!r} needs {module}: pip install 'equiwarp[peers]' ({error})") from error


def only_boxes(benchmark: Benchmark) -> str | None:
    """The objection of a peer whose inputs are coordinates between bounds."""
    is_box = isinstance(benchmark.domain, Box)  # those packages take bounds, and nothing but a box is bounds
    return None if is_box else "its package knows boxes only"
