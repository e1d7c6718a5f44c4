"""The command line: one file per command, or per family of them.

`equiwarp --help` must answer at once, so the group knows its commands by name and loads none of them.
"""

from __future__ import annotations

import atexit
import gc
from importlib import import_module
from typing import Any

import click

from equiwarp.cli.failures import CODES, told_plainly

#: Command -> module:object, in the order in which the help lists them.
COMMANDS: dict[str, str] = {
    "init": "equiwarp.cli.init_check_new:init",
    "check": "equiwarp.cli.init_check_new:check",
    "new": "equiwarp.cli.init_check_new:new",
    "run": "equiwarp.cli.run:run",
    "ask": "equiwarp.cli.ask:ask",
    "tell": "equiwarp.cli.tell_add_amend:tell",
    "fail": "equiwarp.cli.fail_abandon_release:fail",
    "abandon": "equiwarp.cli.fail_abandon_release:abandon",
    "withdraw": "equiwarp.cli.laboratory:withdraw",
    "undo": "equiwarp.cli.laboratory:undo",
    "amend": "equiwarp.cli.tell_add_amend:amend",
    "add": "equiwarp.cli.tell_add_amend:add",
    "release": "equiwarp.cli.fail_abandon_release:release",
    "repeat": "equiwarp.cli.laboratory:repeat",
    "note": "equiwarp.cli.laboratory:note",
    "claim": "equiwarp.cli.laboratory:claim",
    "renew": "equiwarp.cli.laboratory:renew",
    "rename": "equiwarp.cli.change:rename",
    "widen": "equiwarp.cli.change:widen",
    "change": "equiwarp.cli.change:change",
    "status": "equiwarp.cli.status_why:status",
    "why": "equiwarp.cli.status_why:why",
    "map": "equiwarp.cli.map_forecast:map_",
    "forecast": "equiwarp.cli.map_forecast:forecast",
    "plot": "equiwarp.cli.plot:plot",
    "export": "equiwarp.cli.export:export",
    "list": "equiwarp.cli.list_doctor:list_",
    "doctor": "equiwarp.cli.list_doctor:doctor",
    "backup": "equiwarp.cli.backup:backup",
    "restore": "equiwarp.cli.backup:restore",
    "verify": "equiwarp.cli.backup:verify",
    "archive": "equiwarp.cli.backup:archive",
    "import": "equiwarp.cli.backup:import_",
    "report": "equiwarp.cli.report:report",
    "serve": "equiwarp.cli.serve:serve",
    "demo": "equiwarp.cli.demo:demo",
    "bench": "equiwarp.cli.bench:bench",
}


#: What the help says of each command; the commands themselves say more.
SUMMARIES: dict[str, str] = {
    "init": "Write a commented example of a campaign file.",
    "check": "Validate a campaign file: every mistake at once.",
    "new": "Begin the campaign of a campaign file.",
    "run": "Map a simulator: run its command until the map is good.",
    "ask": "The next experiments, as a table or a plate to fill in.",
    "tell": "Values of experiments, one by one or a whole plate.",
    "fail": "An experiment did not work.",
    "abandon": "An experiment will not be done.",
    "withdraw": "Take a value back; it leaves the map.",
    "undo": "Undo the last fail, abandon, release or withdraw.",
    "amend": "Correct a value; the old one stays in the history.",
    "add": "Measurements made earlier or elsewhere.",
    "release": "Make stale pending experiments available again.",
    "repeat": "Measure an experiment again, on purpose.",
    "note": "A note, the sample or the block of an experiment.",
    "claim": "The next experiments for a limited time, for programs.",
    "renew": "Hold a claimed experiment for longer.",
    "rename": "Another name for campaign, parameter or response.",
    "widen": "Move the bounds of a parameter outwards.",
    "change": "Noise, plausible ranges, the stop rule and so on.",
    "status": "Counts, map error, and whether one may stop.",
    "why": "Why an experiment was suggested.",
    "map": "The map's error, or its predictions.",
    "forecast": "The map's expected error after further experiments.",
    "plot": "One figure as a file: map, error, profile, sensitivity.",
    "export": "Experiments or events as CSV, Excel or JSON.",
    "list": "The campaigns of a store.",
    "doctor": "Check a store and say what to do.",
    "backup": "Copy a whole store into one file, and check it.",
    "restore": "Put a copy in the place of a store.",
    "verify": "Check a copy: every page, event and row.",
    "archive": "One campaign with its history as a file of its own.",
    "import": "Take campaigns of another file into this store.",
    "report": "One self-contained HTML file, and figures.",
    "serve": "The page, on this machine.",
    "demo": "Map a simulated experiment three ways.",
    "bench": "Benchmarks: run, table, figures.",
}

# A process that ends need not look for cycles among what its modules hold; that took a seventh of a command.
atexit.register(gc.freeze)


class LazyGroup(click.Group):
    """A group whose commands are imported on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, attribute = COMMANDS[name].split(":")
        return getattr(import_module(module), attribute)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Commands and what they are for, without importing one of them."""
        rows = [(name, SUMMARIES.get(name, "")) for name in COMMANDS]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), meaning) for code, meaning in CODES.items()])
        with formatter.section("Completion of commands, options and campaign names"):
            formatter.write_dl(
                [
                    ("bash", 'eval "$(_EQUIWARP_COMPLETE=bash_source equiwarp)"    in ~/.bashrc'),
                    ("zsh", 'eval "$(_EQUIWARP_COMPLETE=zsh_source equiwarp)"    in ~/.zshrc'),
                    ("fish", "_EQUIWARP_COMPLETE=fish_source equiwarp | source    in config.fish"),
                ]
            )

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Options before the command are read here, apart from those that follow it."""
        with told_plainly(lambda: "--debug" in args):
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with told_plainly(lambda: bool(ctx.meta.get("equiwarp.debug"))):
            return super().invoke(ctx)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="equiwarp")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
@click.pass_context
def main(ctx: click.Context, debug: bool) -> None:
    """Map an unknown function with as few experiments as possible.

    \b
    From a description to a map:
      equiwarp init furnace.toml        describe the experiment
      equiwarp check furnace.toml
      equiwarp new furnace.toml         begin
      equiwarp ask -n 8 --csv plate.csv
      equiwarp tell plate.csv           after filling in the column
      equiwarp status                   how good is the map, may I stop?

    The store is a file, equiwarp.db by default: --store or EQUIWARP_STORE chooses another one.
    """
    if debug:
        ctx.meta["equiwarp.debug"] = True
