"""HTML for notebooks and reports: tables and lists, all escaped, and nothing loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any


def table(columns: Sequence[tuple[str, Sequence[Any]]], caption: str = "") -> str:
    """A table of equally long columns; numbers to six digits, None and NaN as empty cells."""
    head = "".join(f"<th>{escape(str(name))}</th>" for name, _ in columns)
    rows = zip(*(values for _, values in columns), strict=True)
    body = "".join("<tr>" + "".join(f"<td>{cell(v)}</td>" for v in row) + "</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def cell(value: Any) -> str:
    """One value, escaped."""
    if value is None or value != value:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else escape(str(value))


def notes(lines: Iterable[str]) -> str:
    """A list of remarks; nothing if there are none."""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""


def heading(text: str) -> str:
    return f"<strong>{escape(text)}</strong>"


def counted(counts: Mapping[str, int]) -> str:
    """How many experiments are in each state, in plain text: "3 done, 1 pending"."""
    return ", ".join(f"{n} {state}" for state, n in counts.items() if n) or "nothing yet"
