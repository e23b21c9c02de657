"""Every sentence that an explanation can say stands in a test beside this one, with a position in which it is true."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from datc.harness.answers import Answer, OrderOutcome, PhaseInput
from datc.harness.cli.group import cli
from datc.harness.explain.adjustments import explain_balances, why_no_adjustment
from datc.harness.explain.illegal import why_illegal
from datc.harness.explain.later_phases import explain_later_orders
from datc.harness.explain.reading import how_read
from datc.harness.explain.retreats import explain_retreats, why_no_retreat
from datc.reference_engine import (
    DATC_3_2,
    Build,
    Disband,
    Dislodged,
    GivenOrder,
    Hold,
    Move,
    OrderedUnit,
    Position,
    Remove,
    Retreat,
    Ruleset,
    SupportMove,
    Unit,
    read_order,
)

HERE = Path(__file__).parent
EXPLAIN = HERE.parents[2] / "harness" / "explain"


def of_case(case: str, *choices: str) -> str:
    options = [part for choice in choices for part in ("--choice", choice)]
    done = CliRunner().invoke(cli, ["explain", case, *options])
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


CASES = [
    (
        "6.F.24",
        ["4.A.2=1971"],
        "disrupted by the backup rule for paradoxes (4.A.2 = 1971 has no answer, X.22 = szykman",
    ),
    ("6.F.24", ["4.A.2=alexander"], "path: a convoy that the rule for paradoxes upholds"),
    ("6.F.24", ["4.A.2=alexander"], "the rule for paradoxes (4.A.2 = alexander) upholds the convoy of A Norway"),
    ("6.F.24", [], "France's F English Channel does not convoy: its convoy is disrupted"),
    ("6.G.6", [], "could convoy A Liverpool, which has another path"),
    (
        "6.H.12",
        ["4.A.3=1971-opposite-undisrupted"],
        "could convoy A Liverpool, which moves over land (4.A.3 = 1971-opposite-undisrupted)",
    ),
    (
        "4.A.3-swap-without-fleets",
        ["4.A.3=dptg-explicit", "4.E.1=any-writing"],
        "void: A Norway is ordered to where it cannot go",
    ),
    ("v2.4-4.E.2.4", [], "England's order 'A Bre S A Bur - Par' fails: no order matches it"),
    ("v3.1-4.E.4", [], "it is not one of the orders that its unit follows"),
    ("4.C.2-only-order", [], "it counts for F Kiel, though it names another kind of unit (4.C.2 = valid)"),
]
"""Cases, choices that are not those of DATC 3.2, and what is said."""


@pytest.mark.parametrize(("case", "choices", "sentence"), CASES)
def test_the_sentences_about_a_case(case: str, choices: list[str], sentence: str) -> None:
    assert sentence in of_case(case, *choices)


def rules(**choices: str) -> Ruleset:
    return DATC_3_2.with_choices({issue.replace("_", "."): choice for issue, choice in choices.items()})


MUNICH = OrderedUnit("MUN", "A")
GERMANS = Position([Unit("GERMANY", "A", "MUN"), Unit("GERMANY", "A", "BER")])
ILLEGAL = [
    (Move(MUNICH, "OZ"), {}, "there is no place OZ on the board"),
    (Move(OrderedUnit("MUN", "A", "FRANCE"), "BER"), {}, "it names another power than that of Germany's A Munich"),
    (Move(OrderedUnit("MUN", "F"), "BER"), {"4.C.2": "invalid"}, "A Munich stands there (4.C.2 = invalid)"),
    (
        SupportMove(MUNICH, OrderedUnit("BER", "A", "FRANCE"), "SIL"),
        {"4.C.6": "invalid"},
        "it is Germany's A Berlin (4.C.6 = invalid)",
    ),
    (Hold(MUNICH), {}, "its unit is not named clearly"),
]


@pytest.mark.parametrize(("order", "choices", "sentence"), ILLEGAL)
def test_why_an_order_is_illegal(order, choices, sentence: str) -> None:
    assert why_illegal(GERMANS, "GERMANY", order, DATC_3_2.with_choices(choices)) == sentence


def test_what_an_order_with_a_wrong_coast_counts_as() -> None:
    order = Move(OrderedUnit("SPA/NC", "F"), "LYO")
    found = [*how_read(order, Unit("FRANCE", "F", "SPA/SC"), "LYO", DATC_3_2.choices)]
    assert found == ["it counts for F Spain(sc), though it names another coast (4.B.5 = ignore)"]


def test_orders_that_are_not_one_clear_set() -> None:
    orders = [GivenOrder("FRANCE", read_order(text).order) for text in ("A Par - Bur", "A Mar S A Par - Bur")]
    units = (Unit("FRANCE", "A", "PAR"), Unit("FRANCE", "A", "MAR"))
    asked = PhaseInput("movement", orders, units, (), ["A Par - Bur", "A Mar S A Par - Bur"])
    outcomes = (OrderOutcome("fails", "bounced"), OrderOutcome("fails", "cut"))
    found = explain_later_orders(asked, Answer(units, (), outcomes), DATC_3_2, ())
    assert [order.sentences for order in found] == [(), ("an attack cuts it",)]


DISLODGED = Dislodged(Unit("FRANCE", "A", "BUR"), "MUN", ("MUN", "PAR"))
RETREATS = Position([], phase="retreat", dislodged=[DISLODGED])


def test_why_a_province_is_open() -> None:
    (retreat,) = explain_retreats([DISLODGED], [], rules(**{"4_A_5": "retreat-to-origin"}))
    assert {each.location: each.why for each in retreat.provinces if each.is_open} == {
        "MUN": "its attacker came from there, but by convoy (4.A.5 = retreat-to-origin)",
        "PAR": "adjacent and vacant, without a standoff",
    }


@pytest.mark.parametrize("order", [Retreat(OrderedUnit("BUR", "F"), "PAR"), Disband(OrderedUnit("BUR", "F"))])
def test_a_retreat_that_names_its_unit_wrongly(order) -> None:
    wrong = rules(**{"4_C_2": "invalid"})
    retreats = explain_retreats([DISLODGED], [], wrong)
    first, *_ = why_no_retreat(RETREATS, retreats, GivenOrder("FRANCE", order), "illegal", wrong)
    assert first == "it does not name A Burgundy correctly (4.B.5, 4.B.6, 4.C.1, 4.C.2)"


def adjustment(units: list[Unit], centers: list[str]) -> Position:
    return Position(units, phase="adjustment", centers={"RUSSIA": centers})


BUILDS = [
    (Build(OrderedUnit("OZ", "A")), {}, "there is no place OZ on the board"),
    (Build(OrderedUnit("MOS", "A", "TURKEY")), {}, "it names a unit of another power"),
    (Build(OrderedUnit("SEV/NC", "F")), {"4.B.6": "fail"}, "Sevastopol(nc) is no coast (4.B.6 = fail)"),
    (Build(OrderedUnit("STP", None)), {"4.C.3": "fail"}, "it does not say army or fleet (4.C.3 = fail)"),
    (Build(OrderedUnit("STP/NC", "A")), {"4.B.6": "fail"},
     "an army cannot stand on a coast, St Petersburg(nc) (4.B.6 = fail)"),
]  # fmt: skip


@pytest.mark.parametrize(("order", "choices", "sentence"), BUILDS)
def test_why_nothing_is_built(order: Build, choices: dict[str, str], sentence: str) -> None:
    position = adjustment([Unit("RUSSIA", "A", "LVN")], ["MOS", "STP", "SEV"])
    given = GivenOrder("RUSSIA", order)
    told = why_no_adjustment(position, [given], given, "illegal", position.units, DATC_3_2.with_choices(choices))
    assert [*told] == [sentence]


REMOVALS = [
    (Remove(OrderedUnit("VIE", "A")), "it is for Austria's A Vienna, which belongs to another power"),
    (Remove(OrderedUnit("LVN", "F")), "it does not name A Livonia correctly (4.B.5, 4.B.6, 4.C.1, 4.C.2)"),
]


@pytest.mark.parametrize(("order", "sentence"), REMOVALS)
def test_why_a_unit_is_not_removed(order: Remove, sentence: str) -> None:
    units = [Unit("RUSSIA", "A", "LVN"), Unit("RUSSIA", "A", "MOS"), Unit("AUSTRIA", "A", "VIE")]
    position = Position(units, phase="adjustment", centers={"RUSSIA": ["MOS"], "AUSTRIA": ["VIE"]})
    given = GivenOrder("RUSSIA", order)
    assert [*why_no_adjustment(position, [given], given, "illegal", units, DATC_3_2)] == [sentence]


def test_two_builds_in_a_province_of_which_none_is_followed() -> None:
    position = adjustment([Unit("RUSSIA", "A", "LVN")], ["MOS", "STP", "SEV"])
    orders = [GivenOrder("RUSSIA", Build(OrderedUnit("SEV", kind))) for kind in ("A", "F")]
    told = why_no_adjustment(position, orders, orders[1], "ignored", position.units, rules(**{"4_D_5": "none"}))
    assert [*told] == ["none of several orders to build there is followed (4.D.5 = none)"]


def test_where_a_power_may_build_and_where_not() -> None:
    position = adjustment([Unit("RUSSIA", "A", "MOS")], ["MOS", "STP"])
    (found,) = explain_balances(position, position.units, [], DATC_3_2)
    assert {site.province: site.why for site in found.sites} == {
        "MOS": "Russia's A Moscow stands there",
        "SEV": "it is not one of its supply centers now",
        "STP": "owned and vacant",
        "WAR": "it is not one of its supply centers now",
    }
    closed = adjustment([Unit("RUSSIA", "A", "MOS")], ["MOS", "RUM"])
    (found,) = explain_balances(closed, closed.units, [], DATC_3_2)
    assert "open for builds: none" in found.sentences


def test_the_alphabet_of_a_tie_break() -> None:
    units = [Unit("RUSSIA", "F", "SKA"), Unit("RUSSIA", "F", "NTH")]
    position = adjustment(units, ["STP"])
    (found,) = explain_balances(position, units[:1], [], rules(**{"X_17": "dptg-list", "4_D_8": "2023"}))
    assert "in the alphabet (X.17 = dptg-list)" in found.sentences[-1]


MODULES = ["adjustments", "convoys", "illegal", "later_phases", "movement", "reading", "retreats", "summary"]


def said(module: Path) -> Iterator[str]:
    """The longest fixed part of each text in a module that is part of a sentence: one of several words."""
    tree = ast.parse(module.read_text("utf-8"))
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(value) for value in node.values}
            yield max((part for value in node.values if (part := constant(value))), key=len, default="")
    yield from (constant(node) or "" for node in ast.walk(tree) if id(node) not in skipped)


def constant(node: ast.AST) -> str | None:
    """A text, or several that are added."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = constant(node.left), constant(node.right)
        return None if left is None or right is None else left + right
    return None


def expected() -> str:
    """Everything that the tests of explanations expect to be said."""
    tables = [file.read_text("utf-8") for file in HERE.glob("*.toml")]
    modules = [ast.parse(file.read_text("utf-8")) for file in HERE.glob("test_*.py")]
    return "\n".join([*tables, *(constant(node) or "" for tree in modules for node in ast.walk(tree))])


def test_every_sentence_stands_in_a_test() -> None:
    texts = expected()
    sentences = [part.strip(" :;,.'()") for module in MODULES for part in said(EXPLAIN / f"{module}.py")]
    assert len(sentences) > 200
    assert [sentence for sentence in sentences if " " in sentence and sentence not in texts] == []
