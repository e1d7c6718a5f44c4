"""Real places to keep campaigns, a real PostgreSQL server, and real processes."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SPAWN = multiprocessing.get_context("forkserver")
# Children are forked from a process that has done the slow imports once.
SPAWN.set_forkserver_preload(["equiwarp.campaign.campaign", "scipy.stats", "psycopg"])


def _binaries() -> Path | None:
    """Folder of initdb and pg_ctl: on the path, or where Debian's package puts them."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return versions[-1].parent if versions else None


@dataclass
class Server:
    """A PostgreSQL server of our own, on a free port of this machine."""

    binaries: Path
    folder: Path
    port: int
    user: str | None

    @classmethod
    def start(cls, binaries: Path) -> Server:
        folder = Path(tempfile.mkdtemp(prefix="equiwarp-postgres-"))
        user = None
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            user = "postgres"
            shutil.chown(folder, user)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        server = cls(binaries, folder, port, user)
        server.run(
            "initdb", "-D", str(folder / "data"), "-U", "lab", "--auth=trust", "--no-sync", "-E", "UTF8"
        )
        # The processes of these tests die, the machine does not: without fsync they die faster.
        with (folder / "data" / "postgresql.conf").open("a") as settings:
            settings.write(
                f"port = {port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '{folder}'\n"
                "fsync = off\nmax_connections = 120\n"
            )
        server.control("start")
        return server

    def run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [str(self.binaries / program), *arguments],
            user=self.user, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout

    def control(self, verb: str, *more: str) -> None:
        log = str(self.folder / "log")
        done = subprocess.run(
            [str(self.binaries / "pg_ctl"), verb, "-w", "-D", str(self.folder / "data"), "-l", log, *more],
            user=self.user,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,  # a pipe would stay open in the server
            stderr=subprocess.DEVNULL,
            check=False,
        )
        assert done.returncode == 0, Path(log).read_text()

    def database(self) -> str:
        """URL of a new, empty database."""
        import psycopg

        name = f"lab_{uuid.uuid4().hex[:12]}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return self.url(name)

    def url(self, database: str) -> str:
        return f"postgresql://lab@127.0.0.1:{self.port}/{database}"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    binaries = _binaries()
    if binaries is None:
        message = "PostgreSQL's initdb is not installed: apt-get install postgresql"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    server = Server.start(binaries)
    yield server
    with contextlib.suppress(AssertionError):
        server.control("stop", "-m", "immediate")
    shutil.rmtree(server.folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a campaign can be kept: each test runs on both."""
    if request.param == "sqlite":
        return str(tmp_path / "lab.db")
    server: Server = request.getfixturevalue("postgres")
    return server.database()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def quick_store(request: pytest.FixtureRequest) -> Iterator[str]:
    """The same without waiting for a disk, where the machine offers memory as a file system."""
    if request.param == "postgres":
        yield request.getfixturevalue("postgres").database()
        return
    memory = Path("/dev/shm")
    folder = memory if memory.is_dir() and os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=folder, prefix="equiwarp-") as place:
        yield str(Path(place) / "lab.db")


@pytest.fixture
def start() -> Iterator[Callable[..., Any]]:
    """Start a child process; whatever is left of them is ended after the test."""
    children = []

    def begin(target: Callable[..., None], *arguments: Any) -> Any:
        child = SPAWN.Process(target=target, args=arguments)
        child.start()
        children.append(child)
        return child

    yield begin
    for child in children:
        if child.is_alive():
            child.kill()
        child.join()
        child.close()
