"""Where a result comes from: versions, and the commit where the package lies in a repository."""

from __future__ import annotations

import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def provenance() -> dict[str, str]:
    """Versions, commit (empty if unknown) and the time."""
    return {**_fixed(), "date": datetime.now(UTC).isoformat(timespec="seconds")}


@cache
def _fixed() -> dict[str, str]:
    found = {"python": platform.python_version(), "commit": _commit()}
    for package in ("equiwarp", "numpy", "scipy", "scikit-learn"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = ""
    return found


def _commit() -> str:
    try:
        answer = subprocess.run(
            # No tag names, and "-dirty" where tracked files differ from the commit.
            ["git", "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""
