"""The command line: `datc-check COMMAND`. Each command is a module, imported when it is called."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn, final

import click
from click.shell_completion import CompletionItem

from . import version_text
from .command import CommandGroup, Exit

_GROUPS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Test an engine": {
        "init": ("init", "Write a bridge to your engine, to fill in."),
        "engines": ("engines", "List, set up or check engines."),
        "next": ("diagnose", "Name the case to make pass next."),
        "run": ("run", "Ask an engine the cases."),
        "watch": ("watch", "Ask an engine again whenever its files change."),
        "baseline": ("run", "Write the verdicts that later runs are held to."),
        "report": ("compare", "Report stored runs in any format, several side by side."),
    },
    "Find out what is wrong": {
        "explain": ("explain", "Explain the result of a position."),
        "play": ("serve", "Try positions on a board in the browser."),
        "doctor": ("diagnose", "Say which known bugs an engine's failures look like."),
    },
    "Find out which rules it plays": {
        "infer": ("diagnose", "Find out which rules an engine plays."),
        "preferences": ("diagnose", "Write the page of the rules that an engine plays."),
    },
    "Compare engines": {
        "compare": ("compare", "Find out where engines differ, or what changed."),
        "history": ("history", "Find out what each release or commit passes."),
        "hunt": ("hunt", "Look for positions on which engines differ."),
        "replay": ("hunt", "Compare recorded games with the rules, or an engine with them."),
        "shadow": ("hunt", "Let one engine answer, and compare another with it."),
    },
    "Look things up": {
        "cases": ("cases", "List, show or check the cases."),
        "rulesets": ("cases", "List, show or compare rulesets."),
        "maps": ("maps", "List, show or check maps."),
        "draw": ("explain", "Draw a case or a position, as SVG or PNG."),
    },
    "Plumbing": {
        "ask": ("serve", "Send an engine the requests of a trace, or a position."),
        "engine": ("serve", "Run the reference engine over stdio or HTTP."),
        "schema": ("schema", "Print the JSON Schema of what a command prints."),
    },
}
"""The commands, each with its module in `harness/cli/commands/` and what it does: known without importing it."""
_SECONDS_TO_WRITE, _SECONDS_TO_END = 5.0, 1.5
"""What a command has to write down what it found after SIGTERM, and to end after a second signal."""
_COMMANDS = {name: command for group in _GROUPS.values() for name, command in group.items()}


@final
class _LazyCommands(CommandGroup):
    """Imports the module of a command when that is called; there, `run` is the function `run_command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        _ = ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f".commands.{_COMMANDS[cmd_name][0]}", __package__)
        command: object = getattr(module, f"{cmd_name}_command")
        assert isinstance(command, click.Command)  # noqa: S101 - each module has one
        _mark_examples(command)
        if ctx.resilient_parsing:  # A shell asks what can come next.
            from .completion import complete_values

            complete_values(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _ = ctx
        width = max(map(len, _COMMANDS))
        for title, commands in _GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{width}}", purpose) for name, (_, purpose) in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        begun = ((name, purpose) for name, (_, purpose) in _COMMANDS.items() if name.startswith(incomplete))
        found = [CompletionItem(name, help=purpose) for name, purpose in begun]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def make_context(self, *args: Any, **extra: Any) -> click.Context:  # noqa: ANN401 - those of click
        with _interruptible():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> object:
        with _interruptible():
            return super().invoke(ctx)


@contextmanager
def _interruptible() -> Generator[None]:
    """Give Ctrl-C an exit code of its own, where that of click says that cases did not pass."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo("Interrupted.", err=True)
        raise click.exceptions.Exit(Exit.INTERRUPTED) from None


def _mark_examples(command: click.Command) -> None:
    r"""Turn the `\b` of a raw docstring into the character that keeps click from filling the lines behind it."""
    command.help = command.help and command.help.replace("\\b\n", "\b\n")
    for subcommand in command.commands.values() if isinstance(command, click.Group) else ():
        _mark_examples(subcommand)


def _surroundings() -> Iterator[str]:
    """Say what it runs on and with, which a bug report needs beside the version."""
    import platform

    from rich.console import Console

    from ...adapters.bridges import bridge_names, bridges_home, find_bridge
    from ...reports.findings import terminal_width, wrapped

    ready = [name for name in bridge_names() if find_bridge(name).is_ready]
    console = Console()
    where = "a terminal" if console.is_terminal else "no terminal"
    colours = "none" if console.no_color else console.color_system or "none"
    for line in (
        f"system: {platform.platform()}",
        f"with {', '.join(_dependencies())}",
        f"bridges: {', '.join(ready) or 'none'} set up, of {len(bridge_names())}, in {bridges_home()}",
        f"output: {where}, {terminal_width()} columns, colours {colours}, {sys.stdout.encoding}",
    ):
        yield from wrapped(line, hanging=2)


def _dependencies() -> Iterator[str]:
    from importlib.metadata import PackageNotFoundError, requires, version

    try:
        requirements = requires("datc-check") or []
    except PackageNotFoundError:
        requirements = []
    for requirement in requirements:
        specifier, _, marker = requirement.partition(";")
        name = re.match(r"[\w.-]+", specifier)
        if name is None or re.search(r"\bextra\b", marker):
            continue
        try:
            yield f"{name[0]} {version(name[0])}"
        except PackageNotFoundError:
            if "python_version" not in marker:  # Such as what came with Python later.
                yield f"{name[0]} missing"


@click.command(
    cls=_LazyCommands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 all cases passed, or are declared or skipped, 1 some are not, 2 the command or its config is "
    + "wrong, 3 the engine could not be started or stopped responding, 130 Ctrl-C or 143 SIGTERM ended it.",
)
@click.option("--version", is_flag=True, help="Say which version this is.")
@click.option(
    "--verbose", "-v", is_flag=True, help="With --version: also say what it runs on and with, for a bug report."
)
@click.pass_context
def cli(ctx: click.Context, *, version: bool, verbose: bool) -> None:
    r"""Find out whether a Diplomacy adjudicator is right, and which rules it plays.

    Without a command it shows a demonstration with the engine that comes with it, whatever datc.toml says.
    `datc-check run --help` says how to test yours, and the help of each command has examples.

    \b
    datc-check run "exec:./my-engine --json-rpc" --report html:report.html
    datc-check infer mine
    datc-check init python
    """
    if version:
        click.echo("\n".join([version_text().rstrip(), *(_surroundings() if verbose else ())]))
        ctx.exit()
    if verbose:
        raise click.UsageError("-v goes with --version; the -v of a command stands after its name", ctx)
    if ctx.invoked_subcommand is None:
        from .commands.run import demonstrate

        ctx.exit(demonstrate())


_mark_examples(cli)


def _later(seconds: float, call: Callable[[], object]) -> None:
    """Call a function after a time, or at once where there is no thread to be had, unless the process has ended."""
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    try:
        timer.start()
    except RuntimeError:
        _ = call()


def main() -> None:
    """Run the command line, or answer a shell that asks what can come next. SIGTERM ends all as Ctrl-C does.

    A second signal ends it for certain. After SIGTERM that one comes by itself.
    """
    count = terminated = 0

    def end(number: int, _frame: FrameType | None) -> NoReturn:
        nonlocal count, terminated
        count += 1
        terminated = terminated or (128 + number) * (number == signal.SIGTERM)
        if count > 1:
            _later(_SECONDS_TO_END, partial(os._exit, terminated or Exit.INTERRUPTED))
        elif terminated:
            _later(_SECONDS_TO_WRITE, partial(os.kill, os.getpid(), number))
        raise KeyboardInterrupt

    if "_DATC_CHECK_COMPLETE" in os.environ:  # As click calls it.
        _ = import_module(f"{__package__}.completion")  # It has the shells.
    _ = signal.signal(signal.SIGTERM, end)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # Otherwise it is ignored, as with nohup.
        _ = signal.signal(signal.SIGINT, end)
    try:
        cli(prog_name="datc-check", standalone_mode=True)
    finally:
        if terminated:
            sys.exit(terminated)
