"""What every test gets: one BLAS thread, a cache folder of its own, files in memory, a place in the queue."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pytest

#: Memory as a file system, and the gigabytes that must be free there.
MEMORY, ROOM = Path("/dev/shm"), 4
#: Folders whose tests share something dear to make: a browser and a server, a PostgreSQL server, fits.
#: Each is one piece of work, and the longest come first, so that all workers finish together.
TOGETHER = ("tests/web/browser", "tests/laws", "tests/faults")


def pytest_configure(config: pytest.Config) -> None:
    """Temporary files lie in memory where there is room: a store waits for the disk at every commit."""
    roomy = MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM * 1e9
    if roomy and "TMPDIR" not in os.environ:
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None


def workplace(nodeid: str) -> str:
    """What one worker runs as a whole: a folder that shares, or else a file."""
    return next((f for f in TOGETHER if nodeid.startswith(f"{f}/")), nodeid.partition("::")[0])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Folders that share come first."""
    rank = {folder: i for i, folder in enumerate(TOGETHER)}
    items.sort(key=lambda item: rank.get(workplace(item.nodeid), len(rank)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand out workplaces, whatever ``--dist`` says: marked groups are not kept together by every pytest."""
    from xdist.scheduler import LoadScopeScheduling

    class ByWorkplace(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return workplace(nodeid)

    return ByWorkplace(config, log)


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


@pytest.fixture(scope="session", autouse=True)
def shared_fits() -> Iterator[None]:
    """Tests are about what is made of a fit: the same fit is made once."""
    from tests.shared_fits import shared

    with shared():
        yield


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator with a fixed seed, new for every test."""
    return np.random.default_rng(20240607)
