"""What documents themselves say of an outcome: the issues that it depends on, and which documents settle these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...reference_engine import DATC_3_1, DATC_3_2, ISSUES, Convoy, Move, OrderedUnit, Ruleset, SupportHold, SupportMove
from ...reports.vocabulary import listed
from ..bugs.changes import is_one_clear_set, issues_of, unraised_issues
from ..play.answer import AnswerOrFailure, Failure, PhaseInput
from ..play.differences import same_answer
from ..play.positions import helped_unit
from ..play.session import ReferenceAdjudicator, play


class Documents(NamedTuple):
    """What the documents behind rulesets say."""

    bases: Mapping[str, Mapping[str, str]]
    """How each settles each issue, by its ruleset: `stated`, `ambiguous`, `silent`, or `cannot-arise`."""
    titles: Mapping[str, str]
    """The titles of the issues."""


@dataclass(frozen=True)
class Dependence:
    """An issue that an outcome depends on: another choice for it alone changes the outcome."""

    issue: str
    title: str
    stated: Sequence[str] = ()
    """The rulesets under which it matters, and whose document settles it; next, those whose document is ambiguous."""
    ambiguous: Sequence[str] = ()
    silent: Sequence[str] = ()
    """Those whose document says nothing of it: what they play comes from elsewhere."""
    as_the_datc: bool = True
    """Whether those that are silent play what an edition of the DATC prefers."""

    @property
    def sentence(self) -> str:
        """Say which documents settle the issue: `"4.A.5 Retreat when dislodged by convoy: stated by 2023."`."""
        plays = ", so the DATC's preference is played" if self.as_the_datc else ""
        parts = [
            f"stated by {listed(self.stated)}" if self.stated else "",
            f"ambiguous in {listed(self.ambiguous)}" if self.ambiguous else "",
            f"nothing is said in {listed(self.silent)}{plays}" if self.silent else "",
        ]
        return f"{self.issue} {self.title}: {'; '.join(filter(None, parts))}."


def find_dependences(
    phases: Sequence[PhaseInput], rulesets: Mapping[str, Ruleset], documents: Documents, named: Iterable[str] = ()
) -> Sequence[Dependence]:
    """Find the issues that the outcome of phases depends on, under the rulesets of documents.

    How orders have to be written counts only if the orders can be written so, or a case is `named` after the issue.
    """
    issues = dict.fromkeys(
        issue for phase in phases for issue in issues_of(phase.phase, one_clear_set=is_one_clear_set(phase))
    )
    left_out = frozenset[str].intersection(*map(unraised_issues, phases)) | _unwritten(phases) - {*named}
    found: dict[str, dict[str, list[str]]] = {}
    for name in rulesets.keys() & documents.bases.keys():
        own = _answers(phases, rulesets[name])
        for issue in issues.keys() - left_out:
            if _matters(phases, rulesets[name], issue, own):
                found.setdefault(issue, {}).setdefault(documents.bases[name][issue], []).append(name)
    dependences: list[Dependence] = []
    for issue in filter(found.__contains__, issues):
        names = {basis: sorted(each) for basis, each in found[issue].items()}
        silent, preferred = names.get("silent", ()), {each.choices[issue] for each in (DATC_3_1, DATC_3_2)}
        as_the_datc = all(rulesets[name].choices[issue] in preferred for name in silent)
        stated, ambiguous = names.get("stated", ()), names.get("ambiguous", ())
        dependences.append(Dependence(issue, documents.titles[issue], stated, ambiguous, silent, as_the_datc))
    return dependences


def _matters(phases: Sequence[PhaseInput], ruleset: Ruleset, issue: str, own: Sequence[AnswerOrFailure]) -> bool:
    """Whether another choice for an issue alone has another outcome; one that cannot be played has none."""
    for choice in ISSUES[issue].choices:
        if choice == ruleset.choices[issue]:
            continue
        other = _answers(phases, ruleset.with_choices({issue: choice}))
        if any(isinstance(each, Failure) for each in other):
            continue
        if not all(map(same_answer, own, other)):
            return True
    return False


def _answers(phases: Sequence[PhaseInput], ruleset: Ruleset) -> Sequence[AnswerOrFailure]:
    return [one.answer for one in play(ReferenceAdjudicator(ruleset), phases)]


def _unwritten(phases: Iterable[PhaseInput]) -> set[str]:
    """Return the issues about parts of an order that none of the orders has: a route, a type, a nationality."""
    orders = [writing.writing for phase in phases for writing in phase.submission.writings]
    units = [unit for each in orders if isinstance(unit := getattr(each, "unit", None), OrderedUnit)]
    helped = [helped_unit(each) for each in orders if isinstance(each, (SupportHold, SupportMove, Convoy))]
    written = {
        "4.A.6": any(isinstance(each, Move) and each.path for each in orders),
        "4.C.1": any(unit.type for unit in units),
        "4.C.5": any(unit and unit.power for unit in helped),
    }
    return {issue for issue, is_written in written.items() if not is_written}


def agreement(everyone: str, outcome: str, depends_on: Sequence[Dependence] | None) -> str:
    """Say that all rulesets have an outcome, and whether their documents do; `None`: of these nothing is known."""
    silent, ambiguous = _undecided(depends_on or ())
    if silent or ambiguous:
        said = [
            f"{listed(names)} {'is' if len(names) == 1 else 'are'} {word}"
            for names, word in ((sorted(silent), "silent"), (sorted(ambiguous), "ambiguous"))
            if names
        ]
        return f"Every document that speaks of this agrees: {outcome}. On what decides it, {' and '.join(said)}."
    disputed = " It depends on no disputed rule." if depends_on is not None and not depends_on else ""
    return f"All {everyone} agree: {outcome}.{disputed}"


def _undecided(depends_on: Iterable[Dependence]) -> tuple[set[str], set[str]]:
    """Return the rulesets whose documents are silent, or else ambiguous, on an issue that decides their outcome."""
    depends_on = [*depends_on]
    silent = {name for each in depends_on for name in each.silent}
    return silent, {name for each in depends_on for name in each.ambiguous} - silent


def standings(rulesets: Sequence[str], engines: Sequence[str], depends_on: Iterable[Dependence]) -> str:
    """Name who has an outcome, by how documents settle what it depends on: `"2023, my-engine; ambiguous: 1982"`."""
    silent, ambiguous = _undecided(depends_on)
    groups = {
        "": [*(name for name in rulesets if name not in silent | ambiguous), *engines],
        "ambiguous: ": [name for name in rulesets if name in ambiguous],
        "silent: ": [name for name in rulesets if name in silent],
    }
    return "; ".join(f"{label}{', '.join(group)}" for label, group in groups.items() if group)
