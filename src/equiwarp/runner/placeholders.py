"""Placeholders of a command, checked before it starts: ``{temperature}``, ``{pH:.2f}``, ``{folder}``."""

from __future__ import annotations

import shlex
import shutil
import string
from collections.abc import Mapping, Sequence
from pathlib import Path

from equiwarp._util.text import listed
from equiwarp.exceptions import InvalidInput

#: What every command may use beside the parameters.
OURS = ("folder", "id")
#: What ends the name in a placeholder, or begins something else.
NO_PLACEHOLDER = ".[]:!{}"
#: Programs that read a word of theirs as a script.
SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "fish")


def read_command(
    command: str, example: Mapping[str, float | str], folders: str = "folder"
) -> tuple[str, ...]:
    """The words of a command whose placeholders are those of the domain, every parameter passed on.

    ``example`` is an experiment as one of the domain, ``folders`` where the folders of experiments are made.

    Raises
    ------
    InvalidInput
        Quotes do not match, a placeholder is unknown or malformed, a parameter is not passed on, text would
        become a part of a shell's script, or there is no such program.
    """
    names = list(example)
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise InvalidInput(f"command {command!r}: {error}") from None
    if not words:
        raise InvalidInput("the command is empty; give a program and its arguments")
    clash = sorted(set(names) & set(OURS))
    if clash:
        raise InvalidInput(f"{clash[0]!r} is the experiment's own word in commands; rename the parameter")
    used = set[str]().union(*(check_placeholders(word, example, "command") for word in words))
    unused = [name for name in names if name not in used]
    if unused and "folder" not in used:
        raise InvalidInput(
            f"the command does not pass on {', '.join(unused)}: write {{{unused[0]}}} where its value "
            "belongs, or let the program read {folder}/inputs.json"
        )
    _check_scripts(words, example, folders)
    if "{" not in words[0] and shutil.which(words[0]) is None and not Path(words[0]).is_file():
        raise InvalidInput(f"there is no program {words[0]!r}; check the name and the path")
    return words


def check_placeholders(template: str, example: Mapping[str, float | str], what: str) -> set[str]:
    """The placeholders of one word; each must be known and take a value like that of the example."""
    values = {**example, "folder": "folder", "id": 1}
    for name in example:
        found = sorted(set(name) & set(NO_PLACEHOLDER))
        if found and f"{{{name}" in template:
            raise InvalidInput(
                f"{what}: {name!r} cannot stand in braces, because of {listed(found)}; rename the parameter, "
                "or let the program read {folder}/inputs.json"
            )
    try:
        fields = [field for _, field, _, _ in string.Formatter().parse(template) if field is not None]
    except ValueError as error:
        raise InvalidInput(
            f"{what}, {template!r}: {error}; a name with blanks needs quotes, a brace itself is {{{{"
        ) from None
    for field in fields:
        if field not in values:
            raise InvalidInput(f"{what}: unknown placeholder {{{field}}}; known are {', '.join(values)}")
    try:
        template.format_map(values)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise InvalidInput(f"{what}, {template!r}: {error}") from None
    return set(fields)


def _check_scripts(words: Sequence[str], example: Mapping[str, float | str], folders: str) -> None:
    """Text within the script of a shell would be read as commands; numbers cannot be."""
    texts = {name for name, value in example.items() if isinstance(value, str)}
    if shlex.quote(folders) != folders:
        texts.add("folder")
    for program, option, script in zip(words, words[1:], words[2:], strict=False):
        if Path(program).name in SHELLS and option.startswith("-") and "c" in option:
            for name in sorted(check_placeholders(script, example, "command") & texts):
                raise InvalidInput(
                    f"command: {{{name}}} stands within a script, where {program} would read its text as "
                    f"commands; pass it on as an argument: {program} {option} 'solve \"$1\"' {program} "
                    f"{{{name}}}"
                )
