"""Objects of the user's own, named as ``module:attribute``, on this machine and on workers."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

from equiwarp.exceptions import InvalidInput


def load_object(path: str) -> Any:
    """Import ``module:attribute``; modules in the working directory count."""
    module, colon, attribute = path.partition(":")
    if not colon or not module or not attribute:
        raise InvalidInput(f"{path!r} is not of the form module:object")
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)
    try:
        found: Any = import_module(module)
    except ImportError as error:
        raise InvalidInput(
            f"cannot import {module!r} of {path!r}: {error}; run where it is importable, or set PYTHONPATH"
        ) from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise InvalidInput(f"module {module!r} has no {attribute!r}")
        found = getattr(found, part)
    return found
