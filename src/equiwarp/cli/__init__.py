"""The command line. One file a command (or a family of them), imported when it is called.

`equiwarp --help` must answer at once, so the group knows its commands by name and loads none of them.
"""

from __future__ import annotations

from importlib import import_module

import click

#: Command -> module:object, in the order in which the help lists them.
COMMANDS: dict[str, str] = {
    "demo": "equiwarp.cli.demo:demo",
    "bench": "equiwarp.cli.bench:bench",
}


class LazyGroup(click.Group):
    """A group whose commands are imported on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, attribute = COMMANDS[name].split(":")
        return getattr(import_module(module), attribute)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="equiwarp")
def main() -> None:
    """Map an unknown function with as few experiments as possible."""
