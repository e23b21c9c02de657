"""What a replay found: as a report that every format shows, as JSON, and as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from ...reference_engine import PHASES, Phase, printable
from ...reference_engine.version import package_version
from ...reports import CaseData, EngineData, Evidence, HarnessData, Report, RulesetData, SearchData, counted, summarize
from ..fuzzing.findings import Finding
from ..fuzzing.grouping import Group
from ..fuzzing.report import finding_case
from ..fuzzing.texts import cause_text, difference_lines, how_tested, position_lines
from ..wording import listed
from .causes import phases_of
from .recorded import NAME
from .replay import Replay
from .results import MOST_GAMES, STATUSES, ReplayFinding, Totals

_NAMED = 5
"""So many phases of a cause are named on a terminal."""
_MOST_CAUSES = 30
_SECTION = "Recorded games"


class Line(NamedTuple):
    """A line for a terminal, and how far it is indented if it has to be broken."""

    text: str = ""
    indent: int = 0
    hanging: int = 2


def replay_report(replay: Replay) -> Report:
    """Make the report of a replay: its causes, each with the smallest position that shows it."""
    shown = [(number, group, group.smallest) for number, group in enumerate(replay.groups, 1)]
    cases = [
        finding_case(group, finding, f"replay.{number}", _whose(replay, group), _notes(group), _SECTION)
        for number, group, finding in shown
        if finding is not None
    ]
    cases += _agreeing(replay.totals)
    engine = replay.plan.plan.engines[0].spec.text if replay.plan.plan.engines else ""
    names = " ".join(str(archive.path) for archive, _, _ in replay.archives)
    return Report(
        harness=HarnessData(name="datc-check", version=package_version()),
        engine=EngineData(spec=engine or names, name=replay.names[-1] if engine else names),
        ruleset=RulesetData(name=replay.plan.ruleset.name, choices=dict(replay.plan.ruleset.choices)),
        complete=replay.complete,
        incomplete_reason="" if replay.complete else replay.trouble or "it was interrupted",
        compliant=replay.complete and not replay.groups and replay.totals.compared > 0,
        seconds=round(replay.seconds, 3),
        summary=summarize(cases),
        cases=cases,
        search=SearchData(
            positions=replay.totals.compared,
            disagreements=replay.totals.count("differs"),
            against="the recorded results" if replay.plan.against == "archive" and engine else "the reference engine",
        ),
    )


def _agreeing(totals: Totals) -> Iterable[CaseData]:
    """Make a case that passed of each kind of phase that was compared and does not differ."""
    for phase, counts in totals.counts.items():
        if counts["agrees"] and not counts["differs"]:
            yield CaseData(
                id=f"replay.{phase}",
                suite="replay",
                section="replay",
                section_title=_SECTION,
                title=f"{counted(counts['agrees'], f'{phase} phase')} agree{'s' * (counts['agrees'] == 1)}",
                issues=[],
                verdict="passed",
                notes=[f"read {counts['read']}, follow {counts['follows']}, skipped {counts['skipped']}"],
            )


def replay_data(replay: Replay) -> dict[str, object]:
    """Return what was found as data for JSON."""
    totals, ruleset = replay.totals, replay.plan.ruleset
    return {
        "format": 1,
        "type": "replay",
        "archives": [str(archive.path) for archive, _, _ in replay.archives],
        "engine": replay.names[1] if len(replay.names) > 1 else None,
        "against": replay.plan.against if len(replay.names) > 1 else "reference",
        "ruleset": {"name": ruleset.name, "choices": dict(ruleset.choices)},
        "inferred": replay.inferred,
        "complete": replay.complete,
        "trouble": replay.trouble,
        "games": totals.games,
        "phases": totals.data(),
        "skipped": dict(totals.reasons),
        "unreadable": totals.unreadable,
        "problems": totals.problems,
        "other_board_than_before": {"count": totals.break_count, "phases": totals.breaks},
        "causes": [_cause_data(replay, group) for group in replay.groups],
    }


def _cause_data(replay: Replay, group: Group) -> dict[str, object]:
    smallest = group.smallest
    return {
        "differs": replay.names[group.engine],
        "kind": group.kind,
        "cause": cause_text(group),
        "choices": group.changes,
        "evidence": msgspec.to_builtins(group.evidence),
        "refuted": [{"cause": each.sentence, "evidence": msgspec.to_builtins(each.evidence)} for each in group.refuted],
        "phases": {phase: sum(each.times for each in _of_phase(group, phase)) for phase in phases_of(group)},
        "games": len(_game_hashes(group)),
        "places": _places(group),
        "smallest": _smallest_data(smallest) if smallest else None,
        "differences": difference_lines(smallest, _who(group)) if smallest else [],
    }


def _smallest_data(finding: Finding) -> dict[str, object]:
    """Write the example of a cause: the position, and what each said of it."""
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


def _findings(group: Group) -> Sequence[ReplayFinding]:
    return [finding for finding in group.findings if isinstance(finding, ReplayFinding)]


def _of_phase(group: Group, phase: Phase) -> Iterable[ReplayFinding]:
    return (finding for finding in _findings(group) if finding.phase == phase)


def _game_hashes(group: Group) -> set[int]:
    return {game for finding in _findings(group) for game in finding.games}


def _games(group: Group) -> str:
    """Say in how many games a cause shows; of very many only that there are at least so many."""
    at_least = "at least " if any(len(each.games) >= MOST_GAMES for each in _findings(group)) else ""
    return f"{at_least}{counted(len(_game_hashes(group)), 'game')}"


def _places(group: Group) -> list[str]:
    """The first phases of a group, as many of each kind of finding as the next."""
    findings = sorted(_findings(group), key=lambda each: each.number)
    columns = max((len(finding.places) for finding in findings), default=0)
    return [each.places[index] for index in range(columns) for each in findings if index < len(each.places)]


def _whose(replay: Replay, group: Group) -> str:
    return f"{replay.names[group.engine]}: " if len(replay.names) > 1 else ""


def _who(group: Group) -> str:
    return "the engine" if group.engine else NAME


def _how_many(group: Group) -> str:
    """Say of how many phases and games a cause is."""
    parts = [
        counted(sum(each.times for each in _of_phase(group, phase)), f"{phase} phase") for phase in phases_of(group)
    ]
    return f"{', '.join(parts)} of {_games(group)}"


def _tests(group: Group) -> list[str]:
    """Say how a cause stood its test, and what seemed to be the cause and is not."""
    if group.engine == 1:
        return [text for text in how_tested(group) if text != "fitted, not tested"]
    found = [f"it decides {_decided(group.evidence)}"] if group.evidence.asked else []
    return found + [f"not {each.sentence}: that decides {_decided(each.evidence)}" for each in group.refuted]


def _decided(evidence: Evidence) -> str:
    """Say of how many phases a cause predicts the result."""
    parts = [f"{evidence.agreed} recorded as it predicts"]
    parts += [f"{evidence.as_rules} as the rules in force predict"] if evidence.as_rules else []
    rest = evidence.asked - evidence.agreed - evidence.as_rules
    parts += [f"{rest} in another way"] if rest else []
    few = "; too few to confirm it" if evidence.strength == "untested" else ""
    return f"{counted(evidence.asked, 'phase')}: {listed(parts)}{few}"


def _notes(group: Group) -> list[str]:
    return [_how_many(group), *_tests(group), *(f"in {place}" for place in _places(group)[:_NAMED])]


def replay_lines(replay: Replay) -> Iterable[Line]:
    """Say what was found, line by line."""
    totals = replay.totals
    yield from _heading(replay)
    yield Line()
    if replay.interrupted:
        yield from (Line("Interrupted: this is what was found until then."), Line())
    elif replay.trouble:
        yield from (Line(f"Not finished: {replay.trouble}"), Line())
    yield from _table(totals)
    yield from _left_out(totals)
    if replay.before is not None:
        yield Line()
        yield Line("What was recorded agrees best under these choices, which are in force above:")
        for issue, choices in replay.inferred.items():
            others = f" (as good: {', '.join(choices[1:])})" if choices[1:] else ""
            yield Line(f"{issue}={choices[0]}{others}", 2, 4)
        yield Line(
            f"{totals.count('differs')} phases differ, {replay.before.count('differs')} without these choices.", 2
        )
    yield Line()
    if not replay.groups:
        yield Line("No phase differs." if totals.compared else "No phase was compared, so nothing is known.")
        return
    differ = totals.count("differs")
    yield Line(f"{counted(differ, 'phase')} differ{'s' * (differ == 1)}: {counted(len(replay.groups), 'cause')}")
    for number, group in enumerate(replay.groups[:_MOST_CAUSES], 1):
        yield Line()
        yield from _cause_lines(replay, number, group)
    if len(replay.groups) > _MOST_CAUSES:
        yield Line()
        yield Line(f"and {counted(len(replay.groups) - _MOST_CAUSES, 'more cause')}: --json has them all")


def _heading(replay: Replay) -> Iterable[Line]:
    totals = replay.totals
    files = ", ".join(str(archive.path) for archive, _, _ in replay.archives)
    yield Line(printable(files))
    against = "the reference engine" if replay.plan.against == "reference" else "what was recorded"
    who = (
        f"{replay.names[1]} compared with {against}" if len(replay.names) > 1 else "compared with the reference engine"
    )
    read = f"{counted(totals.count('read'), 'phase')} of {counted(totals.games, 'game')}"
    yield Line(printable(f"{read}, {who}, ruleset {replay.plan.ruleset.name}"))
    rate = f", {replay.phases_now / replay.seconds:.0f} phases a second" if replay.phases_now and replay.seconds else ""
    yield Line(f"in {replay.seconds:.0f} s{rate}")


def _table(totals: Totals) -> Iterable[Line]:
    yield Line(f"{'':12}" + "".join(f"{status:>10}" for status in STATUSES))
    for phase in PHASES:
        if totals.counts[phase]["read"]:
            yield Line(f"{phase:12}" + "".join(f"{totals.counts[phase][status]:>10}" for status in STATUSES))


def _left_out(totals: Totals) -> Iterable[Line]:
    if totals.count("follows") or totals.reasons:
        yield Line()
    if totals.count("follows"):
        yield Line(f"follows: {counted(totals.count('follows'), 'phase')} after one that differs, not compared")
    for reason, count in totals.reasons.most_common():
        yield Line(f"skipped: {counted(count, 'phase')}: {printable(reason)}")
    if totals.unreadable or totals.problems:
        yield Line()
    if totals.unreadable:
        yield Line(f"{counted(totals.unreadable, 'line')} cannot be read; the table has nothing of them:")
    for problem in totals.problems[:_NAMED]:
        yield Line(printable(problem), 2, 4)
    if len(totals.problems) > _NAMED:
        yield Line("and more, which --json names", 2)
    if totals.break_count:
        yield Line()
        begins = "begins" if totals.break_count == 1 else "begin"
        yield Line(
            f"{counted(totals.break_count, 'phase')} {begins} with another board than the phase before ended with:"
        )
        yield Line(printable("; ".join(totals.breaks[:_NAMED]) + ("; …" if totals.break_count > _NAMED else "")), 2, 4)


def _cause_lines(replay: Replay, number: int, group: Group) -> Iterable[Line]:
    yield Line(f"{number:3}  {_whose(replay, group)}{cause_text(group)} ({group.kind}, {_how_many(group)})", hanging=5)
    yield from (Line(text, 5, 7) for text in _tests(group))
    places = _places(group)
    more = "; …" if len(places) > _NAMED else ""
    yield Line(printable(f"in {'; '.join(places[:_NAMED])}{more}"), 5, 7)
    smallest = group.smallest
    if smallest is not None:
        what = "position" if group.engine else "part of a position"
        yield Line(f"smallest {what} that shows it, {counted(smallest.units, 'unit')}:", 5)
        yield from (Line(line, 7, 9) for line in (*position_lines(smallest), *difference_lines(smallest, _who(group))))
