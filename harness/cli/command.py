"""What every command does with errors, and the exit codes."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

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

    def invoke(self, ctx: click.Context) -> object:
        with _exit_codes(ctx):
            return super().invoke(ctx)


@contextmanager
def _exit_codes(ctx: click.Context) -> Generator[None]:
    """Exit with 3 where the engine cannot be asked, and with 2 where anything else is wrong with the command."""
    try:
        yield
    except Exception as error:
        from ...adapters import EngineClosedError, EngineGaveOutError, EngineStartError
        from ...reference_engine import DatcCheckError

        if isinstance(error, (EngineStartError, EngineGaveOutError, EngineClosedError)):
            click.echo(f"Error: {error}", err=True)
            ctx.exit(EXIT_ENGINE)
        if isinstance(error, DatcCheckError):
            raise click.UsageError(str(error), ctx) from error
        raise


@contextmanager
def writing(what: str) -> Generator[None]:
    """Say what cannot be written; a reader that has seen enough is no error. Raises `ClickException`."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise click.ClickException(f"{what} cannot be written: {error}") from error
