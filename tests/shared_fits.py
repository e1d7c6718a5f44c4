"""Fits that tests share: many ask about the same values, and each fit is a pure function.

A fit is looked up by every bit of what it is given, so that only an exact repetition is saved. That
repetition gives the same bits is a test of its own, in ``tests/laws/test_shared_fits.py``.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import numpy as np

from equiwarp.geometry.kumaraswamy import KumaraswamyWarp
from equiwarp.models import gaussian_process
from equiwarp.strategy import map_models

_KNOWN: dict[bytes, Any] = {}


def once(compute: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which computes once for each input, compared bit by bit."""

    @wraps(compute)
    def remembered(*given: Any) -> Any:
        try:
            key = pickle.dumps((compute.__qualname__, given))
        except (pickle.PicklingError, AttributeError, TypeError):  # a part that a test has made up
            return compute(*given)
        if key not in _KNOWN:
            _KNOWN[key] = compute(*given)
        found = _KNOWN[key]
        return found.copy() if isinstance(found, np.ndarray) else found

    return remembered


@contextmanager
def shared() -> Iterator[None]:
    """Fits of models and of the trained warp are remembered, in this process, while this lasts."""
    fit_model, fit_warp = map_models.fit, KumaraswamyWarp.fit
    map_models.fit = gaussian_process.fit = once(fit_model)
    KumaraswamyWarp.fit = staticmethod(once(fit_warp))
    try:
        yield
    finally:
        map_models.fit = gaussian_process.fit = fit_model
        KumaraswamyWarp.fit = classmethod(fit_warp.__func__)
