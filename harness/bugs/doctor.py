"""What `datc-check doctor` says: which bugs an engine's failures look like, and which cases notice each known bug."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from ...cases import Case
from ...cases.suite import short_key
from ...reports import CaseData, Report
from ...reports.findings import Findings, Line, Part
from ...reports.gate import skip_sentences
from ...reports.report import counted, engine_name
from ...reports.text import listed
from ...reports.wording import statement_sentences
from ..play.differences import IMPOSSIBLE_KINDS
from .mutants import MUTANTS

_SHOWN = 8
"""Of the cases that notice a mutant, so many are named."""


def doctor_findings(report: Report, asked: str | None) -> Findings[Mapping[str, object]]:
    """Build what is said of the failures of a run; `asked` names its engine as on the command line."""
    failed = [case.key for case in report.cases if case.verdict == "failed"]
    explained = {case.key for mutant in report.looks_like for case in mutant.cases}
    unexplained = [key for key in failed if key not in explained]
    impossible = {case.key: why for case in report.cases if (why := _impossible_board(case))}
    unlike = [short_key(key) for key in unexplained if key not in impossible]
    count = counted(sum(not case.skipped for case in report.cases), "case")
    parts = [
        Part([f"{engine_name(report.engine)}: {count} asked, {len(failed)} failed", *skip_sentences(report)]),
        *(Part([sentence]) for sentence in statement_sentences(report)),
    ]
    if impossible:
        boards = [Line(f"{short_key(key)}: {why}", 2) for key, why in impossible.items()]
        parts.append(Part(["Impossible boards:", *boards]))
    if unlike:
        parts.append(Part(["Like no mutant:", Line(", ".join(unlike), 2)]))
    if failed:
        command = shlex.join(["datc-check", "explain", short_key(failed[0]), *([asked] if asked else [])])
        parts.append(Part(["To follow one through, order by order:", Line(command, 2, unbroken=True)]))
    data = {
        "engine": report.engine.name,
        "failed": failed,
        "looks_like": report.looks_like,
        "tested_choices": report.tested_choices,
        "unexplained": unexplained,
    }
    why = [f"{counted(len(failed), 'case')} failed."] if failed else []
    return Findings(data, parts, "\n".join([*why, *skip_sentences(report)]))


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
    return Findings({"mutants": mutants, "unnoticed": unnoticed}, [Part(lines), Part([count, *missing])])
