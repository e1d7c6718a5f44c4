"""A new Python process, as a user starts one: in an empty folder that is its home."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import equiwarp

#: Where the package under test lies, whatever is installed beside it.
SOURCE = str(Path(equiwarp.__file__).parents[1])


def start(arguments, folder, *paths, **environment):
    """The finished process ``python ARGUMENTS``; ``paths`` come first where modules are looked for."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env={
            "HOME": str(folder),
            "PATH": "",
            "OPENBLAS_NUM_THREADS": "1",
            "EQUIWARP_CACHE": os.environ.get("EQUIWARP_CACHE", ""),
            "PYTHONPATH": os.pathsep.join([*map(str, paths), SOURCE]),
            **environment,
        },
        check=False,
    )


def fresh(code, folder, *paths, **environment):
    """What the code prints as JSON."""
    done = start(["-c", code], folder, *paths, **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
