"""Verdicts: what is a bug, what a deviation, and what is not held against an engine."""

import msgspec
import pytest

from datc.adapters import AdjudicateResult, UnsupportedError
from datc.adapters.protocol import Capabilities
from datc.cases import load_ruleset, load_suite, ruleset_names
from datc.harness.play.case_verdicts import ask_case
from datc.harness.play.engine import EngineAdjudicator
from datc.harness.play.session import ReferenceAdjudicator
from datc.harness.play.verdict import Rules
from datc.reference_engine import DATC_3_1, ISSUES

from .altered import Altered

replace = msgspec.structs.replace
CASES = {case.id: case for suite in ("extended", "datc-3.1") for case in load_suite(suite).cases}


def verdict_on(case_id, change=lambda answer: answer, *, ruleset=None, rules=None, capabilities=None):
    engine = Altered(lambda _params, answer: change(answer), ruleset=ruleset)
    rules = rules or Rules(DATC_3_1)
    adjudicator = EngineAdjudicator(engine, capabilities or Capabilities(), rules.ruleset, rules.notation)
    return ask_case(adjudicator, CASES[case_id], rules)


@pytest.mark.parametrize(
    ("case_id", "change", "difference"),
    [
        ("6.F.9", lambda answer: replace(answer, units=answer.units[:-1]),
         "France F English Channel should be on the board, but is not"),
        ("6.A.1", lambda answer: replace(answer, units=[*answer.units, answer.units[0]]),
         "impossible board: England F North Sea is listed 2 times"),
        ("6.F.9", lambda answer: replace(answer, dislodged=[]),
         "England F English Channel should be dislodged, but is not"),
        ("6.H.5", lambda answer: replace(answer, dislodged=[replace(answer.dislodged[0], retreats=["BLA", "ARM"])]),
         "the unit dislodged from Ankara may not retreat to Black Sea"),
    ],
)  # fmt: skip
def test_a_wrong_board_fails_and_fits_no_choice(case_id, change, difference):
    found = verdict_on(case_id, change)
    assert found.verdict == "failed"
    assert found.phases[-1].differences == [difference]
    assert not any(found.choices.values())


def test_the_expected_answer_passes_and_names_the_choices_that_it_fits():
    found = verdict_on("6.F.9")
    assert (found.verdict, found.reason, found.deviations) == ("passed", "", {})
    assert found.choices == {"4.A.1": ["all-routes"], "4.A.6": ["ignored", "allowed"]}


def test_an_answer_that_fits_another_choice_deviates_and_names_it():
    found = verdict_on("6.B.9", ruleset=DATC_3_1.with_choices({"4.B.4": "ignored"}))
    assert found.verdict == "deviated"
    assert found.deviations == {"4.B.4": ["ignored"]}
    assert "4.B.4 = ignored" in found.reason
    assert "optional-must-match" in found.reason


@pytest.mark.parametrize("name", ruleset_names())
def test_an_engine_that_plays_another_ruleset_deviates_and_fails_nowhere(name):
    """Where the document's resolutions and another choice disagree about an order, a correction says so."""
    engine = ReferenceAdjudicator(load_ruleset(name).ruleset())
    rules = Rules(load_ruleset("datc-3.2").ruleset())
    cases = load_suite("datc-3.2").cases
    assert [case.id for case in cases if ask_case(engine, case, rules).verdict not in ("passed", "deviated")] == []


def test_an_engine_that_plays_one_other_choice_fails_only_where_the_rules_have_no_answer():
    in_force = load_ruleset("datc-3.2").ruleset()
    cases = [case for case in load_suite("datc-3.2").cases if case.deciding_issues]
    for issue in ISSUES.values():
        for choice in issue.choices:
            engine = ReferenceAdjudicator(in_force.with_choices({issue.id: choice}))
            for case in cases:
                if issue.id in case.deciding_issues:
                    found = ask_case(engine, case, Rules(in_force))
                    if found.verdict not in ("passed", "deviated"):
                        assert found.reason.endswith(f"have an answer; they have none under {issue.id} = {choice}")


def test_dislodged_units_and_orders_that_are_not_said_are_not_held_against_it():
    found = verdict_on("6.D.2", lambda answer: replace(answer, dislodged=None, orders=None))
    assert found.verdict == "passed"
    assert "dislodged" in found.phases[0].not_given


def reworded(old, new):
    """Put other words into an answer."""
    return lambda answer: msgspec.json.decode(msgspec.json.encode(answer).replace(old, new), type=AdjudicateResult)


def test_another_word_for_a_failure_is_a_note():
    found = verdict_on("6.D.31", reworded(b'"illegal"', b'"void"'))
    assert found.verdict == "passed"
    (note,) = found.notes
    assert note.endswith("is illegal in the document's words, void in the engine's")


def test_a_success_where_the_document_says_failure_fails():
    assert verdict_on("6.D.31", reworded(b'"fails","reason":"illegal"', b'"succeeds"')).verdict == "failed"


def test_a_later_phase_is_asked_with_what_the_engine_answered():
    engine = Altered(lambda _params, answer: replace(answer, state=msgspec.Raw(b'{"mine":1}')))
    found = ask_case(EngineAdjudicator(engine, Capabilities(), DATC_3_1), CASES["6.H.1"], Rules(DATC_3_1))
    assert found.verdict == "passed"
    assert engine.asked[0].state is msgspec.UNSET
    assert bytes(engine.asked[1].state) == b'{"mine":1}'
    assert {entry.location for entry in engine.asked[1].dislodged} == {"TRI", "GRE"}


def test_a_phase_after_a_wrong_one_is_not_asked():
    found = verdict_on("6.H.1", lambda answer: replace(answer, units=[]))
    assert (found.verdict, len(found.phases)) == ("failed", 1)


def test_an_engine_that_says_that_it_cannot_is_unsupported():
    def refuse(answer):
        raise UnsupportedError("no coasts here")

    assert verdict_on("6.B.1", refuse).verdict == "unsupported"
    found = verdict_on("6.I.1", capabilities=Capabilities(phases=["movement"]))
    assert (found.verdict, found.reason) == ("unsupported", "the engine has no adjustment phase")


def test_a_declared_case_is_declared_with_its_reason():
    rules = Rules(DATC_3_1, {"6.B.9": "our coasts are different", "6.A.1": "not really"})
    found = verdict_on("6.B.9", ruleset=DATC_3_1.with_choices({"4.B.4": "ignored"}), rules=rules)
    assert (found.verdict, found.reason) == ("declared", "our coasts are different")
    assert found.notes[-1].startswith("without the declaration: deviated, right under 4.B.4 = ignored")
    passing = verdict_on("6.A.1", rules=rules)
    assert passing.verdict == "passed"
    assert passing.notes == ["declared as a deviation (not really), but passes"]


def test_rules_without_an_answer_leave_the_case_unasked():
    rules = Rules(DATC_3_1.with_choices({"4.B.1": "default-coast"}), {})
    found = verdict_on("6.B.1", rules=rules)
    assert (found.verdict, found.reason) == ("not-run", "the rules in force give no answer to this position")


@pytest.mark.parametrize(
    ("case_id", "extra"),
    [
        ("4.D.2-two-sets", "order-sets"),
        ("4.E.4-mutual-support", "perpetual-orders"),
        ("4.E.5-announced", "proxies"),
        ("4.E.6-identified", "flying-dutchmen"),
    ],
)
def test_what_precedes_an_adjudication_is_asked_only_of_who_says_that_he_can(case_id, extra):
    found = verdict_on(case_id)
    assert found.verdict == "unsupported"
    assert f"that it can do {extra} (capabilities.extras)" in found.reason
    assert verdict_on(case_id, capabilities=Capabilities(extras=[extra])).verdict == "passed"


def test_an_unclear_order_is_for_engines_that_read_text():
    structured = Capabilities(orders=["structured"])
    assert verdict_on("4.E.2-fleet-move", capabilities=structured).verdict == "unsupported"
    assert verdict_on("4.E.2-fleet-move", capabilities=Capabilities(orders=["text"])).verdict == "passed"
    # A place that is not on the board is clear enough.
    assert verdict_on("4.E.1-off-the-map", capabilities=structured).verdict == "passed"


def test_a_request_carries_all_that_was_handed_in():
    engine = Altered()
    adjudicator = EngineAdjudicator(engine, engine.capabilities, DATC_3_1)
    for case_id in ("4.D.1-second-set-extends", "4.D.2-two-sets", "4.E.5-announced", "4.E.6-identified"):
        _ = ask_case(adjudicator, CASES[case_id], Rules(DATC_3_1))
    extends, unknown, announced, dutchman = msgspec.json.decode(msgspec.json.encode(engine.asked))
    assert [mark["mark"] for mark in extends["order_sets"]] == ["extends"]
    assert {order.get("set", 1) for order in extends["orders"]} == {1, 2}
    assert "sets_in_sequence" not in extends
    assert unknown["sets_in_sequence"] is False
    proxies = [order for order in announced["orders"] if order["order"]["type"] == "proxy"]
    assert [order["beforehand"] for order in proxies] == [True]
    assert len(dutchman["flying_dutchmen"]) == 1


def lost_at_once(answer):
    """Leave out the dislodged units without a retreat."""
    dislodged = answer.dislodged and [unit for unit in answer.dislodged if unit.retreats]
    return replace(answer, dislodged=dislodged)


@pytest.mark.parametrize("case_id", ["6.D.8", "6.D.18", "6.D.34", "6.F.21", "6.G.10", "6.G.14", "6.H.15"])
def test_a_unit_with_nowhere_to_retreat_to_may_be_off_the_board_at_once(case_id):
    found = verdict_on(case_id, lost_at_once)
    assert found.verdict == "passed"
    assert "off the board at once" in found.notes[0]
