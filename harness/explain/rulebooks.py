"""What documents themselves say of an outcome: the issues that it depends on, and which documents settle these.

Also where the results that a pasted text has contradict the rules, and which rules they would be right under.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ...reference_engine import DATC_3_1, DATC_3_2, ISSUES, OrderedUnit, Ruleset, Unit, province_code
from ...reference_engine.errors import UnplayedChoiceError
from ...reference_engine.orders import Convoy, Move, Order, SupportHold, SupportMove
from ...reports.vocabulary import Names, changes_texts, listed
from ..bugs.changes import is_one_clear_set, issues_of, unraised_issues
from ..play.answer import Answer, AnswerOrFailure, Failure, PhaseInput
from ..play.differences import same_answer
from ..play.positions import helped_unit, ordered_province
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
    left_out = unraised_issues(phases) | _unwritten(phases) - {*named}
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


Recorded: TypeAlias = Mapping[Unit, frozenset[str]]
"""What a text says came of units and their orders: `"succeeds"`, `"fails"`, `"cut"`, `"dislodged"`."""


def compare_with_recorded(
    asked: PhaseInput, recorded: Recorded, ruleset: Ruleset, rulesets: Mapping[str, Ruleset]
) -> Sequence[str]:
    """Say what the text records differently from the rules, and what rules give it; nothing if they agree."""
    answer = _answer(asked, ruleset)
    wrong = [*_contradictions(asked, recorded, answer)] if answer is not None and recorded else []
    if not wrong:
        return ()
    said = [f"The text says that {what}; under {ruleset.name} {instead}." for what, instead in wrong]
    names = [name for name, other in rulesets.items() if _is_right(asked, recorded, other)]
    if names:
        return [*said, f"What the text says is right under {listed(names)}."]
    issues = issues_of(asked.phase, one_clear_set=is_one_clear_set(asked))
    changes = [{issue: choice} for issue in issues for choice in ISSUES[issue].choices]
    right = [change for change in changes if _is_right(asked, recorded, ruleset.with_choices(change))]
    if right:
        return [*said, f"What the text says is right under {ruleset.name} with {' or '.join(changes_texts(right))}."]
    return [*said, "No ruleset gives what the text says, and no other single choice of rules does."]


def _is_right(asked: PhaseInput, recorded: Recorded, ruleset: Ruleset) -> bool:
    answer = _answer(asked, ruleset)
    return answer is not None and next(_contradictions(asked, recorded, answer), None) is None


def _answer(asked: PhaseInput, ruleset: Ruleset) -> Answer | None:
    with suppress(UnplayedChoiceError):
        (played,) = play(ReferenceAdjudicator(ruleset), [asked])
        return played.answer if isinstance(played.answer, Answer) else None
    return None


def _contradictions(asked: PhaseInput, recorded: Recorded, answer: Answer) -> Iterator[tuple[str, str]]:
    """Give what a text says of a unit or its order, and what the answer has instead."""
    names = Names(asked.position().board)
    dislodged = {entry.unit for entry in answer.dislodged or ()}
    given = enumerate(asked.submission.as_one_clear_set() or ())
    orders = {ordered_province(order): (index, order) for index, (_, order) in given}
    for unit, said in recorded.items():
        if "dislodged" in said and unit not in dislodged:
            yield f"{names.owned(unit)} is dislodged", "it is not"
        index, order = orders.get(province_code(unit.location), (-1, None))
        outcome = answer.outcomes[index] if answer.outcomes and order is not None else None
        if outcome is None:
            continue
        text = asked.texts[index] if asked.texts else ""
        for word in sorted(said & _ABOUT_ORDERS.get(type(order), frozenset())):
            if outcome.outcome != ("succeeds" if word == "succeeds" else "fails"):
                what = "is cut" if word == "cut" else word
                yield f"{names.board.power_name(unit.power)}'s order {text!r} {what}", f"it {outcome.outcome}"


_ABOUT_ORDERS: Mapping[type[Order | None], frozenset[str]] = {
    Move: frozenset({"succeeds", "fails"}),
    **dict.fromkeys((SupportHold, SupportMove), frozenset({"cut"})),
}
"""What counts of each kind of order: of a support some texts say that it fails if the move does."""
