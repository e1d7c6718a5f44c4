"""What the page's tests share: a small campaign, the application with a client, a server, a browser."""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the page needs the extra web")

with warnings.catch_warnings():  # newer Starlette prefers a successor of httpx
    warnings.simplefilter("ignore")
    from fastapi.testclient import TestClient

from equiwarp import Box, Campaign, StopRule
from equiwarp.spec import CampaignSpec, Response
from equiwarp.web.app import create_app
from equiwarp.web.security import Gate, hosts_for

HOST = "127.0.0.1:8765"
CHROMIUM = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
RUN = "from equiwarp.cli import main; main()"


def small(name: str = "furnace", **changes: Any) -> CampaignSpec:
    """Two parameters, one response, a short start: fits in a moment."""
    box = Box({"temperature": {"low": 20, "high": 90, "unit": "°C"}, "pH": (3, 9)})
    spec: dict[str, Any] = {
        "responses": (Response("yield", "%", 0.05),),
        "n0": 6,
        "stop": StopRule(error=0.01),
    }
    return CampaignSpec(name, box, **{**spec, **changes})


def value_of(point: dict[str, float]) -> float:
    """What the simulated bench measures."""
    t, ph = point["temperature"], point["pH"]
    return round(((t - 55) / 20) ** 2 - (ph - 6) / 2 + 3, 4)


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "lab.db")


@pytest.fixture
def campaign(store: str) -> Iterator[Campaign]:
    """A campaign with five values and one pending experiment."""
    with Campaign.from_spec(small(), store=store, who="anna") as made:
        for e in made.ask(6)[:5]:
            made.tell(e.id, value_of(e.point))
        yield made


@pytest.fixture
def client(store: str) -> Iterator[TestClient]:
    """A browser without script, on the machine's own address."""
    app = create_app(store, Gate(hosts_for(["127.0.0.1"], 8765)))
    with TestClient(app, base_url=f"http://{HOST}", headers={"origin": f"http://{HOST}"}) as made:
        yield made


class Server:
    """`equiwarp serve` in a process of its own."""

    def __init__(self, store: str, folder: Path, *options: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "serve.log"
        command = [
            sys.executable,
            "-c",
            "from equiwarp.cli import main; main()",
            "serve",
            "--store",
            store,
            "--no-browser",
        ]
        command += ["--port", str(self.port), *options]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if "Ctrl-C" in self.log.read_text():
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError(f"the server did not start: {self.log.read_text()}")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


@pytest.fixture
def server(store: str, tmp_path: Path) -> Iterator[Server]:
    running = Server(store, tmp_path)
    yield running
    running.stop()


def needed(module: str, program: str | None = None) -> str:
    """A module and perhaps a program. Without it a test is skipped, and fails where CI promises it."""
    found = importlib.util.find_spec(module) is not None
    reason = f"{module} is not installed; the extra test has it"
    path = shutil.which(program) if program else ""
    if found and path is None:
        found, reason = False, f"no {program} on this machine; tools/ci-browser.sh installs it"
    if not found:
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return path or ""
