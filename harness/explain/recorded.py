"""Says where the results that a pasted text has contradict the rules, and which rules they would be right under."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

from ...reference_engine import ISSUES, Move, Order, Ruleset, SupportHold, SupportMove, Unit, province_code
from ...reference_engine.errors import UnplayedChoiceError
from ...reports.vocabulary import Names, changes_texts, listed
from ..bugs.changes import is_one_clear_set, issues_of
from ..play.answer import Answer, PhaseInput
from ..play.positions import ordered_province
from ..play.session import ReferenceAdjudicator, play

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
