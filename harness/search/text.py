"""Findings in words, a line each, and as cases: with all answers as comments, or with what is expected."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from ...reference_engine import ISSUES, Build, GivenOrder, Move, Retreat, Unit, province_code
from ...reference_engine.errors import printable
from ...reference_engine.notation import Style
from ...reports.statements import Statement
from ...reports.vocabulary import fact_texts
from ..play.answer import Answer, AnswerOrFailure, Failure, PhaseInput
from ..play.differential import Played
from ..play.positions import (
    OrderedPosition,
    center_table,
    order_table,
    order_text,
    order_texts,
    ordered_unit,
    place_text,
    power_text,
    toml_list,
    toml_string,
    unit_table,
    unit_text,
)
from ..play.session import PlayedPhase
from .findings import Finding, read_said
from .groups import Group, shape_of
from .relations import RELATIONS, OtherForm

_SEQUENCE = "shuffled"
"""The relation for which it matters how the orders of several powers follow each other."""
_ORDERS: Mapping[str, str] = {
    "": "unit without an order",
    "Hold": "unit that holds",
    "SupportHold": "unit that supports",
    "SupportMove": "unit that supports",
    "Convoy": "convoying fleet",
    "Move": "move",
    "Move VIA": "move via convoy",
}
_SAYS: Mapping[str, str] = {"moves": "arrives", "stays": "stays", "is dislodged": "is dislodged"}
_SHOULD: Mapping[str, str] = {"moves": "arrive", "stays": "stay", "is dislodged": "be dislodged"}


def cause_text(group: Group) -> str:
    """Say what a group has in common, in a line."""
    if group.kind == "deviation":
        return " and ".join(
            f"{issue} {ISSUES[issue].title.lower()}: {' or '.join(choices)}" for issue, choices in group.changes.items()
        )
    if group.evidence.strength in ("confirmed", "only-when", "sometimes"):
        return Statement(group.label, evidence=group.evidence).predicate(printable)
    if group.smallest is not None and group.smallest.cause.unexplained:
        return wrong_text(group.smallest)
    if group.kind == "failure" and group.smallest is not None:
        return f"no answer: {printable(next(said.failure for said in group.smallest.said if said.failure))}"
    return printable(group.label)


def how_tested(group: Group) -> list[str]:
    """Say how the cause of a group stood its test, and what looked like its cause and did not."""
    texts = [group.evidence.tested] if group.has_cause else []
    return texts + [
        f"{printable(each.sentence)}: {each.evidence.agreement}"
        for each in group.refuted
        if each.evidence.strength != "untested"
    ]


def wrong_text(finding: Finding) -> str:
    """Say what came out wrong in a minimal position, without places."""
    said = {
        f"a {_ORDERS.get(line.kind, _ORDERS[''])} has {line.wrong.retreats} retreats when dislodged"
        if line.wrong.retreats
        else f"a {_ORDERS.get(line.kind, _ORDERS[''])} {_SAYS[line.wrong.said]} where it should"
        + f" {_SHOULD[line.wrong.expected]}"
        for line in shape_of(finding)
        if line.wrong
    }
    said -= {text.replace("a move ", "a move via convoy ") for text in said if text.startswith("a move ")}
    if said:
        return ", ".join(sorted(said, key=lambda text: (not text.startswith("a move"), text)))
    position = finding.position
    if position is not None and position.retreats is not None:
        return "another board after the retreats"
    if position is not None and position.phase == "adjustment":
        return f"another board {finding.cause.label}"
    return "another board"


def second_question(finding: Finding) -> OtherForm | None:
    """Return the other form of a position that an engine contradicts itself on; `None` where it does not."""
    if not finding.relation or finding.position is None or finding.relation not in RELATIONS:
        return None
    return RELATIONS[finding.relation].put_otherwise(finding.ordered(), finding.salt)


def question_lines(finding: Finding) -> list[str]:
    """Name the relation that an engine breaks, and write the second question, which is the first in another form."""
    question = second_question(finding)
    if question is None:
        return []
    said, expected = finding.said[0], finding.expected
    form, in_sequence = RELATIONS[finding.relation].form, finding.relation == _SEQUENCE
    lines = [f"asked again, {form} (relation {finding.relation}):", *_indented(question, in_sequence)]
    if said.units is not None and expected.units is not None:
        lines.append("its two answers contradict each other; in the second:")
    return lines


def position_lines(finding: Finding) -> list[str]:
    """The orders of a small position, a line a power."""
    if finding.position is None:
        return []
    return ordered_lines(finding.ordered(), in_sequence=finding.relation == _SEQUENCE)


def ordered_lines(ordered: OrderedPosition, style: Style = "codes", *, in_sequence: bool = False) -> list[str]:
    """The orders of a position, a line for each power; or in the sequence in which they were given."""
    lines = (_in_sequence if in_sequence else _by_power)(ordered.orders, style)
    lines += [f"{line} (retreat)" for line in _by_power(ordered.retreats or (), style)]
    if ordered.phase == "adjustment":
        return [*lines, *_possessions(ordered)]
    silent = units_without_own_order(ordered)
    return lines + [f"{power_text(unit.power)}: {unit.type} {unit.location}, without an order" for unit in silent]


def _possessions(ordered: OrderedPosition) -> Iterable[str]:
    """What each power has before an adjustment phase."""
    centers = ordered.position.centers
    for power in dict.fromkeys((*(unit.power for unit in ordered.units), *centers)):
        units = [f"{unit.type} {unit.location}" for unit in ordered.units if unit.power == power]
        owned = sorted(centers.get(power, ()))
        if not units and not owned:
            continue
        yield f"{power_text(power)} has {', '.join(units) or 'no unit'}, and owns {', '.join(owned) or 'no center'}"


def difference_lines(finding: Finding, who: str = "the engine") -> list[str]:
    """Say what is wrong with the answer to a minimal position; `who` gave it."""
    if finding.position is None or len(finding.said) < 2:
        return []
    said, expected = finding.said[0], finding.expected
    if said.units is None or expected.units is None:
        return [f"no answer: {printable(said.failure or expected.failure)}"]
    ordered = finding.ordered()
    number, facts = finding.wrong
    return fact_texts(facts, order_texts((ordered.orders, ordered.retreats or ())[number], "names"), who)


def _indented(question: OtherForm, in_sequence: bool) -> list[str]:
    return [f"  {line}" for line in ordered_lines(question.ordered, question.style, in_sequence=in_sequence)]


def _in_sequence(orders: Sequence[GivenOrder], style: Style) -> list[str]:
    groups = itertools.groupby(orders, key=lambda given: given.power)
    return [f"{power_text(power)}: {', '.join(order_texts([*given], style))}" for power, given in groups]


def _by_power(orders: Sequence[GivenOrder], style: Style) -> list[str]:
    powers = dict.fromkeys(given.power for given in orders)
    return [
        f"{power_text(power)}: " + ", ".join(order_text(given, style) for given in orders if given.power == power)
        for power in powers
    ]


def units_without_own_order(ordered: OrderedPosition) -> list[Unit]:
    """Find the units to which their power gives no order that names them rightly."""
    named = {
        (given.power, unit.type, unit.location) for given in ordered.orders if (unit := ordered_unit(given)) is not None
    }
    return [unit for unit in ordered.units if unit not in named]


def case_file(groups: Sequence[Group], heading: str) -> str:
    """Write a file of cases: one for the smallest position of each cause, what all answer as comments.

    Which answer is right is for its reader to say: they take away the `#` of one, and the file is a suite's.
    """
    shown = [(group, group.smallest) for group in groups]
    cases = [
        case_lines(f"hunt.{number}", group, finding)
        for number, (group, finding) in enumerate(shown, 1)
        if finding is not None
    ]
    return file_of_cases(heading, cases)


class Expected(NamedTuple):
    """What is expected of a case."""

    issues: Collection[str] = ()
    """The issues that decide it."""
    tables: Sequence[Sequence[str]] = ()
    """For each phase the text of its `expect` tables, without their headings."""


def file_of_cases(heading: str, cases: Iterable[Iterable[str]]) -> str:
    """Put cases into the file of a section."""
    lines = [*(f"# {line}" for line in heading.splitlines()), "", 'section = "hunt"', 'title   = "Found by hunting"']
    written = [line for case in cases for line in ("", "", *case)]
    lines += written or ["case    = []"]
    return "\n".join(lines) + "\n"


def case_lines(case_id: str, group: Group, finding: Finding, expected: Expected | None = None) -> Iterable[str]:
    """Write a case for a finding that was shrunk; what all answer stands in it as comments.

    With `expected`, that stands there instead of the last answer, which is that of the reference.
    """
    ordered = finding.ordered()
    count = len(group.findings)
    yield f"# {group.kind}, {count} position{'s' * (count > 1)}; this is number {finding.number}, {finding.source}"
    if finding.relation and expected is None:
        yield from (f"# {line}" for line in question_lines(finding))
    said = finding.said if expected is None else finding.said[2 if finding.relation else 0 : -1]
    everyone = [(each.party, read_said(each, ordered)) for each in said]
    # A case that is run asks what the hunt asked.
    style: Style = "names" if expected is None else "codes"
    yield from lines_of_case(
        case_id, cause_text(group)[:100], ordered, expected or Expected(group.changes), everyone, style
    )


def lines_of_case(
    case_id: str,
    title: str,
    ordered: OrderedPosition,
    expected: Expected,
    everyone: Sequence[tuple[str, Played]] = (),
    style: Style = "names",
) -> Iterable[str]:
    """Write a case, with answers to it as comments, and with what is expected."""
    yield "[[case]]"
    yield f'id     = "{case_id}"'
    yield f"title  = {toml_string(title)}"
    yield f"issues = {toml_list(sorted(expected.issues))}"
    moved = [(name, played[0]) for name, played in everyone]
    if ordered.retreats is None:
        if ordered.phase != "movement":
            yield f'phase  = "{ordered.phase}"'
        yield from _tables("case", ordered, style)
        yield from _expectations("case", moved)
        yield from _expect_tables("case", expected.tables[:1])
        return
    yield from ("", "[[case.phase]]", 'phase = "movement"')
    yield from _tables("case.phase", ordered, style)
    yield from _expectations("case.phase", moved)
    yield from _expect_tables("case.phase", expected.tables[:1])
    yield from ("", "[[case.phase]]", 'phase = "retreat"')
    yield from order_table("case.phase", ordered.retreats, style)
    for name, played in everyone:
        yield _board_comment(name, played[-1].answer)
    yield from _expect_tables("case.phase", expected.tables[1:])


def _expect_tables(prefix: str, expected: Sequence[Sequence[str]]) -> Iterable[str]:
    for table in itertools.chain.from_iterable(expected):
        yield from ("", f"[[{prefix}.expect]]", table)


def _tables(prefix: str, ordered: OrderedPosition, style: Style) -> Iterable[str]:
    if ordered.phase != "movement" or units_without_own_order(ordered) or _orders_of_others(ordered):
        yield from unit_table(prefix, ordered.units)
    yield from center_table(prefix, ordered.position.centers)
    yield from order_table(prefix, ordered.orders, style)


def _orders_of_others(ordered: OrderedPosition) -> bool:
    """Whether an order names a unit differently from how it is on the board."""
    return any(
        (given.power, unit.type, unit.location) not in ordered.units
        for given in ordered.orders
        if (unit := ordered_unit(given)) is not None
    )


def _expectations(prefix: str, everyone: Sequence[tuple[str, PlayedPhase]]) -> Iterable[str]:
    """Write what all answer to a phase, each as an expectation behind `#`."""
    for name, (asked, answer, impossible) in everyone:
        origins = None if isinstance(answer, Failure) or impossible else origins_of(asked, answer)
        yield ""
        if isinstance(answer, Failure) or origins is None:
            yield _board_comment(name, answer)
            continue
        fields = {
            **movements(asked, answer, origins),
            **retreat_claims(answer, [played.answer for _, played in everyone]),
        }
        yield f"# {printable(name)}:"
        yield f"# [[{prefix}.expect]]"
        yield from (f"# {field} = {toml_list(texts)}" for field, texts in fields.items() if texts)


def movements(asked: PhaseInput, answer: Answer, origins: Mapping[Unit, Unit]) -> Mapping[str, list[str]]:
    """Return which units moved, and to which coasts, which are gone, and which are new."""
    moves = [(before, after) for after, before in origins.items() if before != after]
    return {
        "moved    ": [f"{unit_text(before)} - {place_text(after.location)}" for before, after in moves],
        "removed  " if asked.phase == "adjustment" else "dislodged": [
            unit_text(unit) for unit in asked.units if unit not in origins.values()
        ],
        "built    ": [unit_text(unit) for unit in answer.units if unit not in origins],
    }


def retreat_claims(answer: Answer, everyone: Sequence[AnswerOrFailure]) -> Mapping[str, list[str]]:
    """Return where dislodged units may retreat to and, for what only others allow, where not."""
    allowed: dict[Unit, set[str]] = {}
    for other in everyone:
        for entry in () if isinstance(other, Failure) else other.dislodged or ():
            allowed.setdefault(entry.unit, set()).update(entry.retreats or ())
    may: list[str] = []
    may_not: list[str] = []
    for unit, _, retreats in answer.dislodged or ():
        if retreats is not None:
            may += [f"{unit_text(unit)} - {place_text(to)}" for to in retreats]
            may_not += [f"{unit_text(unit)} - {place_text(to)}" for to in sorted(allowed[unit].difference(retreats))]
    return {"may_retreat    ": may, "may_not_retreat": may_not}


def _board_comment(name: str, answer: AnswerOrFailure) -> str:
    if isinstance(answer, Failure):
        return f"# {printable(name)} gives no answer: {printable(answer.reason)}"
    units = ", ".join(printable(f"{unit.power} {unit.type} {unit.location}") for unit in answer.units)
    return f"# {printable(name)} has after it: {units}"


def origins_of(asked: PhaseInput, answer: Answer) -> Mapping[Unit, Unit] | None:
    """Find for each unit on a board which one it was before: itself, or one that was ordered to its province.

    Units that were built are left out. `None` where a unit can come from nowhere.
    """
    origins = {unit: unit for unit in answer.units if unit in asked.units}
    goals, built = _goals(asked)
    moved: set[Unit] = set()
    for unit in answer.units:
        place = None if unit in asked.units else unit
        while place is not None:
            arrived = (*place[:2], province_code(place.location))
            movers = [before for before in asked.units if before not in moved and arrived in goals.get(before, ())]
            if not movers:
                if place in asked.units or place not in built:
                    return None
                break
            # Rather one whose place is empty now: into the place of any other, another unit has come.
            origins[place] = mover = min(movers, key=lambda before: before in answer.units)
            moved.add(mover)
            place = mover if mover in answer.units else None
    return origins


def _goals(asked: PhaseInput) -> tuple[Mapping[Unit, set[tuple[str, str, str]]], set[tuple[str, str | None, str]]]:
    """Return what each unit is in the provinces that it is ordered to, and the units that are ordered to be built."""
    at = {province_code(unit.location): unit for unit in asked.units}
    goals: dict[Unit, set[tuple[str, str, str]]] = {}
    built: set[tuple[str, str | None, str]] = set()
    for power, order in asked.submission.as_one_clear_set() or ():
        if isinstance(order, Build):
            built.add((power, order.unit.type, order.unit.location))
        elif isinstance(order, (Move, Retreat)) and (unit := at.get(province_code(order.unit.location))) is not None:
            goals.setdefault(unit, set()).add((unit.power, unit.type, province_code(order.to)))
    return goals, built
