"""What `doctor` says of an engine, and which cases notice which mutants."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from ...cases import Case
from ...cases.suite import short_key
from ...reference_engine import Ruleset
from ...reports import CaseData, Report
from ...reports.findings import Findings, Line, Part, contract
from ...reports.gate import silence_sentences
from ...reports.report import counted, engine_name
from ...reports.text import listed
from ...reports.wording import statement_sentences
from ..play.differences import IMPOSSIBLE_KINDS
from .mutants import MUTANTS
from .topics import play

_SHOWN = 8
"""Of the cases that notice a mutant, so many are named."""
_MOST_SAID = 10
"""So many statements about an engine are shown, unless all are asked for."""


def mutant_coverage(cases: Sequence[Case], ruleset: Ruleset) -> Mapping[str, tuple[Case, ...]]:
    """For each mutant the cases that it fails: those that it answers as no choice of any issue has it."""
    return {
        name: tuple(case for case in cases if play(mutant.procedure, case, ruleset).verdict == "failed")
        for name, mutant in MUTANTS.items()
    }


def doctor_findings(report: Report, asked: str | None, *, verbose: bool = False) -> Findings[Mapping[str, object]]:
    """Build what is said of the failures of a run; `asked` names its engine as on the command line.

    Where `verbose`, it says what the engine does not play, too, and everything else.
    """
    failed = [case.key for case in report.cases if case.verdict == "failed"]
    explained = {case.key for each in (*report.looks_like, *report.missing_parts) for case in each.cases}
    unexplained = [key for key in failed if key not in explained]
    impossible = {case.key: why for case in report.cases if (why := _impossible_board(case))}
    unlike = [short_key(key) for key in unexplained if key not in impossible]
    said = list(statement_sentences(report, refuted=verbose))
    more = [] if verbose or len(said) <= _MOST_SAID else [f"{len(said) - _MOST_SAID} more statements: add -v"]
    count = counted(sum(case.verdict != "not-run" for case in report.cases), "case")
    parts = [
        Part([f"{engine_name(report.engine)}: {count} asked, {len(failed)} failed", *silence_sentences(report)]),
        *(Part([sentence]) for sentence in (*said[: None if verbose else _MOST_SAID], *more)),
    ]
    if impossible:
        boards = [Line(f"{short_key(key)}: {why}", 2) for key, why in impossible.items()]
        parts.append(Part(["Impossible boards:", *boards]))
    incomplete = [] if report.complete else [f"Not finished: {report.incomplete_reason}"]
    parts.append(Part(incomplete))
    if unlike:
        head = "Failed, and not compared with mutants:" if incomplete else "Like no mutant:"
        parts.append(Part([head, Line(", ".join(unlike), 2)]))
    if failed:
        first = next(case for case in report.cases if case.key == failed[0])
        where = report.carried.options if report.carried else []
        engine = [asked] if asked else []
        command = shlex.join(["datc-check", "explain", short_key(first.of_document.key), *engine, *where])
        parts.append(Part(["To follow one through, order by order:", Line(command, 2, unbroken=True)]))
    data = contract(
        "doctor",
        engine=report.engine.name,
        complete=report.complete,
        incomplete_reason=report.incomplete_reason,
        failed=failed,
        looks_like=report.looks_like,
        tested_choices=report.tested_choices,
        missing_parts=report.missing_parts,
        unexplained=unexplained,
    )
    why = [f"{counted(len(failed), 'case')} failed."] if failed else []
    return Findings(data, parts, "\n".join([*incomplete, *why, *silence_sentences(report)]))


def _impossible_board(case: CaseData) -> str:
    """Say in a sentence what is impossible with the board that a failed case ended with; empty if it can exist."""
    phases = [phase for phase in case.phases if any(fact.kind in IMPOSSIBLE_KINDS for fact in phase.facts)]
    if case.verdict != "failed" or not phases:
        return ""
    return next(iter(phases[0].differences), "").removeprefix("impossible board: ")


def coverage_findings(noticed: Mapping[str, Sequence[Case]]) -> Findings[object]:
    """Build what is said of the known bugs, each with the cases that notice it."""
    unnoticed = [name for name, cases in noticed.items() if not cases]
    lines: list[str | Line] = []
    for name, cases in noticed.items():
        named = listed([short_key(case.key) for case in cases], _SHOWN) if cases else "no case notices it"
        lines += [name, Line(MUTANTS[name].sentence, 2, 2), Line(named, 2)]
    count = f"{len(noticed)} mutants, {len(noticed) - len(unnoticed)} noticed by some case"
    missing = [f"Noticed by none: {', '.join(unnoticed)}"] if unnoticed else []
    mutants = {
        name: {"sentence": MUTANTS[name].sentence, "noticed_by": [case.key for case in cases]}
        for name, cases in noticed.items()
    }
    return Findings(contract("mutants", mutants=mutants, unnoticed=unnoticed), [Part(lines), Part([count, *missing])])
