"""From exceptions to one line on standard error and an exit code that scripts can use."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

import click

from equiwarp.exceptions import CONFLICT, STORE, WRONG_INPUT, EquiwarpError

#: Exit codes, as the help lists them.
USAGE, INTERNAL = 2, 70
CODES = {
    0: "done",
    WRONG_INPUT: "a value, a file or a request is wrong; nothing was changed",
    USAGE: "the command line itself is wrong",
    CONFLICT: "it contradicts what the campaign knows (another value, another description)",
    STORE: "the store is missing, busy, full, damaged, newer or unreachable",
    INTERNAL: "a fault in equiwarp: repeat it with --debug and report it",
}


@contextmanager
def told_plainly(debugging: Callable[[], bool]) -> Iterator[None]:
    """Run a command; tracebacks are shown if ``debugging()`` says so once its options are known."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        for meant_for_developers in (DeprecationWarning, PendingDeprecationWarning, ResourceWarning):
            warnings.simplefilter("ignore", meant_for_developers)
        warnings.showwarning = _show_warning
        try:
            yield
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:
            debug = debugging()
            if debug:
                traceback.print_exc()
            code = code_of(error)
            head = "error" if code != INTERNAL else f"internal error ({type(error).__name__})"
            click.echo(f"{head}: {error}", err=True)
            if code == INTERNAL and not debug:
                click.echo(
                    "This is a fault in equiwarp. Repeat the command with --debug and report it.", err=True
                )
            raise click.exceptions.Exit(code) from None


def code_of(error: Exception) -> int:
    """The exit code of an exception: its class knows it; what is not ours is a fault."""
    if isinstance(error, EquiwarpError):
        return error.exit_code
    return WRONG_INPUT if isinstance(error, OSError) else INTERNAL


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    click.echo(f"warning: {message}", err=True)
