"""Which issues an outcome depends on, and which documents settle these: by hand, from `cases/rulesets`."""

from __future__ import annotations

from pathlib import Path

import pytest

from datc.cases import ruleset_names
from datc.harness.config.preparing import read_positions
from datc.harness.explain.case import explain_whole_case
from datc.reference_engine import DATC_3_2
from datc.reference_engine.toml import loads

from ..cli.running import invoke, words

CONVOYED = (
    "France: A Gas - Mar via convoy, A Bur S A Gas - Mar, F Mid C A Gas - Mar, F Wes C A Gas - Mar, F Lyo C A Gas - Mar"
    "\nItaly: A Mar H"
)
"""Marseilles is attacked by convoy from next door: may it retreat to Gascony (4.A.5)?"""


def table(text: str):
    (case,) = read_positions(text, "here")
    found = explain_whole_case(case, DATC_3_2, {}, all_rulesets=True).rulesets
    assert found is not None
    return found


def test_what_no_document_disputes_depends_on_nothing() -> None:
    found = table("Austria: A Ser - Bud\nRussia: A Rum - Bud")
    assert not found.depends_on
    assert found.sentence == "All rulesets agree: nothing moves. It depends on no disputed rule."


def test_documents_that_settle_an_issue_are_told_from_those_that_are_silent_or_ambiguous() -> None:
    by_issue = {each.issue: each for each in table(CONVOYED).depends_on}
    # In 1971 the army walks, since the units do not swap: 4.A.5 does not matter there. The others let it sail.
    assert by_issue["4.A.5"].ambiguous == ["1982", "2000"]
    assert not by_issue["4.A.5"].silent
    assert {"2023", "2025ee", "alexander", "datc-3.2", "dptg"} <= {*by_issue["4.A.5"].stated}
    # No order names a nationality, so 4.C.5, of which all rulebooks are silent, is not asked of this text.
    assert not {"4.C.5", "4.C.1"} & by_issue.keys()


def test_agreement_names_the_documents_that_do_not_speak() -> None:
    text = (
        "Winter 1901\nUnits:\nFrance: A Pic, A Par\nCenters:\nFrance: Par\nOrders:\nFrance: Remove A Pic, Remove A Par"
    )
    found = table(text)
    silent = "1971, 1982, 2000, 2023, dpjudge and dptg"
    said = "Every document that speaks of this agrees: A Picardy is removed. On what decides it,"
    assert found.sentence == f"{said} {silent} are silent."
    told = words(invoke("explain", "-", input=text).output)
    assert "2025ee, alexander, datc-2.4, datc-3.1, datc-3.2; silent: 1971, 1982, 2000, 2023, dpjudge, dptg: " in told
    assert f"nothing is said in {silent}, so the DATC's preference is played." in told


@pytest.mark.parametrize("position", loads(Path(__file__).with_name("by_hand.toml").read_text("utf-8"))["position"])
def test_retreats_adjustments_and_civil_disorder_have_the_outcomes_derived_by_hand(position) -> None:
    rows = table(position["text"]).rows
    told = {name: {*row.phases[-1].split("; ")} for row in rows for name in row.rulesets}
    by_hand = {name: {*said.split("; ")} for said, names in position["outcomes"].items() for name in names.split()}
    assert told == by_hand
    assert told.keys() == {*ruleset_names()}
