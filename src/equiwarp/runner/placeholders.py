"""Placeholders of a command, checked before it starts: ``{temperature}``, ``{pH:.2f}``, ``{folder}``."""

from __future__ import annotations

import shlex
import shutil
import string
from collections.abc import Iterable, Sequence
from pathlib import Path

from equiwarp.exceptions import InvalidInput

#: What every command may use beside the parameters.
OURS = ("folder", "id")


def read_command(command: str, names: Sequence[str]) -> tuple[str, ...]:
    """The words of a command whose placeholders are those of the domain, every parameter passed on.

    Raises
    ------
    InvalidInput
        Quotes do not match, a placeholder is unknown or malformed, a parameter is not passed on, or there is
        no such program.
    """
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise InvalidInput(f"command {command!r}: {error}") from None
    if not words:
        raise InvalidInput("the command is empty; give a program and its arguments")
    clash = sorted(set(names) & set(OURS))
    if clash:
        raise InvalidInput(f"{clash[0]!r} is the experiment's own word in commands; rename the parameter")
    used = set[str]().union(*(check_placeholders(word, names, "command") for word in words))
    unused = [name for name in names if name not in used]
    if unused and "folder" not in used:
        raise InvalidInput(
            f"the command does not pass on {', '.join(unused)}: write {{{unused[0]}}} where its value "
            "belongs, or let the program read {folder}/inputs.json"
        )
    if "{" not in words[0] and shutil.which(words[0]) is None and not Path(words[0]).is_file():
        raise InvalidInput(f"there is no program {words[0]!r}; check the name and the path")
    return words


def check_placeholders(template: str, names: Iterable[str], what: str) -> set[str]:
    """The placeholders of one word; each must be known and take a number."""
    known = [*names, *OURS]
    try:
        fields = [field for _, field, _, _ in string.Formatter().parse(template) if field is not None]
    except ValueError as error:
        raise InvalidInput(
            f"{what}, {template!r}: {error}; a name with blanks needs quotes, a brace itself is {{{{"
        ) from None
    for field in fields:
        if field not in known:
            raise InvalidInput(f"{what}: unknown placeholder {{{field}}}; known are {', '.join(known)}")
    try:
        template.format_map({**dict.fromkeys(known, 0.5), "id": 1, "folder": "folder"})
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise InvalidInput(f"{what}, {template!r}: {error}") from None
    return set(fields)
