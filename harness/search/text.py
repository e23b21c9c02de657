"""Causes and findings in words, a line each."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ...reference_engine import EVERY_ISSUE, Board, GivenOrder
from ...reference_engine.errors import printable
from ...reference_engine.notation import Style
from ...reports.report import counted
from ...reports.statements import Evidence, Statement
from ...reports.vocabulary import fact_texts, listed
from ..bugs.blame import broken_rule, in_common
from ..bugs.blamed_rules import blame_text
from ..play.positions import OrderedPosition, order_texts, ordered_unit, power_text
from .findings import MOST_GAMES, Finding
from .groups import Group
from .relations import RELATIONS, UNSTABLE, OtherForm

_SEQUENCE = "shuffled"
"""The relation for which it matters how the orders of several powers follow each other."""


def cause_text(group: Group) -> str:
    """Say what a group has in common, in a line."""
    if group.kind == "deviation":
        return " and ".join(
            f"{issue} {EVERY_ISSUE[issue].title.lower()}: {' or '.join(choices)}"
            for issue, choices in group.changes.items()
        )
    if group.evidence.strength in ("confirmed", "only-when", "sometimes"):
        return Statement(group.label, evidence=group.evidence).predicate(printable)
    if group.rules:
        return blame_text(group.rules, group.smallest and group.smallest.ordered().position.board)
    if group.smallest is not None and group.smallest.cause.unexplained:
        return "another board"
    if group.kind == "failure" and group.smallest is not None:
        return f"no answer: {printable(next(said.failure for said in group.smallest.said if said.failure))}"
    return printable(group.label)


def rule_text(group: Group) -> str:
    """Say what breaks the rule of a group in its smallest position; empty where it has none."""
    return broken_rule(group.example.cause.blame, group.rules) if group.rules and group.smallest is not None else ""


def rule_lines(group: Group) -> list[str]:
    """Say what breaks the rule of a group in its smallest position, and what all of its positions have in common."""
    if not (text := rule_text(group)):
        return []
    common = in_common([each.cause.blame for each in group.findings], group.rules)
    return [f"here {text}", *([f"in each position that shows it: {listed(common)}"] if common else [])]


def how_tested(group: Group) -> list[str]:
    """Say how the cause of a group stood its test, and what looked like its cause and did not."""
    texts = [group.evidence.tested] if group.has_cause and not group.relation else []
    if group.relation in UNSTABLE:
        texts.append("until its answers are stable, nothing else is confirmed")
    if group.dropped:
        texts.append(f"or the bridge drops {group.dropped}: `datc-check engines check` asks for that")
    if group.folded:
        texts.append(f"it explains {counted(len(group.folded), 'other cause')}: {printable('; '.join(group.folded))}")
    return texts + [
        f"{printable(each.sentence)}: {each.evidence.agreement}"
        for each in group.refuted
        if each.evidence.strength != "untested"
    ]


def how_many_phases(group: Group) -> str:
    """Say of how many recorded phases and games a cause is; of very many games only that there are at least so many."""
    phases = [counted(count, f"{phase} phase") for phase, count in group.times.items()]
    at_least = "at least " if any(len(each.games) >= MOST_GAMES for each in group.findings) else ""
    return f"{', '.join(phases)} of {at_least}{counted(group.games, 'game')}"


def how_recorded(group: Group) -> list[str]:
    """Say how the cause of recorded phases stood its test: on the archive, or by new questions to the engine."""
    if group.engine == 1:
        return how_tested(group if group.evidence.strength != "untested" else group._replace(findings=()))
    found = [f"it decides {_decided(group.evidence)}"] if group.evidence.asked else []
    return found + [f"not {each.sentence}: that decides {_decided(each.evidence)}" for each in group.refuted]


def _decided(evidence: Evidence) -> str:
    rest = evidence.asked - evidence.agreed - evidence.as_rules
    parts = [f"{evidence.agreed} recorded as it predicts"]
    parts += [f"{evidence.as_rules} as the rules in force predict"] if evidence.as_rules else []
    parts += [f"{rest} in another way"] if rest else []
    few = "; too few to confirm it" if evidence.strength == "untested" else ""
    return f"{counted(evidence.asked, 'phase')}: {listed(parts)}{few}"


def second_question(finding: Finding) -> OtherForm | None:
    """Return the other form of a position that an engine contradicts itself on; `None` where it does not."""
    if finding.position is None or finding.relation not in RELATIONS:
        return None
    return RELATIONS[finding.relation].put_otherwise(finding.ordered(), finding.salt)


def question_lines(finding: Finding) -> list[str]:
    """Name the relation that an engine breaks, and write the second question, which is the first in another form."""
    question = second_question(finding)
    if question is None:
        return []
    lines = [f"asked again, {RELATIONS[finding.relation].form} (relation {finding.relation}):"]
    written = ordered_lines(question.ordered, question.style, in_sequence=finding.relation == _SEQUENCE)
    if (question.ordered, question.style) != (finding.ordered(), "codes"):
        lines += [f"  {line}" for line in written]
    if finding.said[0].units is not None and finding.expected.units is not None:
        lines.append("its two answers contradict each other; in the second:")
    return lines


def position_lines(finding: Finding) -> list[str]:
    """The orders of a small position, a line a power."""
    if finding.position is None:
        return []
    return ordered_lines(finding.ordered(), in_sequence=finding.relation == _SEQUENCE)


def ordered_lines(ordered: OrderedPosition, style: Style = "codes", *, in_sequence: bool = False) -> list[str]:
    """The orders of a position, a line for each power; or in the sequence in which they were given."""
    usual = (ordered.position.board.first_year, False)
    lines = [] if (ordered.year, ordered.autumn) == usual else [f"In {ordered.turn}"]
    board = ordered.position.board
    lines += _written(ordered.orders, style, board, in_sequence=in_sequence)
    lines += [f"{line} (retreat)" for line in _written(ordered.retreats or (), style, board)]
    if ordered.phase == "adjustment":
        centers = ordered.position.centers
        for power in dict.fromkeys((*(unit.power for unit in ordered.units), *centers)):
            units = [f"{unit.type} {unit.location}" for unit in ordered.units if unit.power == power]
            owned = sorted(centers.get(power, ()))
            if units or owned:
                has = f"has {', '.join(units) or 'no unit'}, and owns {', '.join(owned) or 'no center'}"
                lines.append(f"{power_text(power, board)} {has}")
        return lines
    named = named_units(ordered)
    silent = [unit for unit in ordered.units if unit not in named]
    owned = ((power_text(unit.power, board), unit) for unit in silent)
    return lines + [f"{power}: {unit.type} {unit.location}, without an order" for power, unit in owned]


def _written(orders: Sequence[GivenOrder], style: Style, board: Board, *, in_sequence: bool = False) -> list[str]:
    if not in_sequence:
        powers = list(dict.fromkeys(given.power for given in orders))
        orders = sorted(orders, key=lambda given: powers.index(given.power))
    groups = itertools.groupby(orders, key=lambda given: given.power)
    return [f"{power_text(power, board)}: {', '.join(order_texts([*given], style, board))}" for power, given in groups]


def named_units(ordered: OrderedPosition) -> set[tuple[str, str | None, str]]:
    """Return the units that the orders of a position name, each as one of the power that gave the order."""
    units = ((given.power, ordered_unit(given)) for given in ordered.orders)
    return {(power, unit.type, unit.location) for power, unit in units if unit is not None}


def difference_lines(finding: Finding, who: str = "the engine") -> list[str]:
    """Say what is wrong with the answer to a minimal position; `who` gave it."""
    if finding.position is None or len(finding.said) < 2:
        return []
    said, expected = finding.said[0], finding.expected
    if said.units is None or expected.units is None:
        return [f"no answer: {printable(said.failure or expected.failure)}"]
    ordered, (number, facts) = finding.ordered(), finding.wrong
    orders = (ordered.orders, ordered.retreats or ())[number]
    return fact_texts(facts, order_texts(orders, "names", ordered.position.board), who, ordered.position.board)
