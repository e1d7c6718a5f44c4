"""From exceptions to one line on standard error and an exit code that scripts can use.

Whatever ends a command is said the same way, a wrong option as much as a wrong value: ``error: ...``.
"""

from __future__ import annotations

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
        except (click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except click.ClickException as error:
            _show_click(error)
            raise click.exceptions.Exit(error.exit_code) from None
        except Exception as error:
            debug = debugging()
            if debug:
                import traceback

                traceback.print_exc()
            code = code_of(error)
            say_error(_words_of(error) if code != INTERNAL else f"{type(error).__name__}: {error}")
            if code == INTERNAL and not debug:
                click.echo(
                    "This is a fault in equiwarp. Repeat the command with --debug and report it.", err=True
                )
            raise click.exceptions.Exit(code) from None


def code_of(error: Exception) -> int:
    """The exit code of an exception: its class knows it; what is not ours is a fault."""
    if isinstance(error, EquiwarpError):
        return error.exit_code
    return WRONG_INPUT if isinstance(error, OSError) or _lacks_letter(error) else INTERNAL


def _lacks_letter(error: Exception) -> bool:
    """Whether standard output has no code for a letter; UTF-8 has one for each."""
    return isinstance(error, UnicodeEncodeError) and error.encoding != "utf-8"


def lacking_letter(error: UnicodeEncodeError) -> str:
    """What to do about a letter that standard output cannot hold."""
    letter = error.object[error.start]
    return (
        f"standard output is {error.encoding}, which has no {letter!a}: set PYTHONIOENCODING=utf-8, or have "
        "a file written"
    )


def _words_of(error: Exception) -> str:
    """What an error says that is no fault of ours."""
    return lacking_letter(error) if isinstance(error, UnicodeEncodeError) else str(error)


def say_error(message: str) -> None:
    """What ended the command."""
    click.echo(f"error: {message}", err=True)


def _show_click(error: click.ClickException) -> None:
    """What click found: how the command is used, and the error in our words for one."""
    if isinstance(error, _asks_for_help()):
        error.show()
        return
    if isinstance(error, click.UsageError) and error.ctx is not None:
        click.echo(error.ctx.get_usage(), err=True)
        click.echo(f"Try '{error.ctx.command_path} --help' for help.\n", err=True)
    say_error(error.format_message())


def _asks_for_help() -> tuple[type[click.ClickException], ...]:
    """What newer versions of click raise for a group without a command: its message is the help."""
    kind = getattr(click.exceptions, "NoArgsIsHelpError", None)
    return () if kind is None else (kind,)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    click.echo(f"warning: {message}", err=True)
