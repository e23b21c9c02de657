"""How commands start, print and end: their options as a whole, their errors and exit codes."""

from __future__ import annotations

import errno
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import TYPE_CHECKING, BinaryIO, final

import click

if TYPE_CHECKING:
    from pathlib import Path


_NO_THREAD = "can't start new thread"


class Exit(IntEnum):
    """The exit codes."""

    PASSED = 0
    NOT_PASSED = 1
    USAGE = 2
    ENGINE = 3
    """An engine could not be asked to the end."""
    INTERRUPTED = 130


@final
class Options:
    """What stands on the command line: each argument and option by the name that it has in every command.

    One that a command does not have is as if it were not given.
    """

    after = again = all_bridges = all_rulesets = as_json = as_toml = every_case = first_alone = fixed = force = False
    full = infers = measure = no_skip = opens = over_http = plain = quiet = resume = tagged = untested = False
    verbose = verify = words = False
    engine_name = host = input_file = kind = left = map_name = right = what = ""
    against: str = "archive"
    archives: Sequence[Path] = ()
    beside: Sequence[str] = ()
    baseline: BinaryIO | None = None
    baseline_file: Path | None = None
    ca_file: Path | None = None
    case_id: str | None = None
    case_path: Path | None = None
    choices: Sequence[str] = ()
    cluster: str | None = None
    commits: str | None = None
    config_file: Path | None = None
    engine: str | None = None
    engines: Sequence[str] = ()
    fail_on: Sequence[str] = ()
    files: Sequence[BinaryIO] = ()
    folder: Path | None = None
    format_name: str | None = None
    hosts: Sequence[str] = ()
    jobs: int | None = None
    label: str | None = None
    map_files: Sequence[str] = ()
    max_fail: int | None = None
    mutant_name: str | None = None
    number: int = 1
    origins: Sequence[str] = ()
    output: str | None = None
    page: str | None = None
    placements: int | None = None
    port: int = 0
    positions: int = 0
    procedure: str | None = None
    processes: int = 1
    profiles: Sequence[str] = ()
    repeat: int = 1
    reports: Sequence[str] = ()
    ruleset_name: str | None = None
    seconds: float | None = None
    seed: int = 0
    selections: Sequence[str] = ()
    source: Path | None = None
    sources: Sequence[str] = ()
    store_again: Path | None = None
    stored: BinaryIO | None = None
    strict: bool | None = None
    suite_name: str | None = None
    suites: Sequence[str] = ()
    threads: int = 1
    timeout: float | None = None
    trace_folder: Path | None = None
    until: str | None = None
    versions: str | None = None
    watched: Sequence[Path] = ()

    def __init__(self, **given: object) -> None:
        vars(self).update(given)


def refuse_others(allowed: Collection[str], why: str) -> None:
    """Raise `UsageError` that says why, where more is given than what is allowed, by its names here."""
    context = click.get_current_context()
    others = (parameter for parameter in context.command.params if parameter.name not in allowed)
    typed = click.core.ParameterSource.COMMANDLINE
    given = [each.opts[0] for each in others if context.get_parameter_source(each.name or "") is typed]
    if given:
        raise click.UsageError(f"{why}: leave out {' and '.join(given)}")


class Command(click.Command):
    """A command of a function that takes `Options` and returns the exit code; an error ends it with one message."""

    def invoke(self, ctx: click.Context) -> object:
        assert self.callback is not None  # noqa: S101 - each is made of a function
        with _exit_codes(ctx):
            code = ctx.invoke(self.callback, Options(**ctx.params))
        ctx.exit(code or Exit.PASSED)


class CommandGroup(click.Group):
    """A group of such commands. Without one of them it lists what there is, if it has a command for that."""

    command_class: type[click.Command] | None = Command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        lists = self.invoke_without_command and "list" in self.commands and not ctx.resilient_parsing
        return super().parse_args(ctx, args or ["list"] * lists)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not (ctx.resilient_parsing or name.startswith("-")) and self.get_command(ctx, name) is None:
            from difflib import get_close_matches  # Here, since it takes long to import.

            near = get_close_matches(name, self.list_commands(ctx), n=1)
            ctx.fail(f"No such command {name!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        with _exit_codes(ctx):
            return super().invoke(ctx)


@contextmanager
def _exit_codes(ctx: click.Context) -> Generator[None]:
    """Exit with 3 where the engine cannot be asked, and with 2 where anything else is wrong with the command.

    That are our own errors, and what the system refuses, wherever that is asked: a name that is too long, a folder
    that is gone, one more process. An output that nobody reads, or that is full, ends all elsewhere.
    """
    try:
        yield
    except Exception as error:
        from ...adapters import EngineClosedError, EngineGaveOutError, EngineStartError
        from ...reference_engine import DatcCheckError

        is_of_system = isinstance(error, OSError) and not is_of_output(error)
        if not (isinstance(error, DatcCheckError) or is_of_system or str(error) == _NO_THREAD):
            raise
        is_gone = isinstance(error, FileNotFoundError) and error.filename is None
        echo(f"Error: {'the working directory is gone' if is_gone else error}", err=True)
        is_of_engine = isinstance(error, (EngineStartError, EngineGaveOutError, EngineClosedError))
        ctx.exit(Exit.ENGINE if is_of_engine else Exit.USAGE)


def is_of_output(error: OSError) -> bool:
    """Whether what is printed cannot be written."""
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return isinstance(error, BrokenPipeError) or (is_full and error.filename is None)


def echo(text: str, *, as_json: bool = False, err: bool = False) -> None:
    """Print what others may have written, a text or JSON: no terminal and no CI service finds a command in it."""
    from ...reports.text import ci_escape, ci_escape_json, printable

    click.echo(ci_escape_json(text) if as_json else ci_escape(printable(text)), err=err)


def echo_json(data: object, *, err: bool = False) -> None:
    """Print data as indented JSON."""
    from ...reports.json_report import render_json

    echo(render_json(data).decode().rstrip(), as_json=True, err=err)


@contextmanager
def writing(what: str) -> Generator[None]:
    """Say what cannot be written; a reader that has seen enough is no error. Raises `ClickException`."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise click.ClickException(f"{what} cannot be written: {error}") from error
