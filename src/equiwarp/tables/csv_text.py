"""The many dialects of CSV: which character separates the cells.

``sep=;`` in the first line, as Excel writes it, names the separator; otherwise it is the one that the
line of the header has most of.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from equiwarp.exceptions import TableError
from equiwarp.tables.assembly import MOST_TITLES, Line, assembled
from equiwarp.tables.grid import Table

SEPARATORS = ",;\t"
#: Where each separator is no part of a number.
_OUTSIDE = {",": r"(?<!\d),|,(?!\d)", ";": ";", "\t": "\t"}


def read_csv(text: Iterable[str], source: str) -> Table:
    """The table in the lines of a text."""
    lines = iter(text)
    head: list[str] = []
    for line in lines:
        head.append(line if head else line.removeprefix("\ufeff"))
        if sum(bool(kept.strip()) for kept in head) > MOST_TITLES + 1:
            break
    named = _named(head)
    skipped = 0 if named is None else 1
    head, separator = head[skipped:], named or _likeliest(head)
    reader = csv.reader(chain(head, lines), delimiter=separator, strict=True)
    try:
        table = assembled(source, _placed(reader, skipped))
    except csv.Error as error:
        place = f"{source}, line {reader.line_num + skipped}"
        raise TableError(place, str(error), "not_csv") from None
    return replace(table, separator=separator)


def _named(head: list[str]) -> str | None:
    """The separator that the first line names; None if that line is something else."""
    first = head[0].strip("\r\n ") if head else ""
    return first[4] if first[:4].lower() == "sep=" and first[4:] in tuple(SEPARATORS) else None


def _likeliest(head: list[str]) -> str:
    """The separator that a line of the first few has most of; commas between digits may be decimal ones."""

    def told(separator: str) -> tuple[int, int, int]:
        outside = [len(re.findall(_OUTSIDE[separator], line)) for line in head]
        most = max(outside, default=0)
        anywhere = max((line.count(separator) for line in head), default=0)
        return most, outside.count(most) if most else 0, anywhere

    return max(SEPARATORS, key=told)


def _placed(reader: Iterator[list[str]], skipped: int) -> Iterator[Line]:
    """Rows with the line that each starts on, as an editor counts it: a quoted cell may span several."""
    line = skipped
    for cells in reader:
        yield line + 1, cells
        line = skipped + reader.line_num  # type: ignore[attr-defined]
