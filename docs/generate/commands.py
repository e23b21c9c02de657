"""The help of every command: the text that `--help` prints, and the page of the documentation with all of it.

`python docs/generate/commands.py` writes harness/cli/help.txt. A test compares it with what the commands say.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from datc.harness.cli.group import cli

HELP = Path(__file__).parents[2] / "harness" / "cli" / "help.txt"
_WIDTH = 78
"""Of a terminal with 80 columns, as click takes it."""
_NAMES = ["-h", "--help"]


def commands_page() -> str:
    """The help of every command and subcommand."""
    lines = ["# The commands", "", "The output of `--help` for each command."]
    for context in _contexts():
        level = "##" if context.parent is None or context.parent.parent is None else "###"
        lines += ["", f"{level} {context.command_path}", "", "```text", context.get_help(), "```"]
    return "\n".join(lines) + "\n"


def help_texts() -> str:
    """The help of every command as `--help` prints it at 80 columns, with a form feed after each."""
    return "".join(f"{context.get_help()}\n\f\n" for context in _contexts())


def contexts(context: click.Context) -> Iterator[click.Context]:
    """Give the context of a command, and of each of its subcommands."""
    yield context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            if command := context.command.get_command(context, name):
                yield from contexts(click.Context(command, parent=context, info_name=name))


def _contexts() -> Iterator[click.Context]:
    return contexts(click.Context(cli, info_name="datc-check", terminal_width=_WIDTH, help_option_names=_NAMES))


if __name__ == "__main__":
    _ = HELP.write_text(help_texts(), encoding="utf-8")
