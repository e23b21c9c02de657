"""What `datc-check engines check` prints: each check as it is done, or all of them as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..wording import wrapped

if TYPE_CHECKING:
    from ...adapters import InitializeResult
    from .checks import Check


class TextOutput:
    """Prints each check as a line, and what it found below."""

    def __init__(self) -> None:
        self._checks: list[Check] = []

    def begin(self, started: InitializeResult) -> None:
        version = f" {started.engine.version}" if started.engine.version else ""
        echo_wrapped(f"{started.engine.name}{version}, protocol {started.protocol}", hanging=2)
        click.echo()

    def add(self, check: Check) -> None:
        self._checks.append(check)
        word = "fail" if check.failures else "-" if check.not_asked else "hint" if check.hints else "ok"
        echo_wrapped(f"{word:6}{check.name}{_addition(check)}", hanging=8)
        for text in check.failures:
            echo_wrapped(text, indent=8, hanging=10)
        for text in check.hints:
            echo_wrapped(f"{'hint: ' if check.failures else ''}{text}", indent=8, hanging=10)

    def end(self, trouble: str = "") -> None:
        if trouble:
            echo_wrapped(f"Not checked to the end: {trouble}", hanging=2)
            return
        wrong = [check for check in self._checks if check.failures]
        if wrong:
            click.echo()
            echo_wrapped(f"Failed: {', '.join(check.name for check in wrong)}.", hanging=2)
        else:
            click.echo("\nAll checks passed.")


class JsonOutput:
    """Prints all checks at the end, as JSON."""

    def __init__(self) -> None:
        self._started: InitializeResult | None = None
        self._checks: list[Check] = []

    def begin(self, started: InitializeResult) -> None:
        self._started = started

    def add(self, check: Check) -> None:
        self._checks.append(check)

    def end(self, trouble: str = "") -> None:
        from ...reports.inert import inert_json
        from ...reports.text import indented_json

        data = {
            "format": 1,
            "engine": self._started.engine if self._started else None,
            "complete": not trouble,
            "incomplete_reason": trouble,
            "checks": self._checks,
        }
        click.echo(inert_json(indented_json(data).decode().rstrip()))


def _addition(check: Check) -> str:
    if check.not_asked:
        return f": not asked, {check.not_asked}"
    if check.map is None:
        return ""
    found = check.map
    others = f" and {found.others} pairs without one" if found.others else ""
    return f": {found.borders} borders{others}, {found.requests} requests in {found.seconds:.1f} s"


def echo_wrapped(text: str, *, indent: int = 0, hanging: int) -> None:
    """Print a text, as wide as the terminal is, without control codes; paths in it stay whole."""
    from ...reference_engine import printable
    from ...reports.inert import inert

    for line in wrapped(text, indent=indent, hanging=hanging, break_words=False):
        click.echo(inert(printable(line)))
