"""What a run, a comparison or an inference lets one say, in a few words to show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Literal, NamedTuple

from ..cases import Suite, load_suite, suite_names
from .comparison import KINDS, Comparison
from .inference import InferenceReport
from .report import VERDICTS, CaseData, Report, Verdict, right_boards, summarize

_VERBS: Mapping[Verdict, tuple[str, str]] = {
    "passed": ("passes", "pass"),
    "deviated": ("deviates", "deviate"),
    "failed": ("fails", "fail"),
    "declared": ("is declared", "are declared"),
    "unsupported": ("is not supported", "are not supported"),
    "error": ("ends in an error", "end in an error"),
    "not-run": ("was not asked", "were not asked"),
}
"""What one case, and what several do."""


class Claim(NamedTuple):
    """A statement in a few words, and what is behind it."""

    kind: Literal["for", "against", "partial", "differ"]
    words: str
    detail: str


def claim(report: Report) -> Claim:
    """Say whether the engine is compliant, and with what, or what stands against it."""
    counted = count_in_words(report.cases)
    if not report.complete:
        return Claim("against", "The run did not finish", f"So far: {counted}.")
    if not report.cases:
        return Claim("partial", "No case was run", "There is nothing to say of this engine.")
    edition = _edition(report)
    if not report.compliant:
        words = f"Not {edition.label} compliant" if edition else f"Not as expected under {report.ruleset.name}"
        return Claim("against", words, f"{counted[0].upper()}{counted[1:]}.")
    declared = report.summary["declared"]
    deviations = f" with {declared} declared deviation{'s' if declared > 1 else ''}" if declared else ""
    counted = f"{counted[0].upper()}{counted[1:]}"
    if edition is None or edition.missing:
        missing = f" That is {edition.asked} of the {edition.size} cases of {edition.label}." if edition else ""
        return Claim(
            "partial", f"As expected{deviations}", f"{counted} under the ruleset {report.ruleset.name}.{missing}"
        )
    return Claim("for", f"{edition.label} compliant{deviations}", f"{counted}.")


def comparison_claim(comparison: Comparison) -> Claim:
    """Say in a few words whether engines agree."""
    differing, silent, alike = (len(comparison.of_kind(kind)) for kind in KINDS)
    if not comparison.cases:
        return Claim("partial", "No case was run", "There is nothing to compare.")
    total = len(comparison.cases)
    cases = f"{total} case{'s' if total > 1 else ''}"
    everybody = "both" if len(comparison.reports) == 2 else f"all {len(comparison.reports)}"
    unanswered = f" In {silent} not all answered, and those who did agree." if silent else ""
    if differing:
        words = f"They differ in {differing} of {cases}"
        return Claim("differ", words, f"In {alike} {everybody} answer alike.{unanswered}")
    if silent:
        return Claim("partial", "Nobody contradicts another", f"In {alike} {everybody} answer alike.{unanswered}")
    return Claim("for", "They answer every case alike", f"{cases}, {everybody} answered.")


def inference_claim(report: InferenceReport) -> Claim:
    """Say in a few words how much is known."""
    counts = issue_counts(report)
    total = sum(counts.values())
    words = f"{counts['settled']} of {total} issues settled"
    found = [f"{counts['narrowed'] + counts['open']} are open"] if counts["settled"] < total else []
    for count, one, several in (
        (len(report.contradictions), "set of answers contradicts itself", "sets of answers contradict themselves"),
        (len(report.bugs), "answer is right under no ruleset", "answers are right under no ruleset"),
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
    settled = sum(len(choices) == 1 for choices in report.choices.values())
    narrowed = sum(len(choices) > 1 and bool(report.proof[issue]) for issue, choices in report.choices.items())
    return {"settled": settled, "narrowed": narrowed, "open": len(report.choices) - settled - narrowed}


def suite_label(suite: str) -> str:
    """Name a suite as people do: "DATC 3.1"."""
    return f"DATC {suite.removeprefix('datc-')}" if suite.startswith("datc-") else suite


def known_suite(name: str) -> Suite | None:
    """The suite of that name that comes with the project."""
    return load_suite(name) if name in suite_names() else None


def count_in_words(cases: Collection[CaseData]) -> str:
    """Count verdicts: "143 of 164 cases pass, 19 deviate (the board is right in 3) and 2 fail"."""
    summary, total = summarize(cases), len(cases)
    passed = summary["passed"]
    first = (
        f"all {total} cases pass"
        if passed == total > 1
        else f"{passed} of {total} cases {_VERBS['passed'][passed != 1]}"
    )
    rest = [
        f"{summary[verdict]} {_VERBS[verdict][summary[verdict] > 1]}{right_boards(cases, verdict)}"
        for verdict in VERDICTS[1:]
        if summary[verdict]
    ]
    return " and ".join(filter(None, (", ".join((first, *rest[:-1])), *rest[-1:])))


class _Edition(NamedTuple):
    """An edition of the DATC, and how much of it was asked."""

    label: str
    size: int
    asked: int

    @property
    def missing(self) -> bool:
        return self.asked < self.size


def _edition(report: Report) -> _Edition | None:
    """The edition whose own ruleset is in force, if any of its cases was asked."""
    asked: Counter[str] = Counter(case.suite for case in report.cases)
    for name in asked:
        suite = known_suite(name)
        if suite is not None and suite.name == suite.ruleset == report.ruleset.name:
            return _Edition(suite_label(name), len(suite.cases), asked[name])
    return None
