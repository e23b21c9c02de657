"""How commands print and end: their errors and exit codes. The help of all commands needs no more than this."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from difflib import get_close_matches

import click

EXIT_PASSED, EXIT_NOT_PASSED, EXIT_USAGE, EXIT_ENGINE, EXIT_INTERRUPTED = 0, 1, 2, 3, 130


class Command(click.Command):
    """A command whose errors end it with one message and an exit code."""

    def invoke(self, ctx: click.Context) -> object:
        with _exit_codes(ctx):
            return super().invoke(ctx)


class CommandGroup(click.Group):
    """A group of such commands."""

    command_class: type[click.Command] | None = Command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not (ctx.resilient_parsing or name.startswith("-")) and self.get_command(ctx, name) is None:
            near = get_close_matches(name, self.list_commands(ctx), n=1)
            ctx.fail(f"No such command {name!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        with _exit_codes(ctx):
            return super().invoke(ctx)


def error_code(error: Exception) -> int | None:
    """Return 3 where an engine cannot be asked, 2 for each other error of the project, and `None` for any other."""
    from ...adapters import EngineClosedError, EngineGaveOutError, EngineStartError
    from ...reference_engine import DatcCheckError

    if isinstance(error, (EngineStartError, EngineGaveOutError, EngineClosedError)):
        return EXIT_ENGINE
    return EXIT_USAGE if isinstance(error, DatcCheckError) else None


@contextmanager
def _exit_codes(ctx: click.Context) -> Generator[None]:
    """Exit with 3 where the engine cannot be asked, and with 2 where anything else is wrong with the command."""
    try:
        yield
    except Exception as error:
        code = error_code(error)
        if code is None:
            raise
        echo(f"Error: {error}", err=True)
        ctx.exit(code)


def echo(text: str, *, as_json: bool = False, err: bool = False) -> None:
    """Print what an engine may have said, a text or JSON, so that no CI service finds a command in it."""
    from ...reports.text import ci_escape, ci_escape_json

    click.echo(ci_escape_json(text) if as_json else ci_escape(text), err=err)


def say(text: str, why: str, *, quiet: bool, as_json: bool = False, err: bool = False) -> None:
    """Print what was found; where `quiet`, print only `why` the command fails, if it does. JSON is always printed."""
    if as_json or not quiet:
        echo(text, as_json=as_json, err=err)
    elif why:
        echo(why, err=True)


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
