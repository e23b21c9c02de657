"""What a search found: as a report, with a case for the smallest position of each cause, as JSON, and as lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import asdict, replace

from ...reference_engine.errors import printable
from ...reference_engine.maps import STANDARD
from ...reference_engine.orders import PHASES
from ...reports import CaseData, EngineData, OrderData, PhaseData, Report, RulesetData, Verdict, summarize
from ...reports.findings import Findings, Line, Part, contract
from ...reports.report import ExpectedData, SearchData, counted
from ..play.answer import Answer
from ..play.report_data import answered_data, harness_data, ruleset_data, unit_data
from .disagreement import CauseKind
from .drawn import HOW_DRAWN, read_games
from .findings import STATUSES, Finding
from .groups import Group, group_findings, with_ids
from .hunt import Again, Hunt, Status
from .observed import ShadowFinding
from .recorded import NAME, TWICE
from .replay import Replay
from .shadowing import Counts
from .text import (
    cause_text,
    difference_lines,
    how_many_phases,
    how_recorded,
    how_tested,
    position_lines,
    question_lines,
    rule_lines,
    rule_text,
)

_KINDS: Mapping[CauseKind, tuple[Verdict, str]] = {
    "bug": ("failed", "a bug, or a rule that no choice stands for"),
    "deviation": ("deviated", "right under another choice"),
    "failure": ("error", "no answer"),
}
_STATUSES: Mapping[Status, str] = {
    "gone": "gone",
    "remains": "remaining",
    "changed": "changed",
    "not-asked": "not asked",
}
_SECTIONS: Mapping[str, str] = {"hunt": "Found by hunting", "replay": "Recorded games", "shadow": "Found by a shadow"}
_NAMED = 5
"""So many phases of a cause, or other positions as small, are named on a terminal."""
_MOST_CAUSES, _SHOWN_NOTES = 30, 20
"""So many of them are shown on a terminal."""
_FEW = 2
"""Of positions with so few units, others with the same pattern are shown, too: the places may matter."""


def _whose(names: Sequence[str], group: Group) -> str:
    return f"{names[group.engine]}: " if len(names) > 1 else ""


def _cause_data(group: Group) -> dict[str, object]:
    refuted = [{"cause": sentence, "evidence": evidence} for sentence, evidence in group.refuted]
    data = {"kind": group.kind, "cause": cause_text(group), "choices": group.changes, "evidence": group.evidence}
    return {
        **data,
        "id": group.id,
        "rules": group.rules,
        "broken_rule": rule_text(group),
        "refuted": refuted,
        "explains": list(group.folded),
    }


def _example_data(key: str, finding: Finding | None) -> dict[str, object]:
    question, differences = (question_lines(finding), difference_lines(finding)) if finding else ([], [])
    return {key: finding, "question": question, "differences": differences}


def _cause_lines(number: int, before: str, group: Group, count: str, tests: Iterable[str]) -> list[Line]:
    heading = Line(f"{number:3}  {before}{cause_text(group)} ({group.kind}, {count})", 0, 5)
    return [heading, *(Line(text, 5) for text in (*tests, *rule_lines(group)))]


def _finding_lines(finding: Finding | None, who: str = "the engine") -> list[Line]:
    if finding is None:
        return []
    texts = (*position_lines(finding), *question_lines(finding), *difference_lines(finding, who))
    return [Line(text, 7) for text in texts]


def _ended_early(search: Hunt | Replay) -> Iterator[Part]:
    if search.interrupted:
        yield Part(["Interrupted: this is what was found until then."])
    elif search.trouble:
        yield Part([f"Not finished: {search.trouble}"])


def _rate(search: Hunt | Replay, of: str = "") -> str:
    rate = f", {search.asked_now / search.seconds:.0f}{of} a second" if search.asked_now and search.seconds else ""
    return f"in {search.seconds:.0f} s{rate}"


def _cause_parts(
    differ: str, groups: Sequence[Group], lines_of: Callable[[int, Group], Sequence[Line]]
) -> Iterator[Part]:
    """Show the first causes of so much that differs, and say how many there are more."""
    yield Part([f"{differ}: {counted(len(groups), 'cause')}"])
    for number, group in enumerate(groups[:_MOST_CAUSES], 1):
        yield Part(lines_of(number, group))
    if len(groups) > _MOST_CAUSES:
        yield Part([f"and {counted(len(groups) - _MOST_CAUSES, 'more cause')}: --json has them all"])


def hunt_heading(hunt: Hunt) -> list[str]:
    """Say what was compared, and with which positions."""
    plan = hunt.plan
    against = " and ".join(hunt.names) if len(hunt.names) > 1 else f"{hunt.names[0]} and the reference engine"
    where = "" if plan.map == STANDARD else f" on the map {printable(plan.board.name)}"
    return [
        f"{printable(against)}, ruleset {printable(plan.ruleset.name)}",
        f"seed {plan.seed}, {hunt.positions} positions{where} from {printable(', '.join(plan.sources))}",
    ]


def hunt_findings(hunt: Hunt) -> Findings[dict[str, object]]:
    """Say what a hunt found."""
    count, groups = len(hunt.findings), hunt.groups
    causes = [
        {
            "engine": hunt.names[group.engine],
            **_cause_data(group),
            "positions": len(group.findings),
            **_example_data("smallest", group.smallest),
        }
        for group in groups
    ]
    found = [f"{counted(count, 'disagreement')}, {counted(len(groups), 'cause')}."] if count else []
    data = contract(
        "hunt",
        engines=hunt.names,
        ruleset=hunt.plan.ruleset.name,
        seed=hunt.plan.seed,
        positions=hunt.positions,
        answered=hunt.answered,
        sources=hunt.counts.asked,
        complete=hunt.complete,
        trouble=hunt.trouble,
        unsupported=hunt.counts.unsupported,
        disagreements=count,
        seconds={"whole": round(hunt.seconds, 3), **asdict(hunt.counts.seconds)},
        causes=causes,
    )
    return Findings(data, [*_hunt_parts(hunt)], hunt.trouble or "\n".join([*found, *unanswered_sentences(hunt)]))


def unanswered_sentences(hunt: Hunt, *, less: bool = False) -> list[str]:
    """Name the engines that answered no position at all, of which a hunt tells nothing; with `less`, not every one."""
    if not hunt.positions:  # What is asked first may show something all the same.
        return [] if hunt.findings else ["No position was asked, so nothing is known."]
    counts = zip(hunt.names, hunt.answered, strict=False)
    return [
        printable(f"{name} answered {count or 'none'} of {counted(hunt.positions, 'position')}")
        + (": nothing is known of it." if count == 0 else ".")
        for name, count in counts
        if (count < hunt.positions if less else count == 0)
    ]


def _hunt_parts(hunt: Hunt) -> Iterator[Part]:
    yield Part([*hunt_heading(hunt), _rate(hunt)])
    yield Part([*_about_games(hunt)])
    yield from _ended_early(hunt)
    if not hunt.complete and not hunt.interrupted and not hunt.trouble:
        yield Part([f"The time was up: {hunt.positions} of {hunt.plan.positions} positions were asked."])
    yield Part(unanswered_sentences(hunt, less=True))
    if any(each.possible is None and not each.is_builtin for each in hunt.plan.engines):
        yield Part(["The time was too short to infer which rules it plays: any choice may explain it."])
    if groups := hunt.groups:
        yield from _cause_parts(counted(len(hunt.findings), "disagreement"), groups, partial(_hunt_lines, hunt.names))
    elif hunt.positions and all(hunt.answered):
        yield Part(["No disagreement."])


def _about_games(hunt: Hunt) -> Iterator[Line]:
    """Say what was done with the positions of games, and what was guessed or skipped to read a pasted text."""
    for source in hunt.plan.sources:
        kind, _, path = source.partition(":")
        if kind == "real":
            games = read_games(Path(path))
            which = f"a sample of {len(games)}" if games.is_sample else f"{len(games)}"
            yield Line(f"{path}: of {which} positions, {HOW_DRAWN} (datc-check replay does).")
            if games.notes:
                yield Line("Guessed or skipped to read it:")
            yield from (Line(note, 2) for note in games.notes[:_SHOWN_NOTES])
            if (more := len(games.notes) - _SHOWN_NOTES) > 0:
                yield Line(f"and {more} more", 2)


def _hunt_lines(names: Sequence[str], number: int, group: Group) -> list[Line]:
    small, count = group.smallest, counted(len(group.findings), "position")
    count += f", smallest has {counted(small.units, 'unit')}" if small is not None else ""
    lines = _cause_lines(number, _whose(names, group), group, count, how_tested(group))
    lines += _finding_lines(small)
    if small is not None and small.units <= _FEW:  # Where single moves are wrong, it is the places that matter.
        shown = "; ".join(position_lines(small))
        alike = (each for each in group.findings if each.position is not None and each.units == small.units)
        texts = dict.fromkeys("; ".join(position_lines(finding)) for finding in alike)
        lines += [Line(f"also {text}", 7) for text in texts if text != shown][:_NAMED]
    return lines


def again_findings(again: Again, name: str, folder: Path) -> Findings[dict[str, object]]:
    """Say what is left of what a hunt found, which is stored in a folder."""
    ruleset, counts = again.plan.ruleset.name, {word: again.count(status) for status, word in _STATUSES.items()}
    data = contract(
        "again",
        engine=name,
        store=str(folder),
        ruleset=ruleset,
        complete=not again.trouble,
        trouble=again.trouble,
        **{word.replace(" ", "_"): count for word, count in counts.items()},
        causes=[
            {
                **_cause_data(cause.group),
                "status": cause.status,
                "asked": cause.asked,
                "wrong": cause.wrong,
                "now": cause_text(cause.now) if cause.now else "",
                **_example_data("example", cause.example),
            }
            for cause in again.causes
        ],
    )
    parts = [Part([f"{name}, asked again what {folder} found{f', ruleset {ruleset}' if ruleset else ''}"])]
    parts += [Part([f"Not finished: {again.trouble}"])] if again.trouble else []
    for number, (group, status, asked, wrong, example, now) in enumerate(again.causes, 1):
        positions = counted(asked, "position")
        count = f"{wrong} of {positions} still wrong" if wrong else f"{positions} asked"
        lines = _cause_lines(number, f"{status.replace('-', ' ')}: ", group, count, how_tested(group))
        if now is not None:
            lines.append(Line(f"now: {cause_text(now)} ({now.kind})", 7))
            lines += [Line(text, 9) for text in how_tested(now)]
        parts.append(Part([*lines, *_finding_lines(example)]))
    ended = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    end = f"{counted(len(again.causes), 'cause')}: {ended}" if again.causes else "The hunt had found nothing."
    return Findings(data, [*parts, Part([end])])


def replay_findings(replay: Replay) -> Findings[dict[str, object]]:
    """Say what a replay found."""
    read, names = replay.read, replay.names
    data = contract(
        "replay",
        archives=[str(archive.path) for archive, _, _ in replay.archives],
        engine=names[1] if len(names) > 1 else None,
        against=replay.plan.against if len(names) > 1 else "reference",
        ruleset=ruleset_data(replay.plan.ruleset),
        inferred=replay.inferred,
        complete=replay.complete,
        trouble=replay.trouble,
        games=read.games,
        phases={phase: read.of_phase(phase) for phase in PHASES},
        skipped=read.reasons,
        unreadable=read.unreadable,
        problems=read.problems,
        recorded_twice=read.repeats,
        other_board_than_before={"count": read.break_count, "phases": read.breaks},
        causes=[
            {
                "differs": names[group.engine],
                **_cause_data(group),
                "phases": group.times,
                "games": group.games,
                "places": group.places,
                "smallest": group.smallest and _smallest_data(group.smallest),
                "differences": difference_lines(group.smallest, _who(group)) if group.smallest else [],
            }
            for group in replay.groups
        ],
    )
    why = replay.why_incomplete
    if replay.groups and not replay.trouble:
        why = f"Of {read.compared} compared phases, these differ: {read.count('differs')}."
    elif not replay.trouble and not read.compared:
        why = "No phase could be compared."
    return Findings(data, [*_replay_parts(replay)], why)


def _smallest_data(finding: Finding) -> dict[str, object]:
    position = finding.position
    assert position is not None  # noqa: S101 - the smallest finding of a group has one
    return {
        "found_in": finding.source,
        "phase": position.phase,
        "units": position.units,
        "centers": position.centers,
        "dislodged": position.dislodged,
        "orders": [{"power": given.power, "text": given.text} for given in position.orders],
        "retreats": [{"power": given.power, "text": given.text} for given in position.retreats or ()],
        "said": [
            {"by": said.party, "units": said.units, "dislodged": said.dislodged, "failure": said.failure}
            for said in finding.said
        ],
        "facts": finding.facts,
    }


def _replay_parts(replay: Replay) -> Iterator[Part]:
    read, ruleset = replay.read, replay.plan.ruleset.name
    is_recorded = replay.plan.against == "archive" and len(replay.names) > 1
    against = "what was recorded" if is_recorded else "the reference engine"
    who = " ".join([*replay.names[1:], "compared with", against])
    asked = f"{counted(read.count('read'), 'phase')} of {counted(read.games, 'game')}"
    paths = ", ".join(str(archive.path) for archive, _, _ in replay.archives)
    yield Part([paths, f"{asked}, {who}, ruleset {ruleset}", _rate(replay, " phases")])
    yield from _ended_early(replay)
    rows: list[tuple[str, Iterable[object]]] = [("", STATUSES)]
    rows += [(phase, read.of_phase(phase).values()) for phase in PHASES if phase in read.phases]
    table = [f"{name:12}" + "".join(f"{cell:>10}" for cell in cells) for name, cells in rows]
    yield Part([Line(row, unbroken=True) for row in table])
    follows, differ = read.count("follows"), read.count("differs")
    words = read.count("words")
    lines = [f"words: {counted(words, 'phase')} with the same board and other outcomes of orders"] if words else []
    lines += [f"follows: {counted(follows, 'phase')} after one that differs, not compared"] if follows else []
    by_count = sorted(read.reasons.items(), key=lambda pair: -pair[1])
    yield Part(lines + [f"skipped: {counted(count, 'phase')}: {reason}" for reason, count in by_count])
    heading = [f"{counted(read.unreadable, 'line')} cannot be read; the table has nothing of them:"]
    more = [Line("and more, which --json names", 2)] if len(read.problems) > _NAMED else []
    problems = [Line(problem, 2) for problem in read.problems[:_NAMED]]
    yield Part([*(heading if read.unreadable else ()), *problems, *more])
    if read.repeats:
        yield Part(["Recorded twice, and counted once:", Line(_first(read.repeats, read.reasons[TWICE]), 2)])
    if read.break_count:
        begins = "begins" if read.break_count == 1 else "begin"
        start = f"{counted(read.break_count, 'phase')} {begins} with another board than the phase before ended with:"
        yield Part([start, Line(_first(read.breaks, read.break_count), 2)])
    if replay.before is not None:
        choices = [
            Line(f"{issue}={first}" + (f" (as good: {', '.join(others)})" if others else ""), 2)
            for issue, (first, *others) in replay.inferred.items()
        ]
        start = "What was recorded agrees best under these choices, which are in force above:"
        before = replay.before.count("differs")
        yield Part([start, *choices, Line(f"{differ} phases differ, {before} without these choices.", 2)])
    differing = f"{counted(differ, 'phase')} differ{'s' * (differ == 1)}"
    if replay.groups:
        yield from _cause_parts(differing, replay.groups, partial(_replay_lines, replay.names))
    elif differ:
        yield Part([f"{differing}; why was not looked for."])
    elif read.compared:
        yield Part(["No compared phase differs, but a part is lost." if read.problems else "No phase differs."])
    else:
        yield Part(["No phase was compared, so nothing is known."])


def _replay_lines(names: Sequence[str], number: int, group: Group) -> list[Line]:
    smallest = group.smallest
    lines = _cause_lines(number, _whose(names, group), group, how_many_phases(group), how_recorded(group))
    lines.append(Line(f"in {_first(group.places, len(group.places))}", 5))
    if smallest is not None:
        what = "position" if group.engine else "part of a position"
        lines.append(Line(f"smallest {what} that shows it, {counted(smallest.units, 'unit')}:", 5))
        lines += _finding_lines(smallest, _who(group))
    return lines


def _first(texts: Sequence[str], count: int) -> str:
    return "; ".join(texts[:_NAMED]) + ("; …" if count > _NAMED else "")


def _who(group: Group) -> str:
    return "the engine" if group.engine else NAME


def hunt_report(hunt: Hunt) -> Report:
    """Make the report of a hunt; it is one for all engines, since each has causes of its own."""
    specs = [each.spec.text for each in hunt.plan.engines]

    def notes_of(group: Group) -> list[str]:
        small, count = group.example, len(group.findings)
        notes = [f"{count} positions with this cause; this is number {small.number}, {small.source}"]
        if question := question_lines(small):
            notes.append("; ".join(question))
        return notes + how_tested(group)

    cases = _cases("hunt", hunt.groups, hunt.names, notes_of)
    incomplete = hunt.trouble or f"{hunt.positions} of {hunt.plan.positions} positions were asked"
    against = "each other and the reference engine" if len(specs) > 1 else "the reference engine"
    search = SearchData(positions=hunt.positions, disagreements=len(hunt.findings), against=against)
    engine, rules = EngineData(spec=" ".join(specs), name=" and ".join(hunt.names)), ruleset_data(hunt.plan.ruleset)
    why = "" if hunt.complete and not hunt.interrupted else incomplete
    return _report(engine, rules, why, cases, search, hunt.seconds, compliant=not cases)


def replay_report(replay: Replay) -> Report:
    """Make the report of a replay; the kinds of phases that agree are cases that passed."""
    read = replay.read

    def notes_of(group: Group) -> list[str]:
        return [how_many_phases(group), *how_recorded(group), *(f"in {place}" for place in group.places[:_NAMED])]

    cases = _cases("replay", replay.groups, replay.names, notes_of)
    for phase in PHASES:
        counts = read.of_phase(phase)
        agreeing = counts["agrees"] + counts["words"]
        if agreeing and not counts["differs"]:
            title = f"{counted(agreeing, f'{phase} phase')} agree{'s' * (agreeing == 1)}"
            note = f"read {counts['read']}, other words {counts['words']}, follow {counts['follows']}"
            note += f", skipped {counts['skipped']}"
            cases.append(_plain_case(f"replay.{phase}", title, "passed", [note]))
    engine = replay.plan.engines[0].spec.text if replay.plan.engines else ""
    names = " ".join(str(archive.path) for archive, _, _ in replay.archives)
    against = "the recorded results" if replay.plan.against == "archive" and engine else "the reference engine"
    asked = EngineData(spec=engine or names, name=replay.names[-1] if engine else names)
    search = SearchData(positions=read.compared, disagreements=read.count("differs"), against=against)
    why = "it was interrupted" if replay.interrupted else replay.why_incomplete
    rules, agrees = ruleset_data(replay.plan.ruleset), not replay.groups and read.compared > 0
    return _report(asked, rules, why, cases, search, replay.seconds, compliant=agrees)


def shadow_report(findings: Sequence[ShadowFinding], counts: Counts, names: tuple[str, str], spec: str) -> Report:
    """Make the report of a run of a shadow; `names` are those of both engines, `spec` names the new one."""

    def notes_of(group: Group) -> list[str]:
        return [f"{counted(len(group.findings), 'request')} with this cause", *how_tested(group)]

    cases = _cases("shadow", group_findings(findings), ("the engine in use", "the new engine"), notes_of)
    disagreements = counts.different + counts.failed
    left_out = counts.dropped + counts.errors + counts.waiting
    rulesets = [finding.params.ruleset for finding in findings]
    is_one = bool(rulesets) and all(ruleset == rulesets[0] for ruleset in rulesets)
    rules = ruleset_data(rulesets[0]) if is_one else RulesetData(name="", choices={})
    search = SearchData(positions=counts.asked, disagreements=disagreements, against=names[0] or "the first engine")
    why = f"{counted(left_out, 'request')} could not be compared" if left_out else ""
    engine = EngineData(spec=spec, name=names[1] or spec)
    return _report(engine, rules, why, cases, search, compliant=not disagreements)


def _report(
    engine: EngineData,
    ruleset: RulesetData,
    incomplete_reason: str,
    cases: list[CaseData],
    search: SearchData,
    seconds: float = 0.0,
    *,
    compliant: bool,
) -> Report:
    return Report(
        harness=harness_data(),
        engine=engine,
        ruleset=ruleset,
        complete=not incomplete_reason,
        incomplete_reason=incomplete_reason,
        compliant=compliant and not incomplete_reason,
        seconds=round(seconds, 3),
        summary=summarize(cases),
        cases=cases,
        search=search,
    )


def _plain_case(case_id: str, title: str, verdict: Verdict, notes: list[str], reason: str = "") -> CaseData:
    """Make a case without a position; its suite and section are what its id begins with."""
    section = case_id.partition(".")[0]
    return CaseData(
        id=case_id,
        suite=section,
        section=section,
        section_title=_SECTIONS[section],
        title=title,
        issues=[],
        verdict=verdict,
        reason=reason,
        notes=notes,
    )


def _cases(
    section: str, groups: Sequence[Group], names: Sequence[str], notes_of: Callable[[Group], list[str]]
) -> list[CaseData]:
    """Make a case of the smallest position of each cause; in a shadow also where the reference cannot be asked one."""
    cases: list[CaseData] = []
    for case_id, group in with_ids(section, groups):
        if group.smallest is None and section != "shadow":
            continue
        text, (verdict, kind) = cause_text(group), _KINDS[group.kind]
        case = _plain_case(case_id, f"{_whose(names, group)}{text}", verdict, notes_of(group), text)
        if group.smallest is not None:
            phases, issues = _phases(group), sorted(group.changes)
            expected, answer = phases[-1].expected, phases[-1].answer
            case = replace(case, reason=f"{kind}: {text}", issues=issues, deviations=group.changes)
            case = replace(case, phases=phases, expected=expected, answer=answer)
        cases.append(case)
    return cases


def _phases(group: Group) -> list[PhaseData]:
    finding = group.example
    ordered, said, wanted = finding.played("names")
    number, wrong = finding.wrong
    phases: list[PhaseData] = []
    for index, phase in enumerate(ordered.phases("names")):
        asked, answer = said[index][:2] if index < len(said) else (phase, None)
        pairs = zip(asked.submission.writings, asked.texts or (), strict=True)
        orders, expected = [OrderData(power=each.power, text=text) for each, text in pairs], None
        if index < len(wanted) and isinstance(right := wanted[index].answer, Answer):
            units, lost = unit_data(right.units), unit_data(entry.unit for entry in right.dislodged or ())
            expected = ExpectedData(choices={}, basis="derived", units=units, dislodged=lost)
        data = answered_data(asked, answer, orders, expected, wrong if index == number else ())
        phases.append(replace(data, broken_rule=rule_text(group) if index == number else ""))
    return phases
