"""What an answer breaks is the equation that does not hold, and not what follows from it."""

from dataclasses import replace
from pathlib import Path

import pytest

from datc.harness.bugs.blame import Blame, broken_rule, find_blame, in_common, likeliest
from datc.harness.bugs.blamed_rules import blame_text
from datc.harness.bugs.experiment import positions_of_suites
from datc.harness.bugs.mutants import find_mutant
from datc.harness.play.answer import Answer
from datc.harness.play.differences import Fact
from datc.harness.play.differential import ask, first_difference
from datc.harness.play.session import ReferenceAdjudicator
from datc.reference_engine import DATC_3_1, Unit
from datc.reference_engine.maps import load_board
from datc.reference_engine.toml import loads

from ..search import adjudicators

REFERENCE = ReferenceAdjudicator(DATC_3_1)
TRUE_KEYS = loads(Path(__file__).with_name("blamed.toml").read_text("utf-8"))
CUT_BY_CONVOY = (
    "England: F Nth C A Nwy - Bel, A Nwy - Bel",
    "France: A Bel S A Ruh - Hol, A Ruh - Hol, A Kie - Ruh",
    "Germany: A Hol H",
)


def blame_in(mutant, ordered, right=None, *, outcomes=True):
    """Find what a mutant breaks in a position, by its outcomes of orders or by its board alone."""
    said = ask(ReferenceAdjudicator(DATC_3_1, find_mutant(mutant).procedure), ordered)
    if not outcomes:
        said = tuple(one._replace(answer=replace(one.answer, outcomes=None)) for one in said)
    difference = first_difference(right or ask(REFERENCE, ordered), said)
    return find_blame(*difference, DATC_3_1) if difference else []


def blame(mutant, *lines, outcomes=True):
    return blame_in(mutant, adjudicators.position_of(*lines), outcomes=outcomes)


def test_a_unit_that_is_lost_is_no_move_that_fails():
    ordered = adjudicators.position_of("France: A Par - Bur", "Italy: A Rom H")
    (played,) = ask(REFERENCE, ordered)
    lost = played._replace(answer=Answer(tuple(unit for unit in ordered.units if unit.power == "ITALY"), ()))
    assert [each.key for each in find_blame(played, lost, DATC_3_1)] == ["unit-missing"]


def test_a_board_that_cannot_exist_breaks_a_rule_all_the_same():
    ordered = next(each for each in positions_of_suites() if each.phase == "adjustment" and each.position.centers)
    (played,) = ask(REFERENCE, ordered)
    assert isinstance(played.answer, Answer)
    nowhere = Unit("FRANCE", "A", "NOWHERE")
    wrong = played._replace(
        answer=Answer((*played.answer.units, nowhere)), impossible=(Fact("impossible-place", nowhere),)
    )
    assert [each.key for each in find_blame(played, wrong, DATC_3_1)] == ["build-abroad"]


@pytest.mark.parametrize(
    ("mutant", "lines", "key", "sentence"),
    [
        (
            "convoyed-attack-does-not-cut",  # A Kiel follows where A Ruhr goes: that is no bug of its own.
            CUT_BY_CONVOY,
            "support+",
            "it counts 'A Belgium Supports A Ruhr - Holland', though 'A Norway - Belgium' attacks it, by convoy",
        ),
        (
            "equal-attack-dislodges",
            ("France: A Par - Bur", "Germany: A Bur H"),
            "hold+",
            "it lets 'A Paris - Burgundy' succeed with strength 1 against 1 of 'A Burgundy Hold'",
        ),
        (
            "nobody-follows",
            ("France: A Par - Bur, A Gas - Par, A Bre - Gas", "Germany: A Bur - Mun"),
            "hold-",
            "it lets 'A Paris - Burgundy' fail with strength 1 against 0 of 'A Burgundy - Munich'",
        ),
        (
            "own-support-dislodges",
            ("France: A Par - Bur", "Germany: A Bur H, A Mun S A Par - Bur"),
            "own-support+",
            "it lets 'A Paris - Burgundy' succeed against 'A Burgundy Hold', by supports against their own power",
        ),
        (
            "swap-by-land",
            ("France: A Par - Bur", "Germany: A Bur - Par"),
            "swap+",
            "it lets 'A Paris - Burgundy' and 'A Burgundy - Paris' change places",
        ),
        (
            "circle-refused",
            ("Turkey: A Bel - Ruh", "France: A Ruh - Hol", "Italy: F Hol - Bel"),
            "circle-",
            "it settles the circle of 'A Belgium - Ruhr', 'A Ruhr - Holland' and 'F Holland - Belgium' in another way",
        ),
        (
            "foreign-order-obeyed",
            ("France: A Par H, A Mar S A Gas", "Germany: A Mar - Bur"),
            "foreign+",
            "it follows 'A Marseilles - Burgundy', of another power",
        ),
        (
            "retreat-to-origin",
            ("France: A Par - Bur, A Mar S A Par - Bur", "Germany: A Bur H"),
            "retreat-origin",
            "it lets Germany's A Burgundy retreat to Paris, where its attacker came from",
        ),
    ],
)
def test_the_rule_that_an_answer_breaks(mutant, lines, key, sentence):
    found = blame(mutant, *lines)
    assert likeliest([found]) == (key,)
    assert broken_rule(found).startswith(f"{sentence} (DATC ")


@pytest.mark.parametrize(
    ("issue", "rule", "played", "lines", "key"),
    [
        ("4.A.3", "2000-no-fallback", "1982-totality", ("France: A Bel - Hol via", "Germany: A Ruh H"), "via+"),
        ("4.C.6", "invalid", "valid", ("France: A Par - Bur, A Mar S Italy A Par - Bur", "Germany: A Bur H"), "name+"),
    ],
)
def test_what_makes_an_order_illegal_that_is_followed(issue, rule, played, lines, key):
    rules, ordered = DATC_3_1.with_choices({issue: rule}), adjudicators.position_of(*lines)
    engine = ReferenceAdjudicator(rules.with_choices({issue: played}))
    difference = first_difference(ask(ReferenceAdjudicator(rules), ordered), ask(engine, ordered))
    assert difference
    assert likeliest([find_blame(*difference, rules)]) == (key,)


@pytest.mark.parametrize(
    ("orders", "lines"),
    [
        (
            "F Sev - Bla",
            (
                "England: F Bla C A Con - Rum",
                "France: A Con - Rum",
                "Germany: F Rum S F Sev - Bla",
                "Italy: F Sev - Bla",
            ),
        ),
        ("A Mos - Stp", ("Russia: A Mos - Stp", "England: A Mos H")),
    ],
)
def test_an_order_that_is_not_followed_is_seen_in_a_paradox_and_among_several(orders, lines):
    """Of what else it may be, this alone is common to all positions that show an engine which ignores an order."""
    ordered = adjudicators.position_of(*lines)
    ignored = adjudicators.position_of(*(line.replace(orders, f"{orders.partition(' - ')[0]} H") for line in lines))
    difference = first_difference(ask(REFERENCE, ordered), ask(REFERENCE, ignored))
    assert difference is not None
    assert "order-" in [each.key for each in find_blame(*difference, DATC_3_1)]


def test_what_is_right_breaks_nothing():
    assert blame("retreat-to-origin", "France: A Par - Bur", "Germany: A Mun - Bur") == []
    assert broken_rule([]) == ""


def test_a_board_alone_leaves_open_what_its_outcomes_of_orders_decide():
    """Whether the support was given, nobody says: it was, or the attack succeeded without."""
    with_outcomes, without = (
        blame("convoyed-attack-does-not-cut", *CUT_BY_CONVOY, outcomes=each) for each in (True, False)
    )
    assert {each.key for each in without} == {each.key for each in with_outcomes}
    assert {each.against for each in without} == {0}
    assert len(likeliest([without])) > len(likeliest([with_outcomes]))


def test_what_most_answers_have_in_common_is_the_likeliest():
    found = [[Blame("hold+"), Blame("support+")], [Blame("support+"), Blame("prevent+")], [Blame("hold+ own+")]]
    assert likeliest(found) == ("support+",)
    assert likeliest([found[0]]) == ("support+", "hold+"), "both explain all that there is"
    assert likeliest([[Blame("support+", against=1), Blame("hold+")]]) == ("hold+",)
    assert likeliest([[Blame("hold+")], [Blame("support+")]]) == ("support+",), "the other one explains something else"
    borders = [[Blame("path-"), Blame("no-border-:BUR/PAR")], [Blame("retreat-missing"), Blame("no-border-:BUR/PAR")]]
    assert likeliest(borders[:1]) == ("path-",), "one move says nothing of a border"
    assert blame_text(likeliest(borders)) == "does not know that Burgundy and Paris are adjacent (DATC 6.A.1)"
    ancient = load_board("ancient-mediterranean")
    said = "does not know that Etruria and Ravenna are adjacent (DATC 6.A.1)"
    assert blame_text(["no-border-:ETR/RAV"], ancient) == said


def test_a_sentence_is_true_of_positions_that_it_was_not_made_from():
    """It names the rule that the mutant changes for four mutants of five, whose other answers break that rule, too."""
    answered, true, holds = [(ordered, ask(REFERENCE, ordered)) for ordered in positions_of_suites()], {}, {}
    for mutant, keys in TRUE_KEYS.items():
        found = [blames for ordered, right in answered if (blames := blame_in(mutant, ordered, right))]
        if len(found) >= 6:
            likely, others = likeliest(found[::2]), found[1::2]
            true[mutant] = not set(keys).isdisjoint(likely)
            shares = [sum(any(each.breaks(key) for each in blames) for blames in others) for key in likely]
            holds[mutant] = max(shares) / len(others)
    assert len(true) > 60
    assert sum(true.values()) >= 0.8 * len(true), [name for name in true if not true[name]]
    assert sum(share >= 0.8 for share in holds.values()) >= 0.8 * len(holds), holds


def test_what_all_answers_have_in_common_distinguishes_a_bug():
    by_convoy = blame("convoyed-attack-does-not-cut", *CUT_BY_CONVOY)
    by_land = blame(
        "only-dislodgement-cuts", "France: A Bel S A Ruh - Hol, A Ruh - Hol, A Pic - Bel", "Germany: A Hol H"
    )
    by_land += blame("only-dislodgement-cuts", "England: F Nth - Bel", *CUT_BY_CONVOY[1:])
    every = ["a unit comes by convoy", "a support for a move"]
    assert in_common([by_convoy] * 8, ("support+",)) == every
    assert in_common([by_convoy] * 8 + [by_land], ("support+",)) == every[1:]
    assert in_common([by_convoy] * 7, ("support+",)) == (), "of few it may be so by chance"
