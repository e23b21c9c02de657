"""What every ruleset makes of a case or a position, and what engines answer: alike outcomes in one row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ...adapters.errors import EngineGaveOutError
from ...reference_engine import Ruleset
from ..answers import Answer, Failure, PhaseInput, group_alike
from ..experiments.changes import Change, find_changes
from ..session import Adjudicator, PlayedPhase, ReferenceAdjudicator, play
from ..wording import listed
from .outcomes import outcome_words, outcomes_of
from .words import retreat_words, unit_words

_Phases: TypeAlias = Sequence[PlayedPhase | Failure]


@dataclass(frozen=True)
class OutcomeRow:
    """An outcome, and who gives it."""

    rulesets: Sequence[str]
    """The names of rulesets."""
    engines: Sequence[str]
    """The names of engines, as they were given."""
    phases: Sequence[str]
    """What happens, phase by phase, in words."""
    changes: Sequence[Change] = ()
    """The fewest changes to the ruleset in force that give this outcome; none for its own, and where no choices do."""
    is_in_force: bool = False
    """Whether the ruleset in force gives it."""


@dataclass(frozen=True)
class OutcomeTable:
    """What every ruleset, and engines, make of the same orders."""

    in_force: str
    """The name of the ruleset that the others are compared with."""
    rows: Sequence[OutcomeRow]
    sentence: str
    """What differs, in words."""
    unanswered: Mapping[str, str] = field(default_factory=dict[str, str])
    """The rulesets and engines without an answer, with the reason."""


@dataclass(frozen=True)
class _Player:
    name: str
    adjudicator: Adjudicator
    ruleset: Ruleset | None
    """`None` for an engine."""


def explain_all_rulesets(
    phases: Sequence[PhaseInput],
    in_force: Ruleset,
    rulesets: Mapping[str, Ruleset],
    engines: Mapping[str, Adjudicator],
) -> OutcomeTable:
    """Play the phases of a case or a position under every ruleset, and on engines.

    Args:
        phases: The phases.
        in_force: The ruleset that the others are compared with; requests to engines name it.
        rulesets: The rulesets by name.
        engines: Engines under test, by the names that they have in the table.

    Raises `EngineClosedError`.
    """
    players = [*_ruleset_players(in_force, rulesets), *(_Player(name, each, None) for name, each in engines.items())]
    played = [(player, _play(player, phases)) for player in players]
    unanswered = {player.name: reason for player, found in played if (reason := _why_unanswered(found))}
    answered = [(player, found) for player, found in played if not _why_unanswered(found)]
    answers = [_answers(found) for _, found in answered]
    groups = group_alike([[answer for _, answer in each] for each in answers])
    phrases = _phrases([answers[group[0]] for group in groups])
    rows: list[OutcomeRow] = []
    for group, words in zip(groups, phrases, strict=True):
        members = [answered[index][0] for index in group]
        is_in_force = any(member.ruleset == in_force for member in members)
        changes = () if is_in_force else _changes(answered[group[0]][1], in_force, members)
        names = [member.name for member in members if member.ruleset is not None]
        tested = [member.name for member in members if member.ruleset is None]
        rows.append(OutcomeRow(names, tested, words, changes, is_in_force))
    sentence = _difference(rows, [answers[group[0]] for group in groups])
    rows.sort(key=lambda row: (not row.is_in_force, not row.rulesets))
    return OutcomeTable(in_force.name, rows, sentence, unanswered)


def _ruleset_players(in_force: Ruleset, rulesets: Mapping[str, Ruleset]) -> Iterable[_Player]:
    if in_force not in rulesets.values():
        yield _Player("as asked", ReferenceAdjudicator(in_force), in_force)
    for name, ruleset in rulesets.items():
        yield _Player(name, ReferenceAdjudicator(ruleset), ruleset)


def _play(player: _Player, phases: Sequence[PhaseInput]) -> _Phases:
    try:
        return [*play(player.adjudicator, phases)]
    except EngineGaveOutError as error:
        return [Failure(str(error))]


def _why_unanswered(phases: _Phases) -> str:
    last = phases[-1]
    if isinstance(last, Failure):
        return last.reason
    if isinstance(last.answer, Failure):
        return last.answer.reason
    return "its board cannot exist under any rules" if last.impossible else ""


def _changes(played: _Phases, in_force: Ruleset, members: Iterable[_Player]) -> Sequence[Change]:
    """Find what has to be changed in the ruleset in force: of the choices of those that answer so, or of all."""
    phases = [one for one in played if isinstance(one, PlayedPhase)]
    rulesets = [member.ruleset for member in members if member.ruleset is not None]
    possible = {pair for ruleset in rulesets for pair in ruleset.choices.items()}
    return find_changes(phases, in_force, possible=possible or None)


_Answers: TypeAlias = Sequence[tuple[PhaseInput, Answer]]


def _phrases(played: Sequence[_Answers]) -> Sequence[Sequence[str]]:
    """Say each outcome in words; with the retreats where the words would be the same."""
    plain = [[outcome_words(*pair) for pair in answers] for answers in played]
    return [
        words if plain.count(words) == 1 else [_with_retreats(*pair) for pair in answers]
        for words, answers in zip(plain, played, strict=True)
    ]


def _answers(phases: _Phases) -> _Answers:
    return [
        (one.asked, one.answer) for one in phases if isinstance(one, PlayedPhase) and isinstance(one.answer, Answer)
    ]


def _with_retreats(asked: PhaseInput, answer: Answer) -> str:
    retreats = [f"{unit_words(entry.unit)}: {retreat_words(entry)}" for entry in answer.dislodged or ()]
    return "; ".join([outcome_words(asked, answer), *retreats])


def _difference(rows: Sequence[OutcomeRow], groups: Sequence[_Answers]) -> str:
    """Say what differs between the rows; `groups` has the answers of one of each row."""
    if not rows:
        return "There is no answer."
    if len(rows) == 1:
        everyone = "All rulesets agree" if not rows[0].engines else "All rulesets and engines agree"
        return f"{everyone}: {'; then '.join(rows[0].phases)}."
    happened = [
        {(number, each.unit): each.words for number, pair in enumerate(answers) for each in outcomes_of(*pair)}
        for answers in groups
    ]
    parts: list[str] = []
    for key in dict.fromkeys(key for words in happened for key in words):
        said = dict.fromkeys(words.get(key, "stays") for words in happened)
        if len(said) > 1:
            parts.append(f"{unit_words(key[1])} ({' or '.join(said)})")
    return f"The outcomes differ in {listed(parts)}." if parts else "The outcomes differ in where units may retreat to."
