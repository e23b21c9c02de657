"""What happens in a phase under every ruleset, and by engines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ...adapters.errors import EngineGaveOutError
from ...reference_engine import Convoy, Move, Ruleset
from ...reports.vocabulary import Names, listed
from ..bugs.changes import Change, find_changes, judged_orders
from ..play.answer import Answer, Failure, PhaseInput
from ..play.differences import diff_answers, expect_answer, group_alike
from ..play.session import Adjudicator, PlayedPhase, ReferenceAdjudicator, play
from .phase import NOTHING_DISPUTED, Disputed, Summary, explain_phases, outcomes_of
from .rulebooks import Dependence, Documents, agreement, find_dependences

if TYPE_CHECKING:  # The page that plays positions in a browser has no cases.
    from ...cases import Case
    from ...cases.suite import Alternative


ROUTES = "4.A.6"
"""The issue of whether an order has to name the route of a convoy."""


class ExpectedOutcome(NamedTuple):
    """What a case expects under some rules: a board, and outcomes of orders that fit together."""

    alternatives: Sequence[Alternative]
    rulesets: Sequence[str]
    """The names of those that it is the outcome for; empty for an outcome of other choices."""

    @property
    def boards(self) -> tuple[object, ...]:
        """The boards after its phases. Outcomes with equal ones differ in words only."""
        return self.alternatives[0].boards


def expected_outcomes(
    case: Case, rulesets: Mapping[str, Ruleset], others: Iterable[Alternative] = ()
) -> Sequence[ExpectedOutcome]:
    """Return each outcome that a case expects under the rulesets, or under other alternatives of it.

    Those with the same board follow each other.
    """
    chosen = {name: case.alternative(ruleset.choices) for name, ruleset in rulesets.items()}
    groups: list[list[Alternative]] = []
    for alternative in (*chosen.values(), *others):
        group = next((group for group in groups if all(alternative.agrees(other) for other in group)), None)
        if group is None:
            groups.append([alternative])
        elif alternative not in group:
            group.append(alternative)
    found = [ExpectedOutcome(group, [name for name, each in chosen.items() if each in group]) for group in groups]
    places = [each.boards for each in found]
    return sorted(found, key=lambda each: places.index(each.boards))


def count_outcomes(outcomes: Sequence[ExpectedOutcome]) -> str:
    """Say how many outcomes, and how many boards, a case has under rulesets that give an answer."""
    answered = [each.boards for each in outcomes if each.rulesets and each.alternatives[0].has_answer]
    if len(answered) < 2:
        return "The rulesets give one outcome."
    boards = len(set(answered))
    on = "" if boards == len(answered) else f", on {boards} board{'s' * (boards > 1)}"
    return f"The rulesets give {len(answered)} outcomes{on}."


@dataclass(frozen=True)
class OutcomeRow:
    """An outcome, and who gives it."""

    rulesets: Sequence[str]
    engines: Sequence[str]
    phases: Sequence[str]
    changes: Sequence[Change] = ()
    """The fewest changes to the ruleset in force that give this outcome; none for its own, and where no choices do."""
    is_in_force: bool = False
    why: str = ""
    """The answer to the question of the table under these rules, or the first of them; otherwise empty."""


@dataclass(frozen=True)
class OutcomeTable:
    """What every ruleset, and engines, make of the same orders."""

    in_force: str
    """The name of the ruleset that the others are compared with."""
    rows: Sequence[OutcomeRow]
    sentence: str
    unanswered: Mapping[str, str] = field(default_factory=dict[str, str])
    """The rulesets and engines without an answer, with the reason."""
    unsupported: Sequence[str] = ()
    """The engines among them that say that they cannot."""
    depends_on: Sequence[Dependence] = ()
    """The issues that decide the outcome under some ruleset, and what each document says of them."""
    disputed: Sequence[Disputed] = ()
    """The units in which the rows differ, by phase."""
    question: str = ""
    """What the first phase in dispute asks: `why` of each row answers it."""


class _Player(NamedTuple):
    """A ruleset or an engine, with its answers."""

    name: str
    ruleset: Ruleset | None
    """`None` for an engine."""
    answers: Sequence[tuple[PhaseInput, Answer]]
    failure: str
    phases: Sequence[PlayedPhase]


def explain_all_rulesets(
    phases: Sequence[PhaseInput],
    in_force: Ruleset,
    rulesets: Mapping[str, Ruleset],
    engines: Mapping[str, Adjudicator],
    case: Case | None = None,
    documents: Documents | None = None,
) -> OutcomeTable:
    """Play the phases of a case or a position under every ruleset, and on engines.

    `in_force` is what the other rulesets are compared with, and what requests to engines name. Rulesets and engines
    have the names that the table shows. If `case` says what is expected, rulesets share a row under which it expects
    the same. `documents` says what is to be told of the documents behind the rulesets. Raises `EngineClosedError`.
    """
    shown = rulesets if in_force in rulesets.values() else {"as asked": in_force, **rulesets}
    shown, wanting = comparable(phases, shown, in_force) if case is None else (shown, ())
    players = [_play(name, ReferenceAdjudicator(each), phases, each) for name, each in shown.items()]
    players += [_play(name, each, phases, None) for name, each in engines.items()]
    groups = _groups([each for each in players if not each.failure], case)
    depends_on = find_dependences(phases, shown, documents, case.issues if case else ()) if documents else None
    words, sentence, disputed = _words(groups, case, depends_on)
    if case is not None and len(groups) > 1:
        sentence = f"{count_outcomes(expected_outcomes(case, shown))} {sentence}"
    question, reasons = _reasons(groups, in_force, disputed)
    rows: list[OutcomeRow] = []
    for members, said in zip(groups, words, strict=True):
        is_in_force = any(member.ruleset == in_force for member in members)
        names = [member.name for member in members if member.ruleset is not None]
        tested = [member.name for member in members if member.ruleset is None]
        changes = () if is_in_force else _changes(members, in_force, case)
        rows.append(OutcomeRow(names, tested, said, changes, is_in_force, reasons.get(members[0].name, "")))
    rows.sort(key=lambda row: (not row.is_in_force, not row.rulesets))
    unanswered = {each.name: each.failure for each in players if each.failure}
    last = {each.name: each.phases[-1].answer for each in players if each.ruleset is None and each.phases}
    cannot = [name for name, answer in last.items() if isinstance(answer, Failure) and answer.unsupported]
    if wanting:
        want = f"{listed(wanting)} {'wants' if len(wanting) == 1 else 'want'}"
        sentence += f" {want} the route of a convoy in the order ({ROUTES}). No order here has one: it is not compared."
    return OutcomeTable(in_force.name, rows, sentence, unanswered, cannot, depends_on or (), disputed, question)


def comparable(
    phases: Sequence[PhaseInput], rulesets: Mapping[str, Ruleset], in_force: Ruleset
) -> tuple[Mapping[str, Ruleset], Sequence[str]]:
    """Let rulesets that want routes in the orders of convoyed armies do without, if there are convoys but no routes.

    Returns the rulesets, and the names of those that were changed.
    """
    orders = [writing.writing for phase in phases for writing in phase.submission.writings]
    if not any(isinstance(each, Convoy) for each in orders) or any(isinstance(e, Move) and e.path for e in orders):
        return rulesets, ()
    wanting = [name for name, each in rulesets.items() if each.choices[ROUTES] == "required" and each != in_force]
    return {**rulesets, **{name: rulesets[name].with_choices({ROUTES: "allowed"}) for name in wanting}}, wanting


def _play(name: str, adjudicator: Adjudicator, phases: Sequence[PhaseInput], ruleset: Ruleset | None) -> _Player:
    try:
        played = [*play(adjudicator, phases)]
    except EngineGaveOutError as error:
        return _Player(name, ruleset, (), str(error), ())
    answers = [(asked, answer) for asked, answer, _ in played if isinstance(answer, Answer)]
    _, last, impossible = played[-1]
    failure = "its board cannot exist under any rules" if impossible else ""
    return _Player(name, ruleset, answers, last.reason if isinstance(last, Failure) else failure, played)


def _groups(players: Sequence[_Player], case: Case | None) -> Sequence[Sequence[_Player]]:
    """Put players together that give the same outcome, the largest group first."""
    if case is None:
        alike = group_alike([[answer for _, answer in each.answers] for each in players])
        return [[players[index] for index in group] for group in alike]
    by_name = {each.name: each for each in players if each.ruleset is not None}
    expected = expected_outcomes(case, {name: each.ruleset for name, each in by_name.items() if each.ruleset})
    groups = [[by_name[name] for name in each.rulesets] for each in expected]

    def answers_as(engine: _Player, other: _Player) -> bool:
        """Whether an engine has the board of another player, and the outcomes of orders that the case expects."""
        judged = [(judged_orders(phase, other.ruleset) if other.ruleset else None) or () for phase in case.phases]
        pairs = zip(other.answers, engine.answers, judged, strict=True)
        return all(not diff_answers(expect_answer(right, orders), answer) for (_, right), (_, answer), orders in pairs)

    for engine in [each for each in players if each.ruleset is None]:
        home = next((group for group in groups if answers_as(engine, group[0])), None)
        if home is None:
            groups.append([engine])
        else:
            home.append(engine)
    return sorted(groups, key=len, reverse=True)


def _changes(members: Sequence[_Player], in_force: Ruleset, case: Case | None) -> Sequence[Change]:
    """Find what has to be changed in the ruleset in force: of the choices of those that answer so, or of all."""
    rulesets = {member.name: member.ruleset for member in members if member.ruleset is not None}
    possible = {pair for ruleset in rulesets.values() for pair in ruleset.choices.items()}
    phases = case.phases if case else ()
    found = find_changes(members[0].phases, in_force, case_phases=phases, possible=possible or None).changes
    if found or case is None or not rulesets:
        return found
    (expected,) = expected_outcomes(case, rulesets)  # Rules that give no answer, which no search finds.
    return (min((each.changes(in_force.choices) for each in expected.alternatives), key=len),)


def _reasons(
    groups: Sequence[Sequence[_Player]], in_force: Ruleset, disputed: Sequence[Disputed]
) -> tuple[str, Mapping[str, str]]:
    """Return the question of the first phase in dispute, and its answers by the first names of the groups."""
    number = next((number for number, each in enumerate(disputed) if each != NOTHING_DISPUTED), -1)
    own = next((each for group in groups for each in group if each.ruleset == in_force), None)
    if number < 0 or own is None:
        return "", {}
    asked = own.phases[number].asked
    explained = [*explain_phases(own.phases, in_force)][number]
    question = Summary(asked.position(), in_force).question(explained, disputed[number])
    if question is None:
        return "", {}
    found: dict[str, str] = {}
    for group in groups:
        _, ruleset, _, _, phases = own if own in group else group[0]
        if ruleset is not None:
            explained = [*explain_phases(phases, ruleset)][number]
            found[group[0].name] = Summary(phases[number].asked.position(), ruleset).answer(question, explained)
    return question.text, found


_Said: TypeAlias = Mapping[tuple[int, str], str]
"""What is said of a unit or an order, behind the number of its phase."""


def _words(
    groups: Sequence[Sequence[_Player]], case: Case | None, depends_on: Sequence[Dependence] | None
) -> tuple[Sequence[Sequence[str]], str, Sequence[Disputed]]:
    """Say each outcome in words, in a sentence what differs between them, and of which units in each phase."""
    if not groups:
        return (), "There is no answer.", ()
    rows = [group[0] for group in groups]
    of_units = [_of_units(row) for row in rows]
    words = [
        [_joined(said, number) or "nothing moves" for number, _ in enumerate(row.answers)]
        for row, said in zip(rows, of_units, strict=True)
    ]
    if len(rows) == 1:
        everyone = "rulesets" if all(each.ruleset for each in groups[0]) else "rulesets and engines"
        return words, agreement(everyone, "; then ".join(words[0]), depends_on), ()
    differing = _differing(of_units, "stays")
    moved = {*differing}
    retreats, judged = [_retreats(row) for row in rows], [_judged(row, case) for row in rows]
    in_detail: list[Sequence[str]] = []
    for row, said in enumerate(words):
        alike = [other for other, also_said in enumerate(words) if also_said == said]
        in_orders = _differing([judged[other] for other in alike])
        differing |= in_orders
        told = {**retreats[row], **judged[row]}
        subjects = {**_differing([retreats[other] for other in alike]), **in_orders}
        shown = {key: told[key] for key in subjects if key in told}
        in_detail.append([f"{text}{_joined(shown, number, '; ')}" for number, text in enumerate(said)])
    parts = [f"{subject} ({' or '.join(said)})" for (_, subject), said in differing.items()]
    sentence = f"The outcomes differ in {listed(parts) if parts else 'where units may retreat to'}."
    units, retreating = sorted(moved), [] if moved else sorted(_differing(retreats, ""))
    disputed = [
        Disputed(*([name for number, name in each if number == phase] for each in (units, retreating)))
        for phase in range(max(len(row.answers) for row in rows))
    ]
    return in_detail, sentence, disputed


def _joined(said: _Said, phase: int, before: str = "") -> str:
    words = "; ".join(f"{subject} {each}" for (number, subject), each in said.items() if number == phase)
    return f"{before}{words}" if words else ""


def _differing(rows: Sequence[_Said], otherwise: str = "") -> dict[tuple[int, str], Sequence[str]]:
    """Return what the rows say differently, of each subject."""
    said = {key: [*dict.fromkeys(row.get(key, otherwise) for row in rows)] for each in rows for key in each}
    return {key: words for key, words in said.items() if len(words) > 1}


def _of_units(row: _Player) -> _Said:
    return {
        (number, Names(asked.position().board).unit(unit)): words
        for number, (asked, answer) in enumerate(row.answers)
        for unit, words in outcomes_of(asked, answer)
    }


def _retreats(row: _Player) -> _Said:
    names = Names(row.answers[0][0].position().board)
    return {
        (number, names.unit(unit)): f"may retreat to {names.places(retreats)}"
        for number, (_, answer) in enumerate(row.answers)
        for unit, _, retreats in answer.dislodged or ()
        if retreats
    }


def _judged(row: _Player, case: Case | None) -> _Said:
    """Return the outcomes of the orders of which a case expects some outcome, and whether it says that there is one."""
    if case is None or row.ruleset is None:
        return {}
    found: dict[tuple[int, str], str] = {}
    for number, (phase, (_, answer)) in enumerate(zip(case.phases, row.answers, strict=True)):
        expected = phase.expected(row.ruleset.choices)
        found[number, "the rules"] = "give no answer" if expected and expected.no_answer else "give an answer"
        for index in sorted({index for each in phase.expectations for index in each.orders}):
            if answer.outcomes and (outcome := answer.outcomes[index]):
                found[number, repr(phase.orders[index].text)] = outcome.outcome
    return found
