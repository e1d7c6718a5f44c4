"""Results as CSV, the one format they are kept in: a record a line, an empty field for what is not known."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def none_if_nan(value: float) -> float | None:
    """The number, or None for NaN: how a record says that something is not known."""
    return None if math.isnan(value) else value


def csv_text(records: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None) -> str:
    """Header and lines; the columns are those of the first record unless given."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(records[0] if columns is None else columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def write_records(path: Path, records: Sequence[Mapping[str, Any]], digits: int | None = None) -> None:
    """Write a file, its numbers rounded if ``digits`` says so; nothing is written for no records."""
    if not records:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if digits is not None:
        records = [
            {key: round(v, digits) if isinstance(v, float) else v for key, v in one.items()}
            for one in records
        ]
    path.write_text(csv_text(records), encoding="utf-8")


@contextmanager
def appended(path: Path, columns: Sequence[str]) -> Iterator[Callable[[Iterable[Mapping[str, Any]]], None]]:
    """A way to append records to a file, each kept at once: who is stopped goes on from there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(columns), lineterminator="\n")
        if file.tell() == 0:
            writer.writeheader()

        def append(records: Iterable[Mapping[str, Any]]) -> None:
            writer.writerows(records)
            file.flush()

        yield append


def read_records(path: Path) -> list[dict[str, Any]]:
    """The records of a file, with numbers as numbers and None for empty fields."""
    with path.open(encoding="utf-8", newline="") as file:
        return [{key: _value(text) for key, text in line.items()} for line in csv.DictReader(file)]


def kept_records(path: Path) -> list[dict[str, Any]]:
    """The records of a file; none where there is no file yet."""
    return read_records(path) if path.exists() else []


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text or None
