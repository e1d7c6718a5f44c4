"""How answers are written: an aligned table for people, JSON and CSV for programs."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from equiwarp._util.plain import plain
from equiwarp.cli.failures import lacking_letter
from equiwarp.exceptions import InvalidInput

if TYPE_CHECKING:
    from equiwarp.campaign import Campaign
    from equiwarp.campaign.experiment import Experiment

Row = Mapping[str, Any]


def emit(
    rows: Sequence[Row], form: str, columns: Sequence[str] | None = None, file: TextIO | None = None
) -> None:
    """Write rows as a table, as JSON (a list of objects) or as CSV, to standard output by default."""
    names = list(columns if columns is not None else dict.fromkeys(k for row in rows for k in row))
    if form == "json":
        say_json([{name: row.get(name) for name in names} for row in rows], file)
    elif form == "csv":
        from equiwarp.tables.table import write_table

        write_table(file or standard_output(), names, rows)
    else:
        click.echo(table_of(rows, names), file=file or standard_output())


def say_json(data: Any, file: TextIO | None = None) -> None:
    """JSON that every parser accepts: NaN and infinities become null."""
    click.echo(
        json.dumps(plain(data), indent=2, ensure_ascii=False, allow_nan=False), file=file or standard_output()
    )


def standard_output() -> TextIO:
    """Where answers go; refused if whoever started the program has closed it."""
    found: TextIO | None = sys.stdout
    if found is None:
        raise InvalidInput("standard output is closed, so nobody can read the answer; leave it open")
    return found


@contextmanager
def draft_of(out: Path) -> Iterator[Path]:
    """Where to write a file that is to appear whole or not at all.

    A link goes on pointing to its file, and a device or a pipe is written to: no file takes their place.
    """
    if out.exists() and not out.is_file():
        yield out
        return
    target = out.resolve()
    draft = target.with_name(f".{target.name}.part")
    try:
        yield draft
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def written(out: Path | None) -> Iterator[TextIO]:
    """A file that appears whole or not at all; standard output if there is none."""
    if out is None:
        yield standard_output()
        return
    with draft_of(out) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        yield file
    click.echo(f"Wrote {out}.")


@contextmanager
def released_unless_written(c: Campaign, experiments: list[Experiment]) -> Iterator[None]:
    """What nobody has been shown must not stay pending."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, UnicodeEncodeError, InvalidInput) as error:
        c.release(ids=[e.id for e in experiments])
        _drop_output()
        raise InvalidInput(
            f"the answer could not be written ({_why_not(error)}); the experiments were released again"
        ) from None


def _why_not(error: Exception) -> str:
    """Why something could not be written, and what to do."""
    if isinstance(error, UnicodeEncodeError):
        return lacking_letter(error)
    if isinstance(error, OSError):
        return f"{error.strerror or error}: make room, and repeat it"
    return str(error)


def _drop_output() -> None:
    """What waits in the buffer would fail once more when the program ends."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def table_of(rows: Sequence[Row], names: Sequence[str]) -> str:
    """Columns aligned, numbers to the right; control characters cannot disturb the terminal."""
    cells = [[cell(row.get(name)) for name in names] for row in rows]
    numeric = [any(_is_number(r.get(n)) for r in rows) for n in names]
    widths = [max(map(len, (name, *(line[j] for line in cells)))) for j, name in enumerate(names)]

    def line(parts: Sequence[str]) -> str:
        padded = (
            part.rjust(width) if number else part.ljust(width)
            for part, width, number in zip(parts, widths, numeric, strict=True)
        )
        return "  ".join(padded).rstrip()

    return "\n".join([line([str(n) for n in names]), *(line(parts) for parts in cells)])


def cell(value: Any) -> str:
    """A value for people: six digits are enough to read, exports have them all."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    text = json.dumps(plain(value), ensure_ascii=False) if isinstance(value, dict | list) else str(value)
    first, _, more = text.strip().partition("\n")  # of a traceback, the line that says what happened
    return "".join(c if c.isprintable() else " " for c in first + (" ..." if more else ""))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def say_findings(findings: Sequence[Row]) -> None:
    """What a map says about its data, for people: one paragraph each, below the answer."""
    for found in findings:
        click.echo(f"\n! {cell(found['sentence'] + ' ' + found['advice'])}")


def note(message: str) -> None:
    """For people, beside the answer: standard error, so that pipes stay clean."""
    click.echo(message, err=True)
