"""One cell: a number that people typed, a yes or no, and text that no spreadsheet runs.

Spreadsheets of half the world write 1,5 for one and a half, others separate thousands that way. Which of
them wrote a table, :mod:`equiwarp.tables.decimals` tells; a cell that may still be both is never guessed but
refused with its place. The same goes for text, NaN, infinities and formulas. What we
write is safe to open in a spreadsheet: a text cell that would be run as a formula is preceded by an
apostrophe.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from equiwarp._util.arguments import LARGEST as LARGEST
from equiwarp.exceptions import TableError

#: What people write into a cell that has no value.
BLANK = frozenset({"", "-", "--", "–", "—", "n/a", "na", "n.a.", "#n/a", "none", "null"})
#: What they write before a limit: the value lies below or above it.
LIMIT_SIGNS = ("<", ">")
#: The same signs as they print them, and how we write them.
_TYPESET = str.maketrans({"≤": "<", "≥": ">", "⩽": "<", "⩾": ">"})
#: What they write for a value that is too small to be seen, without saying what could have been.
_NOT_DETECTED = frozenset({"n.d.", "n.d", "nd", "n. d.", "n.n.", "lod", "bdl", "b.d.l.", "not detected"})
#: What they answer to a question such as "failed?", also in German, French, Spanish and Italian; a
#: spreadsheet writes its own WAHR, FAUX or VERDADERO.
YES = frozenset({"yes", "y", "true", "t", "1", "x", "failed"}) | frozenset(
    {"ja", "j", "wahr", "oui", "vrai", "sí", "si", "sì", "verdadero", "vero"}
)
NO = (
    frozenset({"no", "n", "false", "f", "0", "ok"})
    | frozenset({"nein", "falsch", "non", "faux", "falso"})
    | BLANK
)
_DECIMAL = {mark: re.compile(rf"[+-]?\d*{re.escape(mark)}\d+([eE][+-]?\d+)?") for mark in ".,"}
#: Numbers whose only mark is followed by three digits: thousands, or a number below one thousand.
_ONE_THOUSAND = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")
#: Numbers that certainly have thousands separators: several, or one and a decimal mark of the other kind.
_THOUSANDS = re.compile(
    r"[+-]?[1-9]\d{0,2}(?:(?:\.\d{3}){2,}(?:,\d*)?|(?:,\d{3}){2,}(?:\.\d*)?|\.\d{3},\d*|,\d{3}\.\d*)"
)
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
#: Characters that make a spreadsheet run a cell.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\n")


def is_blank(text: str) -> bool:
    """Whether a cell says that there is no value: it is empty, ``n/a``, ``-`` and the like."""
    return text.casefold() in BLANK


def has_decimal(text: str, mark: str) -> bool:
    """Whether a cell is a number with this decimal mark, a point or a comma, or could be one."""
    return _DECIMAL[mark].fullmatch(text) is not None


def may_be_thousands(text: str) -> bool:
    """Whether the point or comma of a number may as well separate thousands: 1.234 or 12,345, not 0.125."""
    return _ONE_THOUSAND.fullmatch(text) is not None


def with_plain_sign(text: str) -> str:
    """A text whose limit has the sign that we write: ``<5`` for ``≤5``."""
    return text[:1].translate(_TYPESET) + text[1:]


def without_limit(text: str) -> str:
    """A cell without the sign of a limit before its number."""
    return with_plain_sign(text).lstrip("<>= ")


def read_number(text: str, place: str = "", decimal: str = ".") -> float:
    """A finite number, or a :class:`TableError` that says what to write instead.

    With ``decimal=","`` a comma is a decimal one, too; a point stays what it is unless it may as well
    separate thousands.
    """
    if decimal == "," and "." in text and may_be_thousands(text):
        remedy = (
            f"write {text.replace('.', '')} without points, or {text.replace('.', ',')} with a decimal comma"
        )
        said = f"{text!r} is ambiguous in a table with decimal commas"
        raise TableError(place, said, "decimal_comma", remedy)
    plain = text.replace(",", ".") if decimal == "," and has_decimal(text, ",") else text
    try:
        value = float(plain)
    except ValueError:
        raise _not_a_number(text, place, decimal) from None
    # float() accepts underscores and foreign digits, which no instrument writes on purpose.
    if "_" in text or not text.isascii():
        raise TableError(place, f"{text!r} is not a number", "not_a_number")
    if not math.isfinite(value):
        reason = "too large" if "e" in text.lower() and "inf" not in text.lower() else "not a finite number"
        remedy = "leave the cell empty or mark the experiment as failed"
        raise TableError(place, f"{text!r} is {reason}", "not_finite", remedy)
    return value


def _not_a_number(text: str, place: str, decimal: str) -> TableError:
    if is_blank(text):
        said = f"the cell is empty ({text})" if text else "the cell is empty"
        return TableError(place, said, "empty")
    if text.casefold() in _NOT_DETECTED:
        remedy = "write <LIMIT for below the detection limit, or leave the cell empty"
        return TableError(place, f"{text!r} is not a number", "not_a_number", remedy)
    if text[0] in "=@" or (text[0] in "+-" and len(text) > 1 and not text[1:2].isdigit()):
        remedy = "export values, not formulas"
        return TableError(place, f"{text!r} is a formula, not a number", "formula", remedy)
    if _THOUSANDS.fullmatch(text):
        separator = min(".,", key=lambda mark: text.find(mark) % len(text))
        plain = text.replace(separator, "").replace(",", decimal).replace(".", decimal)
        remedy = f"write {plain} without thousands separators"
        return TableError(place, f"{text!r} has thousands separators", "decimal_comma", remedy)
    if text.count(",") == 1 and text.replace(",", "").replace("-", "").isdigit():
        plain = f"{text.replace(',', '')} if the comma separates thousands, else " * may_be_thousands(text)
        remedy = f"write {plain}{text.replace(',', '.')} with a decimal point"
        return TableError(place, f"{text!r} is ambiguous", "decimal_comma", remedy)
    return TableError(place, f"{text!r} is not a number", "not_a_number")


def read_reason(text: str, place: str) -> str | None:
    """Whether an experiment failed and why: None if it did not, empty if it did without a reason.

    A cell says yes, no, nothing, or the reason in words. A number is none of these: somebody typed it
    into the wrong column.
    """
    if text.casefold() in NO:
        return None
    if text.casefold() in YES:
        return ""
    try:
        float(text.replace(",", "."))
    except ValueError:
        return text
    remedy = "write yes, no or the reason in words; a value belongs into the column of its response"
    raise TableError(place, f"{text!r} does not say whether the experiment failed", "not_a_reason", remedy)


def number_or_limit(text: str, place: str = "") -> float | str:
    """A finite number, or the text of a limit such as ``<0.5`` or ``>90``."""
    text = with_plain_sign(text)
    if not text.startswith(LIMIT_SIGNS):
        return read_number(text, place)
    read_number(text[1:].removeprefix("=").strip(), place)
    return text


def read_measured(text: str, place: str, decimal: str = ".") -> float:
    """A measured value: a finite number of a size that can be squared."""
    return usable(read_number(text, place, decimal), place)


def usable(value: float, place: str) -> float:
    """The value itself; refused if its square would leave the range of double precision."""
    if abs(value) > LARGEST:
        raise TableError(place, f"{value:g} is beyond ±{LARGEST:g}", "too_large", "use a larger unit")
    return value


def safe_text(value: Any) -> str:
    """A value as text: numbers in full precision, nested data as JSON, no characters that tables refuse."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float | np.floating):
        return repr(float(value))
    if isinstance(value, Mapping | list):
        return json.dumps(value, ensure_ascii=False)
    # A lone carriage return ends a line for some readers and not for others.
    text = str(value).replace("\r\n", "\n").replace("\r", "\n")
    return _UNPRINTABLE.sub(" ", text)


def safe_cell(value: Any) -> str:
    """A cell of a CSV as text, so that no spreadsheet runs it."""
    text = safe_text(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(FORMULA_STARTS) else text


def without_guard(name: str) -> str:
    """A header cell without the apostrophe of :func:`safe_cell`."""
    return name[1:] if name[:1] == "'" and name[1:].startswith(FORMULA_STARTS) else name
