"""`--report [FORMAT:]PATH`, stored runs, and the exit code of a run: what the commands that report share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, final

import click

from ...reports import FORMATS, Handler, Report, RunFinished, StoredRunError, open_output, write_report
from ...reports.formats import POST_FORMATS, Format
from ...reports.gate import is_success
from ...reports.report import counted
from ...reports.terminal import TerminalOutput
from ...reports.text import ci_escape_markup
from ..errors import HarnessError
from .command import Exit, echo, echo_json, writing

if TYPE_CHECKING:
    from ...reports.findings import Findings

JSON_REPORT = "json:-"
"""What `--json` is short for where a run is reported."""


@final
class Reports:
    """What `--report` asks for: of a run, or of something else, which only some formats can show."""

    def __init__(
        self, texts: Sequence[str], renderers: Mapping[str, Callable[[Any], bytes]] | None = None, what: str = ""
    ) -> None:
        """Raise `HarnessError` for what cannot be written; `what` says what `renderers` show, if it is no run."""
        self._renderers = renderers or {}
        posts = {name: kind for name, kind in POST_FORMATS.items() if name in self._renderers}
        self._formats: Mapping[str, Format] = {**FORMATS, **posts}
        self._targets = [_target(text, self._formats) for text in texts]
        self.handlers: Sequence[Handler] = ()
        files = [path for _, path in self._targets if path != "-"]
        for path in files:
            if files.count(path) > 1:
                raise HarnessError(f"--report: {path!r} is named twice, but a file holds one report")
        for name, path in self._targets if renderers is not None else ():
            if name not in self._renderers:
                *names, last = self._renderers
                raise HarnessError(f"--report {name}:{path}: only {', '.join(names)} and {last} can show {what}")

    @property
    def stdout_is_taken(self) -> bool:
        """Whether a report goes to standard output, so that nothing else may."""
        return any(path == "-" for _, path in self._targets)

    def open(self) -> Reports:
        """Make the outputs of a run. Raises `HarnessError`."""
        try:
            self.handlers = [open_output(name, path) for name, path in self._targets]
        except OSError as error:
            raise HarnessError(f"a report cannot be written: {error}") from error
        return self

    def finish(self, report: Report) -> None:
        """Write a run to the outputs that are open. Raises `OSError`."""
        for handler in self.handlers:
            handler.handle(RunFinished(report))

    def write(self, found: object) -> None:
        """Write what is no run. Raises `ClickException`, and `BrokenPipeError` where a reader has seen enough."""
        with writing("a report"):
            for name, path in self._targets:
                write_report(path, self._renderers[name](found), self._formats[name].ci_escape)
        self.confirm()

    def confirm(self, *others: Path | None) -> None:
        """Say which files were written, of reports and others."""
        confirm([*(path for _, path in self._targets), *(str(path) for path in others if path)])


def _target(text: str, formats: Mapping[str, Format]) -> tuple[str, str]:
    format_name, _, path = text.partition(":")
    by_suffix = {kind.suffix: name for name, kind in formats.items() if kind.suffix}
    if format_name not in formats:
        format_name, path = by_suffix.get(Path(text).suffix.lower(), ""), text
    if not format_name or not path:
        raise HarnessError(
            f"--report {text}: write FORMAT:PATH, where FORMAT is {', '.join(formats)}; a PATH that ends in"
            + f" {', '.join(by_suffix)} needs none"
        )
    if path == "-" and format_name == "png":
        raise HarnessError(f"--report {text}: a picture does not go to standard output: write png:FILE.png")
    if path != "-":
        check_place(f"--report {text}", Path(path))
    return format_name, path


def check_place(option: str, path: Path) -> None:
    """Raise `HarnessError` where no file can be written at a path, before the work that it is for."""
    if not path.parent.is_dir():
        raise HarnessError(f"{option}: there is no folder {str(path.parent)!r}")
    if path.is_dir():
        raise HarnessError(f"{option}: {str(path)!r} is a folder: name a file in it")
    written = path if path.exists() and not path.is_file() else path.parent
    if not os.access(written, os.W_OK):
        raise HarnessError(f"{option}: {str(written)!r} cannot be written to")


def terminal(*, stderr: bool = False, verbose: bool = False) -> Handler:
    """Make the output for a person: with colours and progress on a terminal, else as plain lines."""
    from rich.console import Console

    return TerminalOutput(Console(stderr=stderr), Console(stderr=True), verbose=verbose)


def confirm(paths: Iterable[str]) -> None:
    """Say which files were written, where no output is disturbed by it."""
    for path in paths:
        if path != "-":
            echo(f"Wrote {path}", err=True)


def exit_code(report: Report) -> int:
    """Return the exit code of a run, as its gate has it."""
    if not report.complete:
        return Exit.NOT_PASSED if report.gate is not None and report.gate.stopped_after else Exit.ENGINE
    return Exit.PASSED if is_success(report) else Exit.NOT_PASSED


def show(findings: Findings[object], *, quiet: bool = False, as_json: bool = False, err: bool = False) -> None:
    """Print what was found, as text or as JSON; where `quiet`, only why the command fails, if it does."""
    if as_json:
        echo_json(findings.data, err=err)
    elif not quiet:
        from ...reports.findings import terminal_text  # Here, since it takes long to import.

        echo(terminal_text(findings.parts), err=err)
    elif findings.why:
        echo(findings.why, err=True)


def echo_problems(name: str, problems: Sequence[object], has: str, *, err: bool = False) -> None:
    """Print what is wrong with a suite or a map, or that nothing is, and what it has; if `err`, on standard error."""
    lines = [*map(str, problems), f"{name}: {counted(len(problems), 'problem')}"]
    echo("\n".join(lines) if problems else f"{name}: {has}, nothing wrong", err=err)


def read_stored(file: BinaryIO, *, as_stated: bool = False) -> Report:
    """Read a stored run, with its own counts or those of its cases. Raises `StoredRunError` with the file's name."""
    from ...reports.json_report import read_run, read_stated_run  # Here, since it takes long to import.

    try:
        return (read_stated_run if as_stated else read_run)(file.read())
    except StoredRunError as error:
        raise StoredRunError(f"{file.name}: {error}") from error


picture_option = click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="FILE.svg, or FILE.png with a browser that is installed. [SVG on standard output]",
)


def check_picture_output(output: str | None) -> None:
    """Raise `UsageError` where a picture would go to a terminal."""
    if output is None and sys.stdout.isatty():
        raise click.UsageError("a terminal shows no picture: name a file with -o FILE.svg")


def write_picture(svg: str, output: str | None) -> None:
    """Write a picture to `x.svg`, `x.png` or standard output. Raises `HarnessError`."""
    data = f"{svg}\n"
    if output is None:
        write_report("-", data.encode(), ci_escape_markup)
        return
    try:
        if Path(output).suffix.lower() == ".png":
            from ..board.browser import png_of

            _ = Path(output).write_bytes(png_of(data))
        else:
            write_report(output, data.encode(), ci_escape_markup)
        confirm([output])
    except OSError as error:
        raise HarnessError(f"{output} cannot be written: {error.strerror}") from error
