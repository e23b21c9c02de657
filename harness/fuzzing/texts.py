"""Findings as text: a ready `[[case]]`, and a few lines for a terminal."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ...adapters import UnitMessage, unit_of
from ...reference_engine import (
    ISSUES,
    Build,
    GivenOrder,
    Move,
    Retreat,
    Unit,
    printable,
    province_code,
    standard_board,
)
from .findings import Finding, SaidData
from .grouping import Group
from .patterns import ALSO_RETREATS
from .situation import Situation, order_text, ordered_unit, read_situation


def cause_text(group: Group) -> str:
    """Say what a group has in common, in a line."""
    if group.kind == "deviation":
        return " and ".join(
            f"{issue} {ISSUES[issue].title.lower()}: {' or '.join(choices)}" for issue, choices in group.changes.items()
        )
    if group.smallest is not None and group.smallest.cause.unexplained:
        return wrong_text(group.smallest)
    if group.kind == "failure" and group.smallest is not None:
        return f"no answer: {printable(next(said.failure for said in group.smallest.said if said.failure))}"
    return printable(group.label)


def wrong_text(finding: Finding) -> str:
    """Say what came out wrong, without places."""
    lines = [line for line in finding.cause.label.split("; ") if "[" in line]
    if lines:
        return ", ".join(dict.fromkeys(map(_wrong, lines)))
    if ALSO_RETREATS in finding.cause.label:
        return "another board after the retreats"
    return f"another board {finding.cause.label}" if ":" not in finding.cause.label else "another board"


def _wrong(line: str) -> str:
    """What a line of a pattern says: `"1: A b - c VIA [stays, goes]"`."""
    order, _, outcome = line.rstrip("]").partition(" [")
    letters = order.partition(": ")[2].split()[2:]
    what = "unit without an order"
    for sign, word in _SIGNS.items():
        if letters[:1] == [sign]:
            what = word + (" via convoy" if letters[-1:] == ["VIA"] else "")
    expected, _, got = outcome.partition(", ")
    if got:
        return f"a {what} {_FATES.get(got, got)} where it should {_SHOULD.get(expected, expected)}"
    return f"a {what} has {outcome.removeprefix('retreats ')} retreats when dislodged"


_SIGNS: Mapping[str, str] = {"-": "move", "H": "unit that holds", "S": "unit that supports", "C": "convoying fleet"}
_FATES: Mapping[str, str] = {"goes": "arrives", "stays": "stays", "dislodged": "is dislodged"}
_SHOULD: Mapping[str, str] = {"goes": "arrive", "stays": "stay", "dislodged": "be dislodged"}


def position_lines(finding: Finding) -> list[str]:
    """The orders of a small position, a line a power."""
    if finding.position is None:
        return []
    situation = read_situation(finding.position)
    lines = _by_power(situation.orders)
    lines += [f"{line} (retreat)" for line in _by_power(situation.retreats or ())]
    if situation.position.phase == "adjustment":
        return [*lines, *_possessions(situation)]
    silent = [unit for unit in situation.units if not _own_orders(unit, situation)]
    return lines + [f"{_power(unit.power)}: {unit.type} {unit.location}, without an order" for unit in silent]


def _possessions(situation: Situation) -> Iterable[str]:
    """What each power has before an adjustment phase."""
    centers = situation.position.centers
    for power in dict.fromkeys((*(unit.power for unit in situation.units), *centers)):
        units = [f"{unit.type} {unit.location}" for unit in situation.units if unit.power == power]
        owned = sorted(centers.get(power, ()))
        if not units and not owned:
            continue
        yield f"{_power(power)} has {', '.join(units) or 'no unit'}, and owns {', '.join(owned) or 'no center'}"


def difference_lines(finding: Finding) -> list[str]:
    """Say how the engine's answer to a small position is another one than what is expected of it."""
    if len(finding.said) < 2:
        return []
    said, expected = finding.said[0], finding.said[-1] if not finding.relation else finding.said[1]
    if said.units is None or expected.units is None:
        return [f"no answer: {printable(said.failure or expected.failure)}"]
    got, wanted = Counter(map(unit_of, said.units)), Counter(map(unit_of, expected.units))
    lines = [f"{_named(unit)} should be there, but is not" for unit in sorted(wanted - got)]
    lines += [f"{_named(unit)} should not be there, but is" for unit in sorted(got - wanted)]
    if said.dislodged is None or expected.dislodged is None or lines:
        return lines
    for where in sorted(said.dislodged.keys() | expected.dislodged.keys()):
        may, should = said.dislodged.get(where, []), expected.dislodged.get(where, [])
        if may is not None and should is not None:
            unit = f"the unit dislodged from {_place(where)}"
            lines += [f"{unit} should not be able to retreat to {_place(to)}" for to in may if to not in should]
            lines += [f"{unit} should be able to retreat to {_place(to)}" for to in should if to not in may]
    return lines


def _named(unit: Unit) -> str:
    return printable(f"{standard_board().power_name(unit.power)} {unit.type} {_place(unit.location)}")


def _by_power(orders: Sequence[GivenOrder]) -> list[str]:
    powers = dict.fromkeys(given.power for given in orders)
    return [
        f"{_power(power)}: " + ", ".join(order_text(given) for given in orders if given.power == power)
        for power in powers
    ]


def case_file(groups: Sequence[Group], heading: str) -> str:
    """Write a file of cases: one for the smallest position of each cause, what everyone answers as comments.

    Which answer is right is for its reader to say: they take away the `#` of one, and the file is a suite's.
    """
    lines = [*(f"# {line}" for line in heading.splitlines()), "", 'section = "hunt"', 'title   = "Found by hunting"']
    shown = [(group, group.smallest) for group in groups]
    for number, (group, finding) in enumerate(shown, 1):
        if finding is not None:
            lines += ["", "", *case_lines(f"hunt.{number}", group, finding)]
    return "\n".join(lines) + "\n"


def case_lines(case_id: str, group: Group, finding: Finding) -> Iterable[str]:
    """Write a case for a finding that was made small; what everyone answers stands in it as comments."""
    assert finding.position is not None  # noqa: S101 - the smallest finding of a group has one
    situation = read_situation(finding.position)
    phase = situation.position.phase
    count = len(group.findings)
    yield f"# {group.kind}, {count} position{'s' * (count > 1)}; this is number {finding.number}, {finding.source}"
    yield "[[case]]"
    yield f'id     = "{case_id}"'
    yield f"title  = {_quoted(cause_text(group)[:100])}"
    yield f"issues = {_list(sorted(group.changes))}"
    if situation.retreats is None:
        if phase != "movement":
            yield f'phase  = "{phase}"'
        yield from _tables("case", situation, situation.orders)
        for said in finding.said:
            yield from _expectation("case", situation, situation.orders, said, finding.said)
        return
    yield ""
    yield "[[case.phase]]"
    yield 'phase = "movement"'
    yield from _tables("case.phase", situation, situation.orders)
    for said in finding.said:
        moved = SaidData(party=said.party, units=said.moved, failure=said.failure)
        yield from _expectation("case.phase", situation, situation.orders, moved, [])
    yield ""
    yield "[[case.phase]]"
    yield 'phase = "retreat"'
    yield from _order_table("case.phase", situation.retreats)
    for said in finding.said:
        yield from _said_in_words(said)


def _tables(prefix: str, situation: Situation, orders: Sequence[GivenOrder]) -> Iterable[str]:
    unclear = situation.position.phase != "movement" or any(
        not _own_orders(unit, situation) for unit in situation.units
    )
    if unclear:
        yield from ("", f"[{prefix}.units]")
        for power in dict.fromkeys(unit.power for unit in situation.units):
            units = [_unit(unit) for unit in situation.units if unit.power == power]
            yield f"{_power(power)} = {_list(units)}"
    if situation.position.centers:
        yield from ("", f"[{prefix}.centers]")
        for power, owned in situation.position.centers.items():
            yield f"{_power(power)} = {_list([_place(center) for center in sorted(owned)])}"
    yield from _order_table(prefix, orders)


def _order_table(prefix: str, orders: Sequence[GivenOrder]) -> Iterable[str]:
    yield from ("", f"[{prefix}.orders]")
    for power in dict.fromkeys(given.power for given in orders):
        texts = [order_text(given, "names") for given in orders if given.power == power]
        yield f"{_power(power)} = {_list(texts)}"


def _own_orders(unit: Unit, situation: Situation) -> bool:
    return any(
        given.power == unit.power
        and (named := ordered_unit(given)) is not None
        and (named.location, named.type) == (unit.location, unit.type)
        for given in situation.orders
    )


def _expectation(
    prefix: str, situation: Situation, orders: Sequence[GivenOrder], said: SaidData, everyone: Sequence[SaidData]
) -> Iterable[str]:
    """What a party answers, as an expectation behind `#`."""
    yield ""
    if said.units is None:
        yield from _said_in_words(said)
        return
    after = [unit_of(unit) for unit in said.units]
    came_from = arrivals(situation, orders, after)
    if came_from is None:
        yield from _said_in_words(said)
        return
    yield f"# {printable(said.party)}:"
    yield f"# [[{prefix}.expect]]"
    moved = [_moved(unit, came_from[unit]) for unit in after if unit in came_from and came_from[unit] != unit]
    if moved:
        yield f"# moved     = {_list(moved)}"
    gone = [_unit(unit) for unit in situation.units if unit not in came_from.values()]
    if gone:
        yield f"# {'removed  ' if situation.position.phase == 'adjustment' else 'dislodged'} = {_list(gone)}"
    built = [_unit(unit) for unit in after if unit not in came_from]
    if built:
        yield f"# built     = {_list(built)}"
    yield from _claims(situation, said, everyone)


def _claims(situation: Situation, said: SaidData, everyone: Sequence[SaidData]) -> Iterable[str]:
    """Where a dislodged unit may retreat to and, for those that only others allow, where not."""
    may: list[str] = []
    may_not: list[str] = []
    for unit in situation.units:
        province = province_code(unit.location)
        own = (said.dislodged or {}).get(province)
        if own is None:
            continue
        every = {to for other in everyone for to in (other.dislodged or {}).get(province) or ()}
        may += [f"{_unit(unit)} - {_place(to)}" for to in own if to in every]
        may_not += [f"{_unit(unit)} - {_place(to)}" for to in sorted(every - set(own))]
    if may:
        yield f"# may_retreat     = {_list(may)}"
    if may_not:
        yield f"# may_not_retreat = {_list(may_not)}"


def _said_in_words(said: SaidData) -> Iterable[str]:
    if said.units is None:
        yield f"# {printable(said.party)} gives no answer: {printable(said.failure)}"
        return
    yield f"# {printable(said.party)} has after it: {', '.join(map(_full_unit, said.units))}"


def arrivals(situation: Situation, orders: Sequence[GivenOrder], after: Sequence[Unit]) -> Mapping[Unit, Unit] | None:
    """Find for each unit on the board afterwards the one before it that it is: one that stayed, or moved there.

    Units that were built are not in it. `None` where there is no such board.
    """
    goals: dict[Unit, set[str]] = {unit: {unit.location} for unit in situation.units}
    built: set[Unit] = set()
    for given in orders:
        order = given.order
        if isinstance(order, (Move, Retreat)):
            for unit, places in goals.items():
                if province_code(unit.location) == province_code(order.unit.location):
                    places.add(province_code(order.to))
        elif isinstance(order, Build) and order.unit.type is not None:
            built.add(Unit(given.power, order.unit.type, order.unit.location))
    came_from: dict[Unit, Unit] = {}

    def find(unit: Unit, tried: set[Unit]) -> bool:
        """Find whose unit it is, giving others another one where that has to be."""
        ways = [
            before
            for before, places in goals.items()
            if before[:2] == unit[:2] and (before == unit or province_code(unit.location) in places)
        ]
        for before in sorted(ways, key=lambda before: before != unit):
            if before in tried:
                continue
            tried.add(before)
            holder = next((other for other, owner in came_from.items() if owner == before), None)
            if holder is None or find(holder, tried):
                came_from[unit] = before
                return True
        return False

    if len(set(after)) < len(after):
        return None
    for unit in sorted(after, key=lambda unit: unit not in goals):
        if not find(unit, set()) and unit not in built:
            return None
    return came_from


def _moved(unit: Unit, before: Unit) -> str:
    """A unit that moved, with where it went: fleets may land on a coast that their order leaves open."""
    return f"{_unit(before)} - {_place(unit.location)}"


def _unit(unit: Unit) -> str:
    return f"{unit.type} {_place(unit.location)}"


def _full_unit(unit: UnitMessage) -> str:
    return printable(f"{unit.power} {unit.type} {unit.location}")


def _place(location: str) -> str:
    return printable(standard_board().describe(location))


def _power(code: str) -> str:
    return printable(standard_board().power_name(code))


def _list(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def _quoted(text: str) -> str:
    """A TOML string: what JSON makes of a text without control characters is one."""
    return json.dumps(printable(text), ensure_ascii=False)
