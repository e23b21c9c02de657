"""Every sentence that `datc-check explain` can say stands in a test here, with a position in which it is true."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given

from datc.harness.explain.adjustments import AdjustmentSentences
from datc.harness.explain.movement import explain_orders
from datc.harness.explain.phase import explain_phases
from datc.harness.explain.sentences import Legality, RetreatSentences
from datc.harness.play.answer import Answer, OrderOutcome, PhaseInput
from datc.harness.play.session import PlayedPhase
from datc.reference_engine import DATC_3_1, DATC_3_2, Dislodged, OrderedUnit, Position, Submission, Submitted, Unit
from datc.reference_engine.explanation import explain_movement
from datc.reference_engine.notation import read_order, write_order
from datc.reference_engine.orders import Build, Disband, GivenOrder, Hold, Move, Remove, Retreat, SupportMove
from datc.reference_engine.toml import loads
from datc.reports.vocabulary import Names

from ...strategies import Situation, situations
from ..cli.running import invoke, words

HERE = Path(__file__).parent
EXPLAIN = HERE.parents[2] / "harness" / "explain"
POSITIONS = loads((HERE / "sentences.toml").read_text("utf-8"))["position"]


def explained(what: str, choices: str = "", orders: str | None = None) -> str:
    options = ["-v", *(part for each in choices.split() for part in ("--choice", each))]
    done = invoke("explain", what, "--ruleset", "datc-3.2", *options, input=orders)
    assert done.exit_code == 0, done.output
    assert max(map(len, done.output.splitlines())) <= 80
    return words(done.output)


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position["says"][0])
def test_the_sentences_about_a_position(position) -> None:
    told = explained("-", position.get("choices", ""), position["orders"])
    assert [sentence for sentence in position["says"] if sentence not in told] == []


CASES = """
6.F.14 |  | Does France's A Brest cut the support of England's F London? It is a paradox of convoys: the other rules
6.F.14 |  | allow both answers. Under 4.A.2 = szykman it does not. France's A Brest does not reach London
6.F.17 |  | the other rules allow neither answer
6.F.24 | 4.A.2=1971 | Under X.22 = szykman (4.A.2 = 1971 has no answer) it does not
6.F.24 | 4.A.2=1971 | disrupted by the backup rule for paradoxes (4.A.2 = 1971 has no answer, X.22 = szykman
6.F.24 | 4.A.2=alexander | the rule for paradoxes upholds its convoy
6.F.24 | 4.A.2=alexander | the rule for paradoxes (4.A.2 = alexander) upholds the convoy of A Norway
6.G.6 |  | could convoy A Liverpool, which has another path
6.H.12 | 4.A.3=1971-opposite-undisrupted | could convoy A Liverpool, which moves over land (4.A.3 = 1971-opp
4.A.3-swap-without-fleets | 4.A.3=dptg-explicit 4.E.1=any-writing | void: A Norway is ordered to where it cannot go
v2.4-4.E.2.4 |  | Does England's order 'A Bre S A Bur - Par' succeed? No: no order matches it
v3.1-4.E.4 |  | it is not one of the orders that its unit follows
4.C.2-only-order |  | it counts for F Kiel, though it names another kind of unit (4.C.2 = valid)
6.D.28 |  | there is no border by sea or along a coast between Rumania and Holland
6.B.10 |  | it counts for F Spain(sc), though it names another coast (4.B.5 = ignore)
6.C.1 |  | a circular movement
6.C.1 |  | the result of the rule: circular movement succeeds
6.G.5 |  | convoyed by F Tyrrhenian Sea and F Ionian Sea, not over land (4.A.3 = 2000-no-fallback)
6.H.6 |  | Trieste (its attacker came from there), Bohemia (A Munich and A Silesia stood off there) and Budapest (Austria's A
6.H.7 |  | Munich (Germany's A Munich stands there) and Vienna (Austria's A Trieste moved there
10.G |  | A Sicily - Tunis: over a difficult passage it has no strength without support, so it cuts nothing
10.K |  | another unit retreats to Sicily, too, and a unit that comes over a difficult passage is disbanded
7.C.1 |  | may not pass the canal: F Egypt does not let it
7.C.3 |  | passes the canal, as A Egypt lets it
7.C.12 |  | it stays, since whether it can pass the canal depends on itself
S.no-unit-in-egypt |  | may not pass the canal: no unit is in Egypt
S.keeper-leaves |  | cannot pass the canal: A Egypt leaves
S.keeper-dislodged |  | cannot pass the canal: A Egypt is dislodged
7.B.1 |  | meets A Mongolia in Krasnoyarsk
7.B.1 |  | stops in Omsk, the last empty province before
7.B.3 |  | goes along the railway
7.B.16 |  | strength 2 does not beat the prevent strength 2 of A Omsk
7.B.16 |  | A Irkutsk does not leave, and an army on the railway dislodges nobody
7.B.23 |  | strength 1 does not beat the prevent strength 1 of A Mongolia - Irkutsk
7.B.24 |  | it stays, since whether it can use the railway depends on itself
7.B.26 |  | cannot pass A Krasnoyarsk, which comes the other way
7.B.26 |  | stays, as no province before is empty
7.B.30 |  | cannot pass A Perm, which stays
7.B.33 |  | stays: only one army uses the railway in a turn, and another one is ordered to
7.B.34 |  | only armies of Russia use the railway, along Moscow, Perm, Omsk, Krasnoyarsk, Irkutsk and Vladivostok
R.same-direction-blocks |  | cannot pass A Krasnoyarsk, which moves along the railway
6.H.8 |  | another unit retreats to North Sea, too, and all of them are disbanded
extended/v3.2-4.A.4-naples | v3.2-4.A.4=brannan | strength 2 beats the hold strength 1 of F Tyrrhenian Sea
extended/v3.2-4.A.4-naples | v3.2-4.A.4=brannan | strength 2 does not beat the defend strength 2 of A Spain
extended/F.support-spared-in-vain | v3.2-4.A.4=brannan | coming from a last fleet under attack, cuts it only by dislodging (v3.2-4.A.4
"""  # noqa: E501 - rows of a table: a case, choices that are not those of DATC 3.2, and what is said


@pytest.mark.parametrize("row", CASES.strip().splitlines())
def test_the_sentences_about_a_case(row: str) -> None:
    case, choices, sentence = (cell.strip() for cell in row.split(" | "))
    assert sentence in explained(case, choices)


ILLEGAL_ORDERS = """
Germany: A Mun H; France: F Nth - Mun | a fleet cannot go inland
France: A Par - Eng | an army cannot go to sea
France: A Par - Par | a unit cannot move to where it stands
France: A Par S A Mar; Italy: A Mar H | A Paris cannot go to Marseilles itself
Italy: A Pru S A Lvn - Pru; Russia: A Lvn - Pru | a unit cannot support a move to where it stands
France: A Par S A Bur - Gas | there is no unit in Burgundy
France: A Par S A Pic - Gas, A Pic H | A Picardy cannot go to Gascony
France: A Par C A Bre - Lon, A Bre H | an army cannot convoy
France: F Bre C A Par - Lon, A Par H | a fleet can convoy only at sea
France: F Eng C F Bre - Lon, F Bre H | a fleet cannot be convoyed
France: F Spa(sc) H, A Mar S F Spa(nc) | F Spain(sc) stands there, not on that coast (4.B.5 = | 4.B.5=fail
France: A Spa H, A Mar S A Spa(nc) | A Spain stands there, not on that coast (4.B.6 = fail) | 4.B.6=fail
"""


@pytest.mark.parametrize("row", ILLEGAL_ORDERS.strip().splitlines())
def test_why_an_order_is_illegal(row: str) -> None:
    orders, why, *choices = row.split(" | ")
    told = explained("-", *choices, orders=orders)
    assert "fails, illegal" in told
    assert why in told


FAR_PROVINCES = ("Mar", "Pie", "Ven", "Tyr", "Mun", "Boh", "Gal", "War", "Lvn", "Fin")
PARAGRAPHS = [
    (
        "France: A Par - Bur, A Mar S A Par - Bur\nItaly: A Pie - Mar\nGermany: A Bur H",
        "Does France's A Paris take Burgundy? No: strength 1 does not beat the hold strength 1 of A Burgundy; "
        + "the support of A Marseilles is cut. Italy's A Piedmont does not reach Marseilles: strength 1 does not beat "
        + "the hold strength 1 of A Marseilles. France's A Marseilles does not give its support: cut by A Piedmont - "
        + "Marseilles. ",
    ),
    ("France: A Par H", "Nothing moves. "),
    ("Winter 1901\nRussia: A Boh, A Lvn, A Sil\nSupply centers\nRussia: Mos",
     "Which units does Russia lose? A Bohemia and A Silesia. A Silesia (distance 2) goes before A Livonia (1), which "
     + "is nearer. Russia has to remove 2 units. Russia's A Bohemia and Russia's A Silesia are removed. "),
    ("\n".join(f"Italy: A {place} - Lon" for place in FAR_PROVINCES),
     "The details below explain 2 more outcomes. "),
]  # fmt: skip
"""Orders, and what the paragraph before any detail says of them."""


@pytest.mark.parametrize(("orders", "told"), PARAGRAPHS)
def test_a_paragraph_before_the_details(orders: str, told: str) -> None:
    before, _, after = explained("-", orders=orders).partition(told)
    assert before.count("under datc-3.2") == 1
    assert after


MUNICH = OrderedUnit("MUN", "A")
GERMANS = Position(
    [Unit("GERMANY", "A", "MUN"), Unit("GERMANY", "A", "BER"), Unit("GERMANY", "F", "KIE"), Unit("FRANCE", "A", "PAR")]
)
ILLEGAL = [
    (Move(MUNICH, "OZ"), {}, "there is no place OZ on the board"),
    (Move(OrderedUnit("MUN", "A", "FRANCE"), "BER"), {}, "it names another power than that of Germany's A Munich"),
    (Move(OrderedUnit("MUN", "F"), "BER"), {"4.C.2": "invalid"}, "A Munich stands there (4.C.2 = invalid)"),
    (
        SupportMove(MUNICH, OrderedUnit("BER", "A", "FRANCE"), "SIL"),
        {"4.C.6": "invalid"},
        "it is Germany's A Berlin (4.C.6 = invalid)",
    ),
    (SupportMove(MUNICH, OrderedUnit("KIE", None), "RUH"), {}, "the unit in Kiel cannot go to Ruhr"),
    (Hold(MUNICH), {}, "its unit is not named clearly"),
    (Hold(OrderedUnit("BUR", "A")), {}, "there is no unit in Burgundy"),
    (Hold(OrderedUnit("PAR", "A")), {}, "it is for France's A Paris, which belongs to another power"),
    (None, {}, "it cannot be read as an order"),
    (Build(MUNICH), {}, "it is an order of another phase"),
]


@pytest.mark.parametrize(("order", "choices", "sentence"), ILLEGAL)
def test_why_an_order_is_illegal_that_no_text_can_be(order, choices, sentence: str) -> None:
    assert Legality(GERMANS, DATC_3_2.with_choices(choices)).why_illegal("GERMANY", order) == sentence


def test_orders_that_are_not_one_clear_set() -> None:
    texts = ("A Par - Bur", "A Mar S A Par - Bur")
    orders = [read_order(text).order for text in texts]
    two_sets = Submission([Submitted("FRANCE", orders[0]), Submitted("FRANCE", orders[1], order_set=2)])
    units = (Unit("FRANCE", "A", "PAR"), Unit("FRANCE", "A", "MAR"))
    asked = PhaseInput("movement", two_sets, units, (), texts)
    outcomes = (OrderOutcome("fails", "bounced"), OrderOutcome("fails", "cut"))
    (found,) = explain_phases([PlayedPhase(asked, Answer(units, (), outcomes))], DATC_3_2)
    assert [order.sentences for order in found.orders] == [(), ("an attack cuts it",)]
    assert found.remark == "The orders are not one clear set: only outcomes are shown."


DISLODGED = Dislodged(Unit("FRANCE", "A", "BUR"), "MUN", ("MUN", "PAR"))
RETREATS = Position([], phase="retreat", dislodged=[DISLODGED])


@pytest.mark.parametrize("order", [Retreat(OrderedUnit("BUR", "F"), "PAR"), Disband(OrderedUnit("BUR", "F"))])
def test_a_retreat_that_names_its_unit_wrongly(order) -> None:
    say = RetreatSentences(RETREATS, DATC_3_2.with_choices({"4.C.2": "invalid"}))
    first, *_ = say.why_failed(say.explain([DISLODGED], []), GivenOrder("FRANCE", order), "illegal")
    assert first == "it does not name A Burgundy correctly (4.B.5, 4.B.6, 4.C.1, 4.C.2)"


def adjustment(units: list[Unit], centers: list[str]) -> Position:
    return Position(units, phase="adjustment", centers={"RUSSIA": centers})


STANDING = [Unit("RUSSIA", "A", "LVN"), Unit("RUSSIA", "A", "UKR"), Unit("AUSTRIA", "A", "VIE")]
ADJUSTMENTS = [
    (Build(OrderedUnit("OZ", "A")), {}, "there is no place OZ on the board"),
    (Build(OrderedUnit("MOS", "A", "TURKEY")), {}, "it names a unit of another power"),
    (Build(OrderedUnit("SEV/NC", "F")), {"4.B.6": "fail"}, "Sevastopol(nc) is no coast (4.B.6 = fail)"),
    (Build(OrderedUnit("STP", None)), {"4.C.3": "fail"}, "it does not say army or fleet (4.C.3 = fail)"),
    (Build(OrderedUnit("STP/NC", "A")), {"4.B.6": "fail"},
     "an army cannot stand on a coast, St Petersburg(nc) (4.B.6 = fail)"),
    (Remove(OrderedUnit("VIE", "A")), {}, "it is for Austria's A Vienna, which belongs to another power"),
    (Remove(OrderedUnit("LVN", "F")), {}, "it does not name A Livonia correctly (4.B.5, 4.B.6, 4.C.1, 4.C.2)"),
]  # fmt: skip


@pytest.mark.parametrize(("order", "choices", "sentence"), ADJUSTMENTS)
def test_why_an_order_of_an_adjustment_phase_fails(order, choices: dict[str, str], sentence: str) -> None:
    position = adjustment(STANDING, ["MOS"] if isinstance(order, Remove) else ["MOS", "STP", "SEV"])
    given = GivenOrder("RUSSIA", order)
    say = AdjustmentSentences(position, position.units, [given], DATC_3_2.with_choices(choices))
    assert say.why_failed(given, "illegal") == sentence


def test_where_a_power_may_build_and_where_not() -> None:
    position = adjustment([Unit("RUSSIA", "A", "MOS")], ["MOS", "STP"])
    (found,) = AdjustmentSentences(position, position.units, [], DATC_3_2).balances([])
    assert {site.province: site.why for site in found.sites} == {
        "MOS": "Russia's A Moscow stands there",
        "SEV": "its power does not own it",
        "STP": "owned and vacant",
        "WAR": "its power does not own it",
    }
    closed = adjustment([Unit("RUSSIA", "A", "MOS")], ["MOS", "RUM"])
    (found,) = AdjustmentSentences(closed, closed.units, [], DATC_3_2).balances([])
    assert "open for builds: none" in found.sentences


def test_the_alphabet_of_a_tie_break() -> None:
    units = [Unit("RUSSIA", "F", "SKA"), Unit("RUSSIA", "F", "NTH")]
    say = AdjustmentSentences(
        adjustment(units, ["STP"]), units[:1], [], DATC_3_2.with_choices({"X.17": "dptg-list", "4.D.8": "2023"})
    )
    (found,) = say.balances([])
    assert "in the alphabet (X.17 = dptg-list)" in found.sentences[-1]


_DISLODGED = re.compile(r"([AF] [\w. ()]+?) is dislodged")


@given(situations())
def test_sentences_say_of_generated_positions_what_happened_there(situation: Situation) -> None:
    position, orders = situation
    explained = explain_movement(position, orders, DATC_3_1)
    dislodged = {Names(position.board).unit(entry.unit) for entry in explained.adjudication.dislodged}
    texts = [write_order(order, "names") if order is not None else "?" for _, order in orders]
    for order in explain_orders(explained, texts):
        assert order.sentences or order.reason is None
        assert {name for sentence in order.sentences for name in _DISLODGED.findall(sentence)} <= dislodged
        said = [sentence.partition(" ")[0] for sentence in order.sentences]
        assert ("cut" in said) == (order.reason == "cut")
        assert "void:" not in said or order.reason == "void"
        if order.reason == "bounced":
            assert any(sentence.startswith(("strength", "it does not attack")) for sentence in order.sentences)
        if order.reason in {"no-path", "disrupted"}:
            assert not any(sentence.startswith(("convoyed by", "strength")) for sentence in order.sentences)


MODULES = ["adjustments", "movement", "phase", "sentences"]


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
    tables += [
        " ".join(file.read_text("utf-8").split()) for file in HERE.parents[1].glob("golden/said/explain-*/*.txt")
    ]
    modules = [ast.parse(file.read_text("utf-8")) for file in HERE.glob("test_*.py")]
    return "\n".join([*tables, *(constant(node) or "" for tree in modules for node in ast.walk(tree))])


def test_every_sentence_stands_in_a_test() -> None:
    texts = expected()
    sentences = [part.strip(" :;,.'()") for module in MODULES for part in said(EXPLAIN / f"{module}.py")]
    assert len(sentences) > 200
    assert [sentence for sentence in sentences if " " in sentence and sentence not in texts] == []
