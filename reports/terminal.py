"""The terminal: progress while the run goes on, then a line a section, then each case that did not pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias, final

import msgspec
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..reference_engine import Board
from .report import (
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
    counted_verdicts,
    engine_name,
)
from .text import ci_escape, printable_struct, shortened
from .wording import (
    VERDICT_TEXTS,
    placement_text,
    restart_lines,
    ruleset_text,
    shared_reasons,
    statement,
    statement_sentences,
    suite_label,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

_Shown: TypeAlias = Text | Table | Padding

_STYLES = {verdict: text.style for verdict, text in VERDICT_TEXTS.items()}

_IN_FULL: Sequence[Verdict] = ("failed", "deviated", "error")
"""The verdicts of which cases are shown with their boards."""
MOST_IN_FULL = 20
"""So many are, unless all are asked for: an engine that is just begun fails most."""
_SHOWN_LOG = 12
"""Lines of a log."""
_TRAILING_BLANKS = re.compile(r"(?<! )[ ]+$", re.MULTILINE)


@final
class TerminalOutput:
    """Tells a person about a run; what an engine said is shown as text, never as markup or control codes."""

    def __init__(self, console: Console, progress_console: Console, *, verbose: bool = False) -> None:
        """Report on one console, `verbose` all cases in full; progress goes to the other, if that is a terminal."""
        self._console = console
        self._most_in_full = None if verbose else MOST_IN_FULL
        self._progress = _progress(progress_console) if progress_console.is_terminal else None

    def handle(self, event: Event) -> None:
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
                # The boards that nobody sees here are left out: to make them printable takes longer than to show all.
                cases = [
                    case if case.verdict in _IN_FULL else msgspec.structs.replace(case, phases=[])
                    for case in event.report.cases
                ]
                report = printable_struct(msgspec.structs.replace(event.report, cases=cases))
                for shown in _report_lines(report, self._most_in_full):
                    _ = self._console.file.write(_rendered(self._console, shown))
            case _:
                pass


def _progress(console: Console) -> Progress:
    # Here, since it takes long to import.
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = TextColumn("{task.description}"), BarColumn(bar_width=30), MofNCompleteColumn()
    return Progress(*columns, console=console, transient=True)


def _rendered(console: Console, shown: _Shown) -> str:
    with console.capture() as capture:
        console.print(shown, highlight=False, markup=False)
    # Tables are filled up with blanks, which nobody wants in a log.
    return ci_escape(_TRAILING_BLANKS.sub("", capture.get()))


def _report_lines(report: Report, most_in_full: int | None) -> Iterator[_Shown]:
    """Show a report, its first so many cases in full; `None` for all of them."""
    yield Text(f"{engine_name(report.engine)}, ruleset {ruleset_text(report.ruleset)}", style="bold")
    yield Text()
    if any(case.verdict != "not-run" for case in report.cases):
        table = Table.grid(padding=(0, 2))
        for (_, section), members in groupby(report.cases, key=lambda case: (case.suite, case.section)):
            cases = list(members)
            table.add_row(Text(section), Text(cases[0].section_title), _counts(cases))
        yield from (table, Text())
    yield from _failed_cases(report, most_in_full)
    if sentences := list(map(Text, statement_sentences(report))):
        yield from (*sentences, Text())
    if report.restarts:
        first, *rest = restart_lines(report.restarts)
        yield from (Text(first), *(_indented(Text(line)) for line in rest))
        if not report.restarts[-1].cases:  # No case shows its log.
            yield _indented(_log(report.restarts[-1].log), 4)
        yield Text()
    if noted := [case for case in report.cases if case.verdict == "passed" and case.notes]:
        yield from (Text(f"{case.id} passed, but note: {'; '.join(case.notes)}") for case in noted)
        yield Text()
    if report.carried and report.not_carried:
        yield Text(f"Not carried to the map {report.carried.map}: {counted(len(report.not_carried), 'case')}")
        for each in report.not_carried:
            yield _indented(Text(f"{each.case.id} {each.title}: {each.why}"))
        yield Text()
    unrun = [case.id for case in report.cases if case.verdict == "not-run"]
    if unrun and not report.complete:
        yield Text(f"Not run: {counted(len(unrun), 'case')}, from {unrun[0]} on", style="bold red")
    took = f"  ({report.seconds:.1f} s)" if report.seconds or not report.search else ""
    yield Text(f"{counted(len(report.cases), 'case')}: ").append(_counts(report.cases)).append(took)
    yield Text(statement(report), style="bold")


def _failed_cases(report: Report, most_in_full: int | None) -> Iterator[_Shown]:
    """Show cases in full, each that failed and of other kinds the first with its reason; then the others in short."""
    left_out = ("passed",) if report.complete else ("passed", "not-run")
    cases = [case for case in report.cases if case.verdict not in left_out]
    first: dict[tuple[str, ...], CaseData] = {}
    for case in cases:
        if case.verdict in _IN_FULL:
            _ = first.setdefault((case.key,) if case.verdict == "failed" else (case.verdict, case.reason), case)
    in_full = [*first.values()][:most_in_full]
    for case in in_full:
        yield from (*_case_lines(case), Text())
    keys = {case.key for case in in_full}
    lines = [*shared_reasons(case for case in cases if case.key not in keys)]
    for verdict, reason in lines:
        yield Text(f"{'also ' * (verdict in _IN_FULL)}{verdict}: ", _STYLES[verdict]).append(reason, "default")
    if lines:
        yield Text()
    if left := len(first) - len(in_full):
        yield Text(f"{counted(left, 'more case')} in full: with -v, --select ID or --report FILE.html")
        yield Text()


def _counts(cases: Sequence[CaseData]) -> Text:
    text = Text()
    for verdict, count, note in counted_verdicts(cases):
        _ = text.append(", " if text else "").append(f"{count} {verdict}", _STYLES[verdict]).append(note)
    return text


def case_text(case: CaseData, width: int, before: str = "") -> str:
    """Show a case as the report on the terminal does, without colours, in so many columns; `before` its verdict."""
    from rich.console import Console

    console = Console(width=width, color_system=None, force_terminal=False)
    return "".join(_rendered(console, line) for line in _case_lines(printable_struct(case), before)).rstrip("\n")


def _case_lines(case: CaseData, before: str = "") -> Iterator[_Shown]:
    yield Text(f"{case.id} {case.title}: {before}", style="bold").append(case.verdict, _STYLES[case.verdict])
    lines: list[Text | Table] = [Text(text) for text in (case.reason, placement_text(case)) if text]
    deciding = next((phase for phase in case.phases if phase.facts), case.phases[-1] if case.phases else None)
    for phase in case.phases:
        lines.append(Text(f"{phase.phase.capitalize()} phase, {phase.turn}", style="underline"))
        lines.append(_phase(phase, decided=phase is deciding))
    if case.log:
        table = Table.grid(padding=(0, 2))
        table.add_row("Log", _log(case.log))
        lines.append(table)
    lines += [Text(f"Note: {note}") for note in case.notes]
    if case.phases:
        places = [f"section {case.id}", *(f"issue {issue}" for issue in case.deviations)]
        lines.append(Text(f"Read: {suite_label(case.of_document.suite)}, {' and '.join(places)}", style="dim"))
    if case.trace:
        lines.append(Text(f"Trace: {case.trace}", style="dim"))
    yield from map(_indented, lines)


def _indented(shown: Text | Table, columns: int = 2) -> Padding:
    return Padding(shown, (0, 0, 0, columns))


def _log(lines: Sequence[str]) -> Text:
    return Text("\n").join(Text(line, style="dim") for line in shortened(lines, _SHOWN_LOG))


def _phase(phase: PhaseData, *, decided: bool) -> Table:
    table = Table.grid(padding=(0, 2))
    board = phase.board
    table.add_row("Board", _board(phase.before, board))
    if phase.centers:
        owned = "\n".join(
            f"{board.power_name(power)}: {', '.join(centers)}" for power, centers in phase.centers.items()
        )
        table.add_row("Centers", Text(owned))
    table.add_row("Orders", _orders(phase.orders, board))
    if decided and phase.expected is not None:
        dislodged = f"\n(dislodged: {_units(phase.expected.dislodged)})" if phase.expected.dislodged else ""
        table.add_row("Expected", Text(_by_power(phase.expected.units, board) + dislodged))
        table.add_row("Got", Text("no answer") if phase.answer is None else _board(phase.answer, board))
        if phase.differences:
            table.add_row("Differs", Text("\n".join(phase.differences), style="red"))
        if phase.broken_rule:
            table.add_row("Breaks", Text(phase.broken_rule))
        if phase.explanation:
            table.add_row("Why", Text(phase.explanation))
        if phase.not_given:
            table.add_row("Not said", Text(", ".join(phase.not_given)))
    return table


def _orders(orders: Sequence[OrderData], board: Board) -> Text | Table:
    if not orders:
        return Text("none")
    outcomes: list[str] = []
    for order in orders:
        if order.outcome is None:
            outcomes.append(f"expected: {order.expected}" if order.expected else "")
        else:
            outcomes.append(f"{order.outcome} ({order.reason})" if order.reason else order.outcome)
    table = Table.grid(padding=(0, 2))
    for order, outcome in zip(orders, outcomes, strict=True):
        text = Text(order.text + (f" ({order.place})" if order.place else ""))
        # A column without any text would take room from the others.
        last = [Text(outcome, style="dim")] if any(outcomes) else []
        table.add_row(Text(board.power_name(order.power)), text, *last)
    return table


def _board(shown: BoardData, board: Board) -> Text:
    text = Text(_by_power(shown.units, board))
    for entry in shown.dislodged or ():
        attacker = f" by {entry.attacked_from}" if entry.attacked_from else ""
        retreats = "" if entry.retreats is None else f", may retreat to {', '.join(entry.retreats) or 'nowhere'}"
        _ = text.append(f"\ndislodged{attacker}: {board.power_name(entry.unit.power)} {_units([entry.unit])}{retreats}")
    return text


def _by_power(units: Iterable[UnitData], board: Board) -> str:
    by_power: dict[str, list[UnitData]] = {}
    for unit in units:
        by_power.setdefault(unit.power, []).append(unit)
    lines = [f"{board.power_name(power)}: {_units(members)}" for power, members in sorted(by_power.items())]
    return "\n".join(lines) or "empty"


def _units(units: Iterable[UnitData]) -> str:
    return ", ".join(f"{unit.type} {unit.location}" for unit in units)
