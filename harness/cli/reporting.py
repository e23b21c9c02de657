"""`--report [FORMAT:]PATH`, and the exit code that goes with a report: what the commands that report share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar, final

import click

from ...reports import FORMATS, Event, Handler, Report, RunFinished, open_output, write_report
from ...reports.findings import Findings, terminal_text
from ...reports.gate import is_success
from ...reports.json_report import render_json
from ...reports.terminal import TerminalOutput
from ..errors import HarnessError
from .command import EXIT_ENGINE, EXIT_NOT_PASSED, EXIT_PASSED, echo, writing

_CommandT = TypeVar("_CommandT", bound="Callable[..., object] | click.Command")
_FoundT = TypeVar("_FoundT")


@final
class _ReportOption(click.Option):
    """Lists every format in its help; they are looked up only when the help is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        formats = ", ".join(f"{name} ({kind.purpose})" for name, kind in FORMATS.items())
        self.help = f"Write a report; - is stdout. FORMAT is {formats}; FILE.html and the like need none."
        return super().get_help_record(ctx)


def report_option(command: _CommandT) -> _CommandT:
    """Give a command the option `--report`, as `reports`."""
    option = click.option("--report", "-o", "reports", cls=_ReportOption, multiple=True, metavar="[FORMAT:]PATH")
    return option(command)


def findings_option(command: _CommandT) -> _CommandT:
    """Give a command that reports something else than one run the option `--report`, as `reports`."""
    says = "Write a report; - is stdout. FORMAT is html, markdown or json; FILE.html and the like need none."
    return click.option("--report", "-o", "reports", multiple=True, metavar="[FORMAT:]PATH", help=says)(command)


JSON_REPORT = "json:-"
"""What `--json` is short for where a run is reported."""


class ReportTarget(NamedTuple):
    """What `--report` asks for."""

    format: str
    path: str


def report_targets(texts: Sequence[str]) -> list[ReportTarget]:
    """Read what `--report` asks for. Raises `HarnessError`."""
    targets = [_report_target(text) for text in texts]
    files = [report.path for report in targets if report.path != "-"]
    for path in files:
        if files.count(path) > 1:
            raise HarnessError(f"--report: {path!r} is named twice, but a file holds one report")
    return targets


def _report_target(text: str) -> ReportTarget:
    format_name, _, path = text.partition(":")
    by_suffix = {kind.suffix: name for name, kind in FORMATS.items() if kind.suffix}
    if format_name not in FORMATS:
        format_name, path = by_suffix.get(Path(text).suffix.lower(), ""), text
    if not format_name or not path:
        raise HarnessError(
            f"--report {text}: write FORMAT:PATH, where FORMAT is {', '.join(FORMATS)}; a PATH that ends in"
            + f" {', '.join(by_suffix)} needs none"
        )
    if path != "-":
        check_place(f"--report {text}", Path(path))
    return ReportTarget(format_name, path)


def check_place(option: str, path: Path) -> None:
    """Raise `HarnessError` where no file can be written at a path, before the work that it is for."""
    if not path.parent.is_dir():
        raise HarnessError(f"{option}: there is no folder {str(path.parent)!r}")
    if path.is_dir():
        raise HarnessError(f"{option}: {str(path)!r} is a folder: name a file in it")


@final
class FindingsOutputs(Generic[_FoundT]):
    """The reports of a command that reports something else than one run."""

    def __init__(self, texts: Sequence[str], renderers: Mapping[str, Callable[[_FoundT], bytes]], what: str) -> None:
        """Raise `HarnessError` for what no renderer can write; `what` says what is shown."""
        self._targets = report_targets(texts)
        self._renderers = renderers
        for report in self._targets:
            if report.format not in renderers:
                names = [*renderers]
                able = f"{', '.join(names[:-1])} and {names[-1]}"
                raise HarnessError(f"--report {report.format}:{report.path}: only {able} can show {what}")

    @property
    def stdout_is_taken(self) -> bool:
        """Whether a report goes to standard output, so that nothing else may."""
        return any(report.path == "-" for report in self._targets)

    def write(self, found: _FoundT) -> None:
        """Write all of them. Raises `ClickException`, and `BrokenPipeError` where a reader has seen enough."""
        with writing("a report"):
            for report in self._targets:
                write_report(report.path, self._renderers[report.format](found), FORMATS[report.format].ci_escape)
        confirm(report.path for report in self._targets)


def terminal(*, stderr: bool = False, verbose: bool = False) -> Handler:
    """Make the output for a person: with colours and progress on a terminal, else as plain lines."""
    from rich.console import Console

    return TerminalOutput(Console(stderr=stderr), Console(stderr=True), verbose=verbose)


def open_outputs(texts: Sequence[str], *, quiet: bool, verbose: bool = False) -> list[Handler]:
    """Make the outputs that were asked for; the terminal's goes to stderr where a report goes to stdout.

    Raises `HarnessError`.
    """
    targets = report_targets(texts)
    files = open_files(targets)
    if quiet:
        return files
    to_stderr = any(report.path == "-" for report in targets)
    return [terminal(stderr=to_stderr, verbose=verbose), *files, _Confirmation(targets)]


def open_files(targets: Iterable[ReportTarget]) -> list[Handler]:
    """Make the outputs that go to files. Raises `HarnessError`."""
    try:
        return [open_output(report.format, report.path) for report in targets]
    except OSError as error:
        raise HarnessError(f"a report cannot be written: {error}") from error


def confirm(paths: Iterable[str]) -> None:
    """Say which files were written, where no output is disturbed by it."""
    for path in paths:
        if path != "-":
            echo(f"Wrote {path}", err=True)


@final
class _Confirmation:
    """Says which files were written, after those that write them."""

    def __init__(self, targets: Sequence[ReportTarget]) -> None:
        self._targets = targets

    def handle(self, event: Event) -> None:
        """Say it when the run is finished."""
        if isinstance(event, RunFinished):
            confirm(report.path for report in self._targets)


def exit_code(report: Report) -> int:
    """Return the exit code of a run, as its gate has it."""
    if not report.complete:
        return EXIT_NOT_PASSED if report.gate is not None and report.gate.stopped_after else EXIT_ENGINE
    return EXIT_PASSED if is_success(report) else EXIT_NOT_PASSED


def show(findings: Findings[object], *, quiet: bool = False, as_json: bool = False, err: bool = False) -> None:
    """Print what was found, as text or as JSON; where `quiet`, only why the command fails, if it does."""
    if as_json:
        echo(render_json(findings.data).decode().rstrip(), as_json=True, err=err)
    elif not quiet:
        echo(terminal_text(findings.parts), err=err)
    elif findings.why:
        echo(findings.why, err=True)
