"""``Command``: a simulator that is a program. One folder an experiment, values from what the program leaves.

No shell is involved: the command is split into words once, and a value can only ever be a part of one word.
Each experiment has a folder with ``inputs.json``, ``command.txt``, ``stdout.txt``, ``stderr.txt`` and
whatever the program writes there.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equiwarp.runner.function import TellingFailure
from equiwarp.runner.processes import PROGRAM
from equiwarp.runner.values import value_of_text

#: The exit code by which a program says that it may succeed another time (sysexits.h).
TEMPORARY_FAILURE = 75
#: Lines of standard error that are kept with a failure.
LAST_LINES = 20


class TryAgainLater(OSError):  # noqa: N818  (what the exit code says)
    """The program says that it may succeed another time."""


@dataclass(frozen=True)
class Command:
    """A program that computes one experiment.

    Attributes
    ----------
    words : tuple of str
        The command, with placeholders in braces, checked by ``placeholders.read_command``.
    source : str
        Where the value is: "stdout", "exit-code", or a file with placeholders.
    folders : str
        Where the folders of the experiments are made, an absolute path.
    directory : str
        Where the program runs.
    responses : tuple of str
        Taken from JSON objects by name.
    timeout : float or None
        Seconds that it may take.
    """

    words: tuple[str, ...]
    source: str
    folders: str
    directory: str
    responses: tuple[str, ...]
    timeout: float | None = None

    def __call__(self, id: int, point: Mapping[str, float | str]) -> Any:
        folder = new_folder(Path(self.folders), id)
        filled = {**point, "id": id, "folder": str(folder)}
        words = [word.format_map(filled) for word in self.words]
        (folder / "inputs.json").write_text(json.dumps({"id": id, **point}, indent=1), encoding="utf-8")
        (folder / "command.txt").write_text(shlex.join(words) + "\n", encoding="utf-8")
        code = self._run(words, folder)
        if code < 0:  # nothing that the program said
            said = _tail(folder / "stderr.txt")
            raise TellingFailure(f"ended by signal {-code}, see {folder}\n\n{said}".rstrip())
        if self.source == "exit-code":
            return code
        if code == TEMPORARY_FAILURE:
            raise TryAgainLater(f"exit code {code}, see {folder}")
        if code != 0:
            raise TellingFailure(f"exit code {code}, see {folder}\n\n{_tail(folder / 'stderr.txt')}".rstrip())
        return self._value(folder, filled)

    def _run(self, words: list[str], folder: Path) -> int:
        with (folder / "stdout.txt").open("wb") as out, (folder / "stderr.txt").open("wb") as err:
            # In a worker of our pool the program belongs to the worker's group, which is ended as a whole.
            apart = not hasattr(os, "getpgrp") or not _in_our_worker()
            process = subprocess.Popen(
                words,
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=apart,
            )
            try:
                # There, time is the run's to watch: it ends all that the program started, too.
                return process.wait(self.timeout if apart else None)
            except subprocess.TimeoutExpired:
                raise TellingFailure(f"no value within {self.timeout:g} s, see {folder}") from None
            finally:
                if process.poll() is None:
                    _end(process, apart)

    def _value(self, folder: Path, filled: Mapping[str, Any]) -> Any:
        if self.source == "stdout":
            lines = [line for line in _read(folder / "stdout.txt").splitlines() if line.strip()]
            return value_of_text(
                lines[-1] if lines else "", self.responses, f"{folder / 'stdout.txt'}, last line"
            )
        file = Path(self.directory, self.source.format_map(filled))
        if not file.is_file():
            raise TellingFailure(f"the program wrote no {file}\n\n{_tail(folder / 'stderr.txt')}".rstrip())
        return value_of_text(_read(file), self.responses, str(file))


def new_folder(folders: Path, id: int) -> Path:
    """A folder of its own for each attempt: ``000012``, then ``000012-2``."""
    for attempt in range(1, 10_000):
        folder = folders / (f"{id:06d}" if attempt == 1 else f"{id:06d}-{attempt}")
        with contextlib.suppress(FileExistsError):
            folder.mkdir(parents=True)
            return folder
    raise TellingFailure(f"{folders} has 9,999 folders of experiment {id}; remove some")


def _in_our_worker() -> bool:
    """Whether this is a process of :class:`ProcessPool`. A worker of a cluster may lead a group as well."""
    return Path(getattr(sys.modules["__main__"], "__file__", None) or "").name == PROGRAM.name


def _end(process: subprocess.Popen[bytes], apart: bool) -> None:
    with contextlib.suppress(ProcessLookupError):
        if apart and hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _tail(file: Path) -> str:
    return "\n".join(_read(file).splitlines()[-LAST_LINES:])
