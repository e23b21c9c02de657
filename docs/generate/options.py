"""The page of the options: each command with its options, their defaults, and its exit codes, as tables."""

from __future__ import annotations

import re

import click
from commands import contexts

from datc.harness.cli.group import cli

_HEAD = """\
# Options and exit codes

Every command with its options and their defaults; `--help` says the same.

| exit code | means |
|---|---|
| 0 | all cases passed or are declared; the engines agree; what was asked for is done |
| 1 | some cases did not pass; the engines differ; a check failed |
| 2 | the command or its config is wrong |
| 3 | an engine could not be started, or stopped responding |
| 130, 143 | Ctrl-C or SIGTERM ended it; what was found until then is shown |
"""
_DEFAULT = re.compile(r"\s*\[([^\]]+)\]$")
_EXIT_CODES = re.compile(r"Exit codes:(.*?)(?:\n\n|\Z)", re.DOTALL)


def options_page() -> str:
    """Write the page."""
    top = click.Context(cli, info_name="datc-check", help_option_names=["-h", "--help"])
    return _HEAD + "".join(f"\n{_section(context)}" for context in contexts(top) if context is not top)


def _section(context: click.Context) -> str:
    command = context.command
    level = "##" if context.parent and context.parent.parent is None else "###"
    arguments = " ".join(command.collect_usage_pieces(context)).replace("[OPTIONS] ", "").replace("[OPTIONS]", "")
    lines = [f"{level} {context.command_path}", "", f"`{f'{context.command_path} {arguments}'.strip()}`", ""]
    lines += [" ".join((command.help or "").split("\n\n")[0].replace("\b", "").split())]
    rows = [
        _row(option, context) for option in command.params if isinstance(option, click.Option) and not option.hidden
    ]
    if rows:
        lines += ["", "| option | is | when left out |", "|---|---|---|", *rows]
    for said in _EXIT_CODES.findall(command.help or ""):
        lines += ["", f"Exit codes: {' '.join(said.split())}"]
    return "\n".join(lines) + "\n"


def _row(option: click.Option, context: click.Context) -> str:
    names, said = option.get_help_record(context) or ("", "")
    said = " ".join(said.split())
    notes: list[str] = []
    while found := _DEFAULT.search(said):
        notes = [*found[1].removeprefix("default: ").split("; "), *notes]
        said = said[: found.start()]
    ranges = [words for note in notes if (words := _range(note))]
    default = "; ".join(note for note in notes if not _range(note))
    return f"| `{_cell(names)}` | {_cell(' '.join([said, *(f'({words})' for words in ranges)]))} | {_cell(default)} |"


def _range(note: str) -> str:
    """Say in words which numbers an option takes; nothing for another note."""
    if found := re.fullmatch(r"([\d.]+)<=x<=([\d.]+)", note):
        return f"{found[1]} to {found[2]}"
    if found := re.fullmatch(r"x>(=?)([\d.]+)", note):
        return f"{'at least' if found[1] else 'more than'} {found[2]}"
    return ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
