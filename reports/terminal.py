"""The terminal: progress while the run goes on, then a line a section, then each case that did not pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, final

import msgspec
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..reference_engine import standard_board
from .report import (
    VERDICTS,
    BoardData,
    CaseData,
    CaseFinished,
    Event,
    OrderData,
    PhaseData,
    Report,
    RunFinished,
    RunStarted,
    UnitData,
    Verdict,
    counted,
    engine_name,
    statement,
    summarize,
    verdict_note,
)
from .text import ci_escape, printable_report, printable_struct, shortened
from .wording import restart_lines, shared_reasons, statement_sentences, suite_label

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

_STYLES: dict[Verdict, str] = {
    "passed": "green",
    "deviated": "yellow",
    "failed": "bold red",
    "declared": "cyan",
    "unsupported": "magenta",
    "error": "bold red",
    "not-run": "red",
}

_IN_FULL: Sequence[Verdict] = ("failed", "deviated", "error")
"""The verdicts of which cases are shown with their boards."""
MOST_IN_FULL = 20
"""So many are, unless all are asked for: an engine that is just begun fails most."""
_SHOWN_LOG = 12
"""Lines of a log."""
_TRAILING_BLANKS = re.compile(r"[ ]+$", re.MULTILINE)


@final
class TerminalOutput:
    """Tells a person about a run; what an engine said is shown as text, never as markup or control codes."""

    def __init__(self, console: Console, progress_console: Console, *, verbose: bool = False) -> None:
        """`console` takes the report; progress goes to the other, and only where that is a terminal.

        `verbose` shows in full all cases that did not pass.
        """
        self._console = console
        self._most_in_full = None if verbose else MOST_IN_FULL
        self._progress = _progress(progress_console) if progress_console.is_terminal else None

    def handle(self, event: Event) -> None:
        """Show an event."""
        match event:
            case RunStarted() if self._progress:
                _ = self._progress.add_task("asking", total=event.cases)
                self._progress.start()
            case CaseFinished() if self._progress:
                for task in self._progress.task_ids:
                    self._progress.update(task, advance=1, description=f"{event.case.id:8}")
            case RunFinished():
                if self._progress:
                    self._progress.stop()
                self._report(printable_report(_without_unshown_phases(event.report)))
            case _:
                pass

    def _report(self, report: Report) -> None:
        self._print(Text(f"{engine_name(report.engine)}, ruleset {report.ruleset.name}", style="bold"))
        self._print()
        if any(case.verdict != "not-run" for case in report.cases):
            self._sections(report.cases)
            self._print()
        shown = [case for case in report.cases if case.verdict != "not-run" or report.complete]
        in_full = _in_full(shown)
        for case in in_full[: self._most_in_full]:
            self._case(case)
        self._alike(shown, in_full[: self._most_in_full])
        if left := len(in_full[self._most_in_full or len(in_full) :]):
            self._print(Text(f"{counted(left, 'more case')} in full: with -v, --select ID or --report FILE.html"))
            self._print()
        sentences = list(statement_sentences(report))
        for sentence in sentences:
            self._print(Text(sentence))
        if sentences:
            self._print()
        self._restarts(report)
        self._notes([case for case in report.cases if case.verdict == "passed" and case.notes])
        unrun = [case.id for case in report.cases if case.verdict == "not-run"]
        if unrun and not report.complete:
            self._print(Text(f"Not run: {counted(len(unrun), 'case')}, from {unrun[0]} on", style="bold red"))
        self._print(Text(f"{counted(len(report.cases), 'case')}: ").append(_counts(report.cases)).append(took(report)))
        self._print(Text(statement(report), style="bold"))

    def _alike(self, cases: Sequence[CaseData], in_full: Sequence[CaseData]) -> None:
        """Show the cases that are not shown in full: those with the same verdict and reason in one line."""
        shown = {case.key for case in in_full}
        lines = [*shared_reasons(case for case in cases if case.verdict != "passed" and case.key not in shown)]
        for verdict, reason in lines:
            also = "also " if verdict in _IN_FULL else ""
            self._print(Text(f"{also}{verdict}: ", _STYLES[verdict]).append(reason, "default"))
        if lines:
            self._print()

    def _sections(self, all_cases: Sequence[CaseData]) -> None:
        table = Table.grid(padding=(0, 2))
        for (_, section), members in groupby(all_cases, key=lambda case: (case.suite, case.section)):
            cases = list(members)
            table.add_row(Text(section), Text(cases[0].section_title), _counts(cases))
        self._print(table)

    def _notes(self, passed: Sequence[CaseData]) -> None:
        for case in passed:
            self._print(Text(f"{case.id} passed, but note: {'; '.join(case.notes)}"))
        if passed:
            self._print()

    def _restarts(self, report: Report) -> None:
        first, *rest = [*restart_lines(report.restarts)] or [""]
        if first:
            self._print(Text(first))
            self._print(*(Padding(Text(line), (0, 0, 0, 2)) for line in rest))
            if not report.restarts[-1].cases:  # No case shows its log.
                self._print(*(Padding(line, (0, 0, 0, 4)) for line in _log(report.restarts[-1].log)))
            self._print()

    def _case(self, case: CaseData) -> None:
        for line in _case_lines(case):
            self._print(line)
        self._print()

    def _print(self, *content: Text | Table | Padding) -> None:
        _ = self._console.file.write(_rendered(self._console, *content))


def _progress(console: Console) -> Progress:
    # Here, since it takes long to import.
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = TextColumn("{task.description}"), BarColumn(bar_width=30), MofNCompleteColumn()
    return Progress(*columns, console=console, transient=True)


def _without_unshown_phases(report: Report) -> Report:
    """Leave out the boards that nobody sees here: to make them printable takes longer than to show the others."""
    cases = [case if case.verdict in _IN_FULL else msgspec.structs.replace(case, phases=[]) for case in report.cases]
    return msgspec.structs.replace(report, cases=cases)


def _in_full(cases: Iterable[CaseData]) -> list[CaseData]:
    """Choose the cases to show in full: each that failed, and of other kinds the first with its reason."""
    found: dict[tuple[str, ...], CaseData] = {}
    for case in cases:
        if case.verdict in _IN_FULL:
            alone = (case.key,) if case.verdict == "failed" else (case.verdict, case.reason)
            _ = found.setdefault(alone, case)
    return [*found.values()]


def took(report: Report) -> str:
    """Say how long a run took, where that is known."""
    return f"  ({report.seconds:.1f} s)" if report.seconds or not report.search else ""


def case_text(case: CaseData, width: int) -> str:
    """Show a case as the report on the terminal does, without colours, in so many columns."""
    from rich.console import Console

    console = Console(width=width, color_system=None, force_terminal=False)
    return "".join(_rendered(console, line) for line in _case_lines(printable_struct(case))).rstrip("\n")


def _rendered(console: Console, *content: Text | Table | Padding) -> str:
    with console.capture() as capture:
        console.print(*content, highlight=False, markup=False)
    # Tables are filled up with blanks, which nobody wants in a log.
    return ci_escape(_TRAILING_BLANKS.sub("", capture.get()))


def _case_lines(case: CaseData) -> Iterator[Text | Padding]:
    yield Text(f"{case.id} {case.title}: ", style="bold").append(case.verdict, _STYLES[case.verdict])
    lines: list[Text | Table] = [Text(case.reason)] if case.reason else []
    deciding = next((phase for phase in case.phases if phase.facts), case.phases[-1] if case.phases else None)
    for phase in case.phases:
        lines += _phase(phase, decided=phase is deciding)
    if case.log:
        table = Table.grid(padding=(0, 2))
        table.add_row("Log", Text("\n").join(_log(case.log)))
        lines.append(table)
    lines += [Text(f"Note: {note}") for note in case.notes]
    if case.phases:
        places = [f"section {case.id}", *(f"issue {issue}" for issue in case.deviations)]
        lines.append(Text(f"Read: {suite_label(case.suite)}, {' and '.join(places)}", style="dim"))
    if case.trace:
        lines.append(Text(f"Trace: {case.trace}", style="dim"))
    yield from (Padding(line, (0, 0, 0, 2)) for line in lines)


def _log(lines: Sequence[str]) -> list[Text]:
    return [Text(line, style="dim") for line in shortened(lines, _SHOWN_LOG)]


def _phase(phase: PhaseData, *, decided: bool) -> list[Text | Table]:
    table = Table.grid(padding=(0, 2))
    table.add_row("Board", _board(phase.before))
    if phase.centers:
        owned = "\n".join(f"{_power(power)}: {', '.join(centers)}" for power, centers in phase.centers.items())
        table.add_row("Centers", Text(owned))
    table.add_row("Orders", _orders(phase.orders))
    if decided and phase.expected is not None:
        dislodged = f"\n(dislodged: {_units(phase.expected.dislodged)})" if phase.expected.dislodged else ""
        table.add_row("Expected", Text(_by_power(phase.expected.units) + dislodged))
        table.add_row("Got", Text("no answer") if phase.answer is None else _board(phase.answer))
        if phase.differences:
            table.add_row("Differs", Text("\n".join(phase.differences), style="red"))
        if phase.explanation:
            table.add_row("Why", Text(phase.explanation))
        if phase.not_given:
            table.add_row("Not said", Text(", ".join(phase.not_given)))
    title = Text(f"{phase.phase.capitalize()} phase, {phase.season} {phase.year}", style="underline")
    return [title, table]


def _counts(cases: Sequence[CaseData]) -> Text:
    summary = summarize(cases)
    text = Text()
    for verdict in VERDICTS:
        if summary[verdict]:
            _ = text.append(", " if text else "").append(f"{summary[verdict]} {verdict}", _STYLES[verdict])
            _ = text.append(verdict_note(cases, verdict))
    return text


def _orders(orders: Sequence[OrderData]) -> Text | Table:
    if not orders:
        return Text("none")
    outcomes = [_outcome(order) for order in orders]
    table = Table.grid(padding=(0, 2))
    for order, outcome in zip(orders, outcomes, strict=True):
        text = Text(order.text + (f" ({order.place})" if order.place else ""))
        # A column without any text would take room from the others.
        last = [Text(outcome, style="dim")] if any(outcomes) else []
        table.add_row(Text(_power(order.power)), text, *last)
    return table


def _outcome(order: OrderData) -> str:
    if order.outcome is None:
        return f"expected: {order.expected}" if order.expected else ""
    return f"{order.outcome} ({order.reason})" if order.reason else order.outcome


def _board(board: BoardData) -> Text:
    text = Text(_by_power(board.units))
    for entry in board.dislodged or ():
        attacker = f" by {entry.attacked_from}" if entry.attacked_from else ""
        retreats = "" if entry.retreats is None else f", may retreat to {', '.join(entry.retreats) or 'nowhere'}"
        _ = text.append(f"\ndislodged{attacker}: {_power(entry.unit.power)} {_unit(entry.unit)}{retreats}")
    return text


def _by_power(units: Iterable[UnitData]) -> str:
    by_power: dict[str, list[UnitData]] = {}
    for unit in units:
        by_power.setdefault(unit.power, []).append(unit)
    return "\n".join(f"{_power(power)}: {_units(members)}" for power, members in sorted(by_power.items())) or "empty"


def _units(units: Iterable[UnitData]) -> str:
    return ", ".join(map(_unit, units))


def _unit(unit: UnitData) -> str:
    return f"{unit.type} {unit.location}"


def _power(code: str) -> str:
    return standard_board().power_name(code)
