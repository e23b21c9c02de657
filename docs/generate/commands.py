"""The page of the commands: what `--help` says of each."""

from __future__ import annotations

from collections.abc import Iterator

import click

from datc.harness.cli.group import cli

_WIDTH = 88


def commands_page() -> str:
    """The help of every command and subcommand."""
    lines = ["# The commands", "", "The output of `--help` for each command."]
    top = click.Context(cli, info_name="datc-check", terminal_width=_WIDTH, help_option_names=["-h", "--help"])
    for context in contexts(top):
        level = "##" if context.parent is None or context.parent.parent is None else "###"
        lines += ["", f"{level} {context.command_path}", "", "```text", context.get_help(), "```"]
    return "\n".join(lines) + "\n"


def contexts(context: click.Context) -> Iterator[click.Context]:
    """Give the context of a command, and of each of its subcommands."""
    yield context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            if command := context.command.get_command(context, name):
                yield from contexts(click.Context(command, parent=context, info_name=name))
