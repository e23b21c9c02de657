"""What is said of the results that a pasted text has."""

from __future__ import annotations

import pytest

from datc.cases import load_ruleset
from datc.harness.config.preparing import read_positions
from datc.harness.explain.case import every_ruleset, explain_whole_case
from datc.reports.vocabulary import listed

TWO_ROUTES = """
England: F English Channel C A London - Belgium, F North Sea C A London - Belgium, A London - Belgium (fails)
France: F Brest S F Mid-Atlantic Ocean - English Channel, F Mid-Atlantic Ocean - English Channel
"""
ANY_ROUTE = [name for name, ruleset in every_ruleset().items() if ruleset.choices["4.A.1"] == "any-route"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Austria: A Bud - Ser\nTurkey: A Gre - Ser (*bounce*)", []),
        ("Germany: A Mun H (dislodged)\nFrance: A Bur - Mun, A Ruh S A Bur - Mun", []),
        (
            "Austria: A Bud - Ser (*bounce*)",
            [
                "The text says that Austria's order 'A Bud - Ser' fails; under datc-3.2 it succeeds.",
                "No ruleset gives what the text says, and no other single choice of rules does.",
            ],
        ),
        (
            "Germany: A Mun\nFrance: A Bur - Mun\nDislodged:\nGermany: A Mun",
            [
                "The text says that Germany's A Munich is dislodged; under datc-3.2 it is not.",
                "No ruleset gives what the text says, and no other single choice of rules does.",
            ],
        ),
        (
            TWO_ROUTES,
            [
                "The text says that England's order 'A London - Belgium' fails; under datc-3.2 it succeeds.",
                f"What the text says is right under {listed(ANY_ROUTE)}.",
            ],
        ),
    ],
)
def test_results_that_contradict_the_rules_are_said_with_the_rules_that_give_them(text: str, said: list[str]) -> None:
    (case,) = read_positions(text, "here")
    ruleset = load_ruleset("datc-3.2").ruleset()
    assert list(explain_whole_case(case, ruleset, {}, all_rulesets=False).recorded) == said
