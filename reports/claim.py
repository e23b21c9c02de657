"""What a run lets an author say of an engine, in words to show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Literal, NamedTuple

from ..cases import Suite, load_suite, suite_names
from .report import VERDICTS, Report, Verdict

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

    kind: Literal["for", "against", "partial"]
    words: str
    detail: str


def claim(report: Report) -> Claim:
    """Say whether the engine is compliant, and with what, or what stands against it."""
    counted = count_in_words(report.summary, len(report.cases))
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


def suite_label(suite: str) -> str:
    """Name a suite as people do: "DATC 3.1"."""
    return f"DATC {suite.removeprefix('datc-')}" if suite.startswith("datc-") else suite


def known_suite(name: str) -> Suite | None:
    """The suite of that name that comes with the project."""
    return load_suite(name) if name in suite_names() else None


def count_in_words(summary: Mapping[Verdict, int], total: int) -> str:
    """Count verdicts: "143 of 164 cases pass, 19 deviate and 2 fail"."""
    passed = summary["passed"]
    first = (
        f"all {total} cases pass"
        if passed == total > 1
        else f"{passed} of {total} cases {_VERBS['passed'][passed != 1]}"
    )
    rest = [
        f"{summary[verdict]} {_VERBS[verdict][summary[verdict] > 1]}" for verdict in VERDICTS[1:] if summary[verdict]
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
