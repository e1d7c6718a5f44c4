"""What every test gets: one BLAS thread, a cache folder of its own, and small settings that run fast."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pytest


@pytest.fixture(scope="session", autouse=True)
def equalizer_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Equalizer tables of the whole session in one temporary folder: the user's cache is never touched.

    Under xdist all workers share the folder, so that a table is computed once.
    """
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder = base / "equiwarp-cache"
    before = os.environ.get("EQUIWARP_CACHE")
    os.environ["EQUIWARP_CACHE"] = str(folder)
    yield folder
    if before is None:
        del os.environ["EQUIWARP_CACHE"]
    else:
        os.environ["EQUIWARP_CACHE"] = before


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator with a fixed seed, new for every test."""
    return np.random.default_rng(20240607)
