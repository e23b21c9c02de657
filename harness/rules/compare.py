"""What runs show of the rules that their engines play, and where these differ."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...cases import Case, load_suite, suite_names
from ...cases.suite import short_key
from ...reference_engine import ISSUES
from ...reports import CaseData, Report, UnitData
from ...reports.comparison import Agreement, CaseComparison, Comparison, IssueComparison, comparison_data
from ...reports.findings import Findings, Line, Part
from ...reports.report import engine_name
from ...reports.text import printable_struct
from ...reports.wording import restart_lines
from ..play.answer import Answer
from ..play.differences import diff_answers, expect_answer, group_alike
from ..play.report_data import answered_phases, unit_data
from .infer import Conclusion, conclude, constraint_of


def compare(reports: Sequence[Report], cases: Iterable[Case] | None = None) -> Comparison:
    """Compare runs of these cases, or of those that come with the project."""
    if cases is None:
        cases = [case for name in suite_names() for case in load_suite(name).cases]
    by_key = {case.key: case for case in cases}
    return compare_runs(reports, [inferred_rules(report, by_key) for report in reports])


def compare_runs(reports: Sequence[Report], rules: Sequence[Conclusion]) -> Comparison:
    """Compare runs, of the same cases under the same rules as a rule; `rules` are what each shows of its engine."""
    reports = [printable_struct(report) for report in reports]
    # The cases of the runs side by side, in the order in which the runs have them.
    by_key: dict[str, list[CaseData | None]] = {}
    for place, report in enumerate(reports):
        for case in report.cases:
            by_key.setdefault(case.key, [None] * len(reports))[place] = case
    cases = tuple(map(compare_case, by_key.values()))
    # One that left a case out is in a group of its own.
    alike: dict[object, list[int]] = {}
    for place in range(len(reports)):
        letters = tuple(case.letter(place) for case in cases)
        alike.setdefault(place if "" in letters else letters, []).append(place)
    agreements: dict[tuple[int, int], Agreement] = {}
    for one, other in itertools.combinations(range(len(reports)), 2):
        both = [case for case in cases if {one, other}.isdisjoint(case.unanswered)]
        agreements[one, other] = Agreement(sum(case.letter(one) == case.letter(other) for case in both), len(both))
    issues: list[IssueComparison] = []
    for issue in ISSUES:
        found = [each.findings[issue] for each in rules]
        choices = tuple(each.choices if each.proof else () for each in found)
        known = [each for each in choices if each]
        if known and not set(known[0]).intersection(*known):  # No choice fits the answers of all engines.
            proof = {case.key for each in found for case in each.proof}
            evidence = tuple(case for case in cases if case.kind == "differing" and case.key in proof)
            issues.append(IssueComparison(issue, choices, evidence))
    return Comparison(
        reports=tuple(reports),
        cases=cases,
        agreements=agreements,
        issues=tuple(issues),
        groups=tuple(sorted(map(tuple, alike.values()), key=lambda group: (-len(group), group))),
        contradictions=[[[case.key for case in together] for together in each.contradictions] for each in rules],
    )


def compare_case(cases: Sequence[CaseData | None]) -> CaseComparison:
    """Group the engines that answered a case alike; `None` stands for one whose run does not have it."""
    answers = [None if case is None else answers_to(case) for case in cases]
    groups = group_alike(answers)
    of_groups = [answer for group in groups if (answer := answers[group[0]]) is not None]
    # The first phase in which some boards differ; the last that all have where none does.
    last = min(map(len, of_groups), default=1) - 1
    differing = (n for n in range(last + 1) if len(group_alike([[each[n]] for each in of_groups])) > 1)
    phase = next(differing, last)
    only_here = tuple(_only_here(number, of_groups, phase) for number in range(len(of_groups)))
    is_alike = len(groups) < 2 and not _other_words(cases, answers)
    return CaseComparison(tuple(cases), groups, phase, only_here, is_alike)


def answers_to(case: CaseData) -> Sequence[Answer] | None:
    """Return what an engine answered to a case; `None` where it did not answer every phase that it was asked."""
    answers = [one.answer for one in answered_phases(case) if isinstance(one.answer, Answer)]
    return answers if answers and len(answers) == len(case.phases) else None


def answered_alike(one: CaseData, other: CaseData) -> bool:
    """Whether two runs have the same answer to a case, or both have none."""
    mine, theirs = answers_to(one), answers_to(other)
    if mine is None or theirs is None:
        return mine is theirs
    return len(group_alike([mine, theirs])) == 1


def _only_here(number: int, answers: Sequence[Sequence[Answer]], phase: int) -> tuple[UnitData, ...]:
    """Name the units that one answer has in a phase and no other answer."""
    mine = answers[number][phase]
    others = [expect_answer(other[phase], ()) for place, other in enumerate(answers) if place != number]
    alone = [{fact.unit for fact in diff_answers(other, mine) if fact.kind == "unit-unexpected"} for other in others]
    return tuple(unit_data(sorted(unit for unit in set(mine.units).intersection(*alone) if unit)) if alone else ())


def _other_words(cases: Sequence[CaseData | None], answers: Sequence[Sequence[Answer] | None]) -> bool:
    """Whether engines with the same boards say something else of an order whose outcome the case states."""
    answered = [(case, answer) for case, answer in zip(cases, answers, strict=True) if case and answer]
    for (case, mine), (_, theirs) in itertools.combinations(answered, 2):
        for phase, one, other in zip(case.phases, mine, theirs, strict=False):
            said = min(len(one.outcomes or ()), len(other.outcomes or ()))
            judged = [index for index, order in enumerate(phase.orders[:said]) if order.expected]
            if any(not fact.on_board for fact in diff_answers(expect_answer(one, judged), other)):
                return True
    return False


def inferred_rules(report: Report, cases: Mapping[str, Case]) -> Conclusion:
    """Infer from the answers of a run which rules its engine plays. What is of no known case tells nothing."""
    known = [(case, data) for data in report.cases if (case := cases.get(data.key))]
    return conclude([constraint_of(case, answered_phases(data, case)) for case, data in known])


def comparison_findings(comparison: Comparison) -> Findings[dict[str, object]]:
    """Say where engines differ."""
    parts = [Part([*_engines(comparison)]), Part([*_agreement(comparison)]), *_differing(comparison)]
    return Findings(comparison_data(comparison), parts, _difference(comparison))


def _engines(comparison: Comparison) -> Iterator[Line]:
    names = [engine_name(report.engine) for report in comparison.reports]
    yield from (Line(f"{number}  {name}", hanging=6) for number, name in enumerate(names, 1))
    for report, name in zip(comparison.reports, names, strict=True):
        if not report.complete:
            yield Line(f"{name} was not asked to the end: {report.incomplete_reason}", hanging=6)
    for number, report in enumerate(comparison.reports, 1):
        yield from (Line(f"{number}  {line}", hanging=6) for line in restart_lines(report.restarts))


def _agreement(comparison: Comparison) -> Iterator[str | Line]:
    yield "Cases answered alike, of those that both answered"
    for (one, other), found in comparison.agreements.items():
        yield Line(f"{one + 1} and {other + 1}  {found.alike} of {found.both}", 2)
    for group in comparison.groups:
        if len(group) > 1:
            yield Line(f"{_numbers(group)} answer every case alike", 2)
    for place in range(len(comparison.reports)):
        if comparison.answered(place) < len(comparison.cases):
            yield Line(f"{place + 1} answered {comparison.answered(place)} of {len(comparison.cases)}", 2)
    for place in range(len(comparison.reports)):
        if cases := comparison.alone(place):
            yield Line(f"{place + 1} is alone in {len(cases)}: {_keys(cases)}", 2, 6)


def _differing(comparison: Comparison) -> Iterator[Part]:
    for each in comparison.issues:
        choices = [" or ".join(choices) or "not seen" for choices in each.choices]
        rows = [Line(f"{number}  {words}", 2, 6) for number, words in enumerate(choices, 1)]
        yield Part([Line(f"{each.issue} {ISSUES[each.issue].title}", hanging=6), *rows])
    words = comparison.of_kind("words")
    if words:
        yield Part([f"The boards agree, and only the outcome of an order differs, in {_keys(words)}"])
    if comparison.differing:
        rows: list[Line] = []
        for case in comparison.differing:  # The engines with the same answer, and their verdicts.
            verdicts = [dict.fromkeys(filter(None, (case.verdicts[place] for place in group))) for group in case.groups]
            pairs = zip(case.groups, verdicts, strict=True)
            answers = " | ".join(f"{_numbers(group)} {'/'.join(each)}" for group, each in pairs)
            rows.append(Line(f"{short_key(case.key):7} {answers}", 2, 6))
        yield Part([f"{_difference(comparison).removesuffix('.')}:", *rows])
    elif not words:
        yield Part([_difference(comparison) or "They answer alike."])


def _keys(cases: Iterable[CaseComparison]) -> str:
    return ", ".join(short_key(case.key) for case in cases)


def _difference(comparison: Comparison) -> str:
    if comparison.differing:
        return f"They differ in {len(comparison.differing)} of {len(comparison.cases)} cases."
    return "" if comparison.alike else "Some did not answer a case that another answered."


def _numbers(places: Sequence[int]) -> str:
    return " ".join(str(place + 1) for place in places)
