"""What an answer breaks is the equation that does not hold, and not what follows from it."""

from dataclasses import replace

import pytest

from datc.harness.bugs.blame import Blame, blame_text, find_blame, likeliest
from datc.harness.bugs.mutants import find_mutant
from datc.harness.play.answer import Answer
from datc.harness.play.differential import ask
from datc.harness.play.session import ReferenceAdjudicator
from datc.reference_engine import DATC_3_1

from ..search import adjudicators

REFERENCE = ReferenceAdjudicator(DATC_3_1)
CUT_BY_CONVOY = (
    "England: F Nth C A Nwy - Bel, A Nwy - Bel",
    "France: A Bel S A Ruh - Hol, A Ruh - Hol, A Kie - Ruh",
    "Germany: A Hol H",
)


def blame(mutant, *lines, outcomes=True):
    """Find what a mutant breaks in a position, by its outcomes of orders or by its board alone."""
    ordered = adjudicators.position_of(*lines)
    said = ask(ReferenceAdjudicator(DATC_3_1, find_mutant(mutant).procedure), ordered)
    if not outcomes:
        said = tuple(one._replace(answer=replace(one.answer, outcomes=None)) for one in said)
    return find_blame(ordered, said, ask(REFERENCE, ordered), DATC_3_1)


def test_a_unit_that_is_lost_is_no_move_that_fails():
    ordered = adjudicators.position_of("France: A Par - Bur", "Italy: A Rom H")
    (played,) = ask(REFERENCE, ordered)
    lost = played._replace(answer=Answer(tuple(unit for unit in ordered.units if unit.power == "ITALY"), ()))
    assert [each.key for each in find_blame(ordered, (lost,), (played,), DATC_3_1)] == ["unit-missing"]


@pytest.mark.parametrize(
    ("mutant", "lines", "keys", "sentence"),
    [
        (
            "convoyed-attack-does-not-cut",  # A Kiel follows where A Ruhr goes: that is no bug of its own.
            CUT_BY_CONVOY,
            ("support+",),
            "it counts 'A Belgium Supports A Ruhr - Holland', though 'A Norway - Belgium' attacks it, by convoy",
        ),
        (
            "equal-attack-dislodges",
            ("France: A Par - Bur", "Germany: A Bur H"),
            ("hold+",),
            "it lets 'A Paris - Burgundy' succeed with strength 1 against 1 of 'A Burgundy Hold'",
        ),
        (
            "nobody-follows",
            ("France: A Par - Bur, A Gas - Par, A Bre - Gas", "Germany: A Bur - Mun"),
            ("hold-",),
            "it lets 'A Paris - Burgundy' fail with strength 1 against 0 of 'A Burgundy - Munich'",
        ),
        (
            "circle-refused",
            ("Turkey: A Bel - Ruh", "France: A Ruh - Hol", "Italy: F Hol - Bel"),
            ("circle-",),
            "it settles 'A Belgium - Ruhr', 'A Ruhr - Holland' and 'F Holland - Belgium' in another way",
        ),
        (
            "retreat-to-origin",  # The differences of retreats say which unit and where.
            ("France: A Par - Bur, A Mar S A Par - Bur", "Germany: A Bur H"),
            ("retreat-origin",),
            "",
        ),
    ],
)
def test_the_rule_that_an_answer_breaks(mutant, lines, keys, sentence):
    found = blame(mutant, *lines)
    assert likeliest([found]) == keys
    assert {each.sentence for each in found if each.key in keys} == {sentence}
    assert all("DATC" in blame_text([each.key]) for each in found)


def test_what_is_right_breaks_nothing():
    assert blame("retreat-to-origin", "France: A Par - Bur", "Germany: A Mun - Bur") == []


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
