"""What was found, in plain words: claims in a few words, sentences on mutants, and what happened in a case."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..cases import Suite, load_ruleset, load_suite, ruleset_names, suite_names
from ..cases.suite import CaseName, short_key
from ..reference_engine.maps import STANDARD
from .inference import InferenceReport, settled_issues
from .report import (
    VERDICTS,
    CaseData,
    PhaseData,
    Report,
    RestartData,
    RulesetData,
    SearchData,
    UnitData,
    Verdict,
    board_named,
    counted,
    counted_verdicts,
    summarize,
    too_many_declared,
)
from .statements import TestedChoices
from .text import id_ranges, listed, one_line
from .vocabulary import WORDING

if TYPE_CHECKING:
    from .comparison import Comparison


class VerdictText(NamedTuple):
    """How a verdict is shown, and what is said of cases that have it."""

    sign: str
    """On pages."""
    emoji: str
    """In Markdown."""
    style: str
    """On a terminal."""
    one: str
    """What one case does; `several`: what several do."""
    several: str
    meaning: str


VERDICT_TEXTS: Mapping[Verdict, VerdictText] = {
    verdict: VerdictText(**WORDING["verdicts"][verdict]) for verdict in VERDICTS
}
URGENCY: Sequence[Verdict] = ("failed", "error", "deviated", "unsupported", "not-run", "declared", "passed")
"""Every verdict, the most urgent first."""
_SHOWN = 8
"""Of the cases that show a mutant, or of a restart, so many are named."""
_SHOWN_RESTARTS = 5
_LONGEST_REASON = 200
_SHOWN_CHANGES = 5


class Claim(NamedTuple):
    """A statement in a few words, and what is behind it."""

    kind: Literal["for", "against", "partial", "differ"]
    words: str
    detail: str


def claim(report: Report) -> Claim:
    """Say whether the engine is compliant, and with what, or what prevents it; of a search, what it found."""
    if report.search is not None:
        return _search_claim(report, report.search)
    verdicts = count_in_words(report.cases)
    if not report.complete:
        return Claim("against", "The run did not finish", f"So far: {verdicts}.")
    if not report.cases:
        return Claim("partial", "No case was run", "There is nothing to say of this engine.")
    verdicts = f"{verdicts[0].upper()}{verdicts[1:]}"
    suites, choices = dict.fromkeys(case.suite for case in report.cases), report.ruleset.choices
    editions = (suite for name in suites if (suite := known_suite(name)) and suite.name == suite.ruleset)
    # The edition whose own ruleset is in force, whatever it is called.
    edition = next((suite for suite in editions if load_ruleset(suite.name).ruleset().choices == choices), None)
    label, rules = suite_label(edition.name) if edition else "", ruleset_text(report.ruleset)
    asked = {case.key for case in report.cases}.intersection(case.key for case in edition.cases) if edition else ()
    if not report.compliant:
        words = f"Not {label} compliant" if edition else f"Not as expected under {rules}"
        return Claim("against", words, f"{verdicts}{too_many_declared(report.cases)}.")
    declared = report.summary["declared"]
    deviations = f" with {counted(declared, 'declared deviation')}" if declared else ""
    if edition is not None and len(asked) == len(edition.cases):
        return Claim("for", f"{label} compliant{deviations}", f"{verdicts}.")
    if report.carried:
        where = f"Carried to the map {report.carried.map}"
        return Claim("partial", f"As expected{deviations}", f"{verdicts} under the ruleset {rules}. {where}.")
    missing = f" That is {len(asked)} of the {len(edition.cases)} cases of {label}." if edition else ""
    return Claim("partial", f"As expected{deviations}", f"{verdicts} under the ruleset {rules}.{missing}")


def statement(report: Report, quote: Callable[[str], str] = str) -> str:
    """Say what a run shows of the engine in one or two sentences, such as "All 164 cases pass: compliant.".

    Of a part of its suites it says how many cases that is instead.
    `quote` escapes the texts in it that others wrote.
    """
    declared, total, rules = report.summary["declared"], len(report.cases), ruleset_text(report.ruleset)
    if report.complete and report.compliant:
        suffix = f" with {counted(declared, 'declared deviation')}" if declared else ""
        suffix += "" if rules == report.ruleset.name else f" under {quote(rules)}"
        whole, suites = sum(each.cases for each in report.suites), [quote(each.suite) for each in report.suites]
        found = (
            "compliant"
            if total >= whole and not report.carried
            else f"{total} of {whole} cases of {' and '.join(suites)}"
        )
        if total == 1:
            return f"The one case {'is declared' if declared else 'passes'}: {found}{suffix}."
        return f"All {total} cases {'pass or are declared' if declared else 'pass'}: {found}{suffix}."
    counts = ", ".join(f"{count} {name}{note}" for name, count, note in counted_verdicts(report.cases))
    counts = counts or "no case was run"
    if report.complete:
        return f"Not compliant with {quote(rules)}: {counts}{too_many_declared(report.cases)}."
    return f"Not finished: {quote(report.incomplete_reason)}. {counts}."


def ruleset_text(ruleset: RulesetData) -> str:
    """Name rules with what is not as in the ruleset of that name: "datc-3.2 with 4.A.3 = alexander"."""
    own = load_ruleset(ruleset.name).ruleset().choices if ruleset.name in ruleset_names() else ruleset.choices
    changed = [f"{issue} = {choice}" for issue, choice in ruleset.choices.items() if own.get(issue) != choice]
    more = f" and {len(changed) - _SHOWN_CHANGES} more" if len(changed) > _SHOWN_CHANGES else ""
    return f"{ruleset.name} with {', '.join(changed[:_SHOWN_CHANGES])}{more}" if changed else ruleset.name


def _search_claim(report: Report, search: SearchData) -> Claim:
    asked = counted(search.positions, "position")
    rest = "" if report.complete else f" Not finished: {one_line(report.incomplete_reason, _LONGEST_REASON)}."
    causes = sum(case.verdict != "passed" for case in report.cases)
    if not causes and not search.disagreements:
        words = f"No difference found in {asked}" if search.positions else "No position was asked"
        return Claim("for" if report.complete else "partial", words, f"Compared with {search.against}.{rest}")
    differing = f"{counted(search.disagreements, 'answer')} differ{'s' * (search.disagreements == 1)}"
    if not causes:
        return Claim(
            "differ", f"{differing} in {asked}", f"Compared with {search.against}. No difference is stored.{rest}"
        )
    detail = f"{differing} from {search.against}. Each cause has its smallest position.{rest}"
    return Claim("differ", f"{counted(causes, 'cause')} found in {asked}", detail)


def comparison_claim(comparison: Comparison) -> Claim:
    """Say in a few words whether engines agree."""
    from .comparison import KINDS  # Here, since it takes long to import.

    differing, words_differ, unanswered, alike = (len(comparison.of_kind(kind)) for kind in KINDS)
    if not comparison.cases:
        return Claim("partial", "No case was run", "There is nothing to compare.")
    cases = counted(len(comparison.cases), "case")
    everybody = "both" if len(comparison.reports) == 2 else f"all {len(comparison.reports)}"
    detail = f"In {alike} {everybody} answer alike."
    if words_differ:
        detail += f" In {words_differ} the boards are the same, and only the outcome of an order differs."
    if unanswered:
        detail += f" In {unanswered} not all answered, and those who did agree."
    if differing:
        return Claim("differ", f"They differ in {differing} of {cases}", detail)
    if words_differ:
        return Claim("differ", f"Their boards agree; {counted(words_differ, 'case')} with other outcomes", detail)
    if unanswered:
        return Claim("partial", "Nobody contradicts another", detail)
    return Claim("for", "They answer every case alike", f"{cases}, {everybody} answered.")


def inference_claim(report: InferenceReport) -> Claim:
    """Say in a few words how much is known."""
    counts = issue_counts(report)
    total = sum(counts.values())
    words = f"{counts['settled']} of {total} issues settled"
    found = [f"{counts['narrowed'] + counts['open']} are open"] if counts["settled"] < total else []
    for count, one, several in (
        (len(report.contradictions), "set of answers contradicts itself", "sets of answers contradict themselves"),
        (len(report.bugs), "answer is wrong under every ruleset", "answers are wrong under every ruleset"),
        (len(report.unsupported), "case was not answered", "cases were not answered"),
    ):
        if count:
            found.append(f"{count} {one if count == 1 else several}")
    detail = f"{'; '.join(found)}." if found else "Its answers are those of one ruleset."
    if report.contradictions or report.bugs:
        return Claim("against", words, detail)
    return Claim("for" if counts["settled"] == total else "partial", words, detail)


def issue_counts(report: InferenceReport) -> dict[str, int]:
    """How many issues have one choice left, have some ruled out, and are all open."""
    settled = len(settled_issues(report))
    narrowed = sum(len(choices) > 1 and bool(report.proof[issue]) for issue, choices in report.choices.items())
    return {"settled": settled, "narrowed": narrowed, "open": len(report.choices) - settled - narrowed}


def suite_label(suite: str) -> str:
    """Name a suite as people do: "DATC 3.1", or "DATC 3.2 on other places of loeb9"."""
    suite, _, carried = suite.partition("@")
    label = f"DATC {suite.removeprefix('datc-')}" if suite.startswith("datc-") else suite
    return f"{label} on other places of {carried}" if carried else label


def placement_text(case: CaseData) -> str:
    """Say where a case was carried to: "6.A.1 at other places: North Sea is Ionian Sea, England is Italy."."""
    if not case.placement:
        return ""
    own, other = board_named(STANDARD), board_named(case.placement.map)
    named = case.placement.locations.items()
    places = [f"{own.describe(one)} is {other.describe(to)}" for one, to in named]
    powers = [f"{own.power_name(one)} is {other.power_name(to)}" for one, to in case.placement.powers.items()]
    return f"{case.of_document.label} at other places: {', '.join((*places, *powers))}."


def known_suite(name: str) -> Suite | None:
    """The suite of that name that comes with the project."""
    return load_suite(name) if name in suite_names() else None


def count_in_words(cases: Collection[CaseData]) -> str:
    """Count verdicts: "143 of 164 cases pass, 19 deviate (the board is right in 3) and 2 fail"."""
    counts = [
        f"{count} {VERDICT_TEXTS[verdict].several if count > 1 else VERDICT_TEXTS[verdict].one}{note}"
        for verdict, count, note in counted_verdicts(cases)
        if verdict != "passed"
    ]
    passed, total = summarize(cases)["passed"], len(cases)
    first = f"{passed} of {total} cases {'passes' if passed == 1 else 'pass'}"
    most, last = [f"all {total} cases pass" if passed == total > 1 else first, *counts[:-1]], counts[-1:]
    return " and ".join([", ".join(most), *last])


def shared_reasons(cases: Iterable[CaseData]) -> Iterator[tuple[Verdict, str]]:
    """Give a line for the cases with the same verdict and reason: the verdict, and the reason with the cases."""
    groups: dict[tuple[Verdict, str], list[CaseData]] = {}
    for case in cases:
        groups.setdefault((case.verdict, case.reason), []).append(case)
    for verdict, reason in sorted(groups, key=lambda group: VERDICTS.index(group[0])):
        same = groups[verdict, reason]
        count = f" ({counted(len(same), 'case')})" if len(same) > 1 else ""
        yield verdict, f"{reason}{count}: {id_ranges([short_key(case.key) for case in same])}"


def statement_sentences(report: Report, quote: Callable[[str], str] = str, *, refuted: bool = False) -> Iterator[str]:
    """Say what is said of the engine, and where it was seen; `quote` makes fit what a stored run may hold.

    What it does not play is said by the cases that would be right under it, unless what is `refuted` is asked for.
    """
    suites = {case.suite for case in report.cases}
    unsettled = {case.name for case in report.cases if case.verdict == "deviated" or not case.deviations}

    def is_said(tested: TestedChoices) -> bool:
        strength = tested.evidence.strength
        if refuted:
            return True
        is_weak = strength in ("sometimes", "untested")
        return strength != "refuted" and (not is_weak or any(case in unsettled for case in tested.cases))

    yield from bug_sentences(report, quote)
    for tested in filter(is_said, report.tested_choices):
        seen = f"{tested.statement.seen} {_named(tested.cases, suites, quote)}"
        yield f"{tested.statement.claim(quote)}, {seen} ({tested.evidence.tested})."


def bug_sentences(report: Report | InferenceReport, quote: Callable[[str], str] = str) -> Iterator[str]:
    """Say what an engine lacks, which bugs it looks like, and in which cases that was seen."""
    suites = {case.suite for case in report.cases}
    for part in report.missing_parts:
        hollow = (
            f"; {counted(len(part.hollow), 'other')} with such orders pass, and show nothing" if part.hollow else ""
        )
        seen = f"{quote(part.count)}, {_named(part.cases, suites, quote)}{hollow}"
        yield f"{part.statement.claim(quote)} ({quote(part.name)}): {seen} ({part.evidence.tested})."
    for bug in report.looks_like:
        others = f", though not in {_named(bug.against, suites, quote)}" if bug.against else ""
        seen = f"{bug.statement.seen} {_named(bug.cases, suites, quote)}{others}"
        yield f"{bug.statement.claim(quote)} ({quote(bug.name)}), {seen} ({bug.statement.evidence.tested})."


def _named(cases: Iterable[CaseName], suites: Collection[str], quote: Callable[[str], str]) -> str:
    return listed([quote(case.id if len(suites) < 2 else case.label) for case in cases], _SHOWN)


def restart_lines(restarts: Sequence[RestartData], quote: Callable[[str], str] = str) -> Iterator[str]:
    """Say how often the process of the engine broke down, then why, a line each, as many as are read."""
    if restarts:
        yield f"The process of the engine broke down {counted(len(restarts), 'time')}:"
    for restart in restarts[:_SHOWN_RESTARTS]:
        cases = listed([quote(case.label) for case in restart.cases], _SHOWN)
        yield f"{cases}{': ' if cases else ''}{quote(one_line(restart.reason, _LONGEST_REASON))}"
    if len(restarts) > _SHOWN_RESTARTS:
        yield f"and {len(restarts) - _SHOWN_RESTARTS} more"


def describe_case(case: CaseData) -> Iterator[str]:
    """Say why a case has its verdict, and what was ordered, expected and answered in each phase."""
    if case.reason:
        yield case.reason
    if case.placement:
        yield placement_text(case)
    yield from (f"note: {note}" for note in case.notes)
    if case.log:
        yield from _listed("log", case.log)
    for phase in case.phases:
        yield from describe_phase(phase)


def describe_phase(phase: PhaseData) -> Iterator[str]:
    """Say what was ordered, expected and answered."""
    yield f"{phase.turn}, {phase.phase} phase"
    orders: list[str] = []
    for order in phase.orders:
        words = (("expected", order.expected), ("got", order.outcome), ("because", order.reason))
        said = ", ".join(f"{what} {value}" for what, value in words if value is not None)
        place = f" [{order.place}]" if order.place else ""
        orders.append(f"{order.power}: {order.text}{place}" + (f" ({said})" if said else ""))
    yield from _listed("orders", orders)
    if phase.expected is None:
        yield "  expected: the ruleset has no answer"
    else:
        beaten = [_unit(unit, dislodged=True) for unit in phase.expected.dislodged]
        yield from _listed("expected", [*map(_unit, sorted(phase.expected.units)), *beaten])
    if phase.answer is None:
        yield "  got: no answer"
    else:
        entries = phase.answer.dislodged or ()
        beaten = [_unit(entry.unit, dislodged=True, attacked_from=entry.attacked_from) for entry in entries]
        yield from _listed("got", [*map(_unit, sorted(phase.answer.units)), *beaten])
        yield from _listed("differences", phase.differences)
    if phase.broken_rule:
        yield from _listed("the rule that it breaks", [phase.broken_rule])
    if phase.explanation:
        yield from _listed("why the expected outcome is right", [phase.explanation])


def _listed(title: str, items: Iterable[str]) -> Iterator[str]:
    yield f"  {title}:"
    yield from (f"    {item}" for item in list(items) or ["none"])


def _unit(unit: UnitData, *, dislodged: bool = False, attacked_from: str | None = None) -> str:
    origin = f" from {attacked_from}" if attacked_from else ""
    return f"{'dislodged: ' * dislodged}{unit.power} {unit.type} {unit.location}{origin}"
