"""What a stranger does first with an installed equiwarp: run in the clean environment of `make release`.

python try_wheel.py core   # no extra: the demo, a campaign from the command line, a map
python try_wheel.py page   # with [web,excel]: a plate in Excel, and the page over HTTP
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

EQUIWARP = str(Path(sys.executable).with_name("equiwarp"))
os.environ["EQUIWARP_CACHE"] = str(Path("cache").resolve())


def run(*words: str) -> str:
    """One command of ours; what it prints."""
    return subprocess.run([EQUIWARP, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def core() -> None:
    """Without any extra."""
    import equiwarp as ew

    assert Path(ew.__file__).is_relative_to(sys.prefix), f"imported from {ew.__file__}, not from the wheel"
    assert ew.__version__ in run("--version")
    assert "Figure: demo.png" in run("demo", "--budget", "24")
    assert Path("demo.png").stat().st_size > 10_000
    run("init", "furnace.toml")
    run("new", "furnace.toml", "--store", "furnace.db")
    asked = json.loads(run("ask", "-n", "6", "--format", "json", "--store", "furnace.db"))
    assert len(asked) == 6, asked
    box = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
    x = [[25, 4.0], [40, 8.0], [55, 5.5], [70, 7.0], [85, 3.5]]
    assert ew.build_map(box, x, [0.12, 0.15, 0.83, 0.21, 0.40], noise=0.05).error()[0].value > 0


def page() -> None:
    """With the extras for the page and for Excel."""
    run("ask", "-n", "2", "--plate", "plate.xlsx", "--store", "furnace.db")
    assert Path("plate.xlsx").read_bytes()[:2] == b"PK"
    command = [EQUIWARP, "serve", "--store", "furnace.db", "--port", "0", "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        with urllib.request.urlopen(address, timeout=60) as answer:
            text = answer.read().decode()
        assert "furnace" in text, text[:500]
    finally:
        server.terminate()
        server.wait(timeout=60)


if __name__ == "__main__":
    {"core": core, "page": page}[sys.argv[1]]()
    print(f"{sys.argv[1]}: works")
