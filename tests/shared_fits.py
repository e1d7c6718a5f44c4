"""Fits that the laws share: a law asks about the same values many times, and each fit is a pure function.

A fit is looked up by every bit of what it is given, so that only an exact repetition is saved. That
repetition gives the same bits is a test of its own, in ``tests/laws/test_shared_fits.py``.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from equiwarp.geometry.kumaraswamy import KumaraswamyWarp
from equiwarp.strategy import map_models

_KNOWN: dict[bytes, Any] = {}


def once(compute: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which computes once for each input, compared bit by bit."""

    @wraps(compute)
    def remembered(*given: Any) -> Any:
        key = pickle.dumps((compute.__qualname__, given))
        if key not in _KNOWN:
            _KNOWN[key] = compute(*given)
        return _KNOWN[key]

    return remembered


@contextmanager
def shared() -> Iterator[None]:
    """Fits of models and of the trained warp are remembered, in this process, while this lasts."""
    fit_model, fit_warp = map_models.fit, KumaraswamyWarp.fit
    map_models.fit = once(fit_model)
    KumaraswamyWarp.fit = staticmethod(once(fit_warp))
    try:
        yield
    finally:
        map_models.fit = fit_model
        KumaraswamyWarp.fit = classmethod(fit_warp.__func__)
