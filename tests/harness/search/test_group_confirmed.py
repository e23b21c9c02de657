"""What explains the findings of a hunt is tested, and they are grouped by what stood its test."""

from __future__ import annotations

import zlib
from dataclasses import replace

import pytest

from datc.adapters import EngineClosedError
from datc.harness.bugs.changes import FoundChanges
from datc.harness.bugs.mutants import find_mutant
from datc.harness.play.answer import Answer
from datc.harness.play.session import Adjudicator, ReferenceAdjudicator
from datc.harness.search import disagreement
from datc.harness.search.disagreement import Cause
from datc.harness.search.findings import Finding, said_data, store_position
from datc.harness.search.groups import NOT_SHRUNK
from datc.harness.search.report import hunt_report
from datc.harness.search.text import cause_text, how_tested, wrong_text
from datc.reference_engine import DATC_3_1, Dislodged

from .adjudicators import REFERENCE, Failing, buggy_spec, hunt_with, plan_for, position_of, says

MUTANT = "convoyed-attack-does-not-cut"
PLAN = plan_for(buggy_spec("none"), 250, ("random", "paradoxes"), ("dense", "convoy-knots"))


def test_a_bug_that_fits_a_choice_is_named_when_it_was_tested():
    """In each position an engine that needs the route in the order would answer alike."""
    mutant = ReferenceAdjudicator(DATC_3_1, find_mutant(MUTANT).procedure, MUTANT)
    hunt = hunt_with(PLAN, [mutant])
    assert "deviation" in {group.kind for group in hunt.groups}, "it fits, and is not tested"
    assert {group.evidence.strength for group in hunt.groups} == {"untested"}
    hunt.test_causes([mutant])
    (group,) = hunt.groups
    assert (group.kind, cause_text(group)) == ("bug", find_mutant(MUTANT).sentence)
    assert len(group.findings) == len(hunt.findings)
    assert group.evidence.strength == "confirmed"
    (text,) = how_tested(group)
    assert text == f"tested: {group.evidence.agreed} of {group.evidence.asked} new positions agree"
    assert text in hunt_report(hunt).cases[0].notes


@pytest.mark.parametrize("seed", [1, 2])
def test_a_bug_without_a_name_is_one_group_whatever_the_seed(seed, monkeypatch):
    """Its smallest positions are of many patterns, and most of what shows it is counted alone."""
    monkeypatch.setattr(disagreement, "MUTANTS", {})
    monkeypatch.setattr(disagreement, "find_changes", lambda *_, **__: FoundChanges((), 0))
    engine = ReferenceAdjudicator(DATC_3_1, find_mutant("nobody-follows").procedure)
    hunt = hunt_with(replace(PLAN, seed=seed, chunk=250), [engine])
    assert len({each.cause.label for each in hunt.findings}) > 2
    assert NOT_SHRUNK in {group.label for group in hunt.groups}, "what nobody looked at again may be another bug"
    hunt.test_causes([engine])
    (group,) = hunt.groups
    assert cause_text(group) == "a move stays where it should arrive"
    assert len(group.findings) == len(hunt.findings)


def test_what_is_wrong_is_said_once_and_moves_first():
    ordered = position_of(
        "France: A Bur H", "Germany: A Mun - Bur", "Germany: F Nth C A Lon - Bel", "England: A Lon - Bel VIA"
    )
    (played,) = says(REFERENCE, ordered)
    burgundy, munich, *rest = (
        next(unit for unit in ordered.units if unit.location == where) for where in ("BUR", "MUN", "NTH", "LON")
    )
    fleet, army = rest
    after = [munich._replace(location="BUR"), fleet, army._replace(location="BEL")]
    wrong = Answer(tuple(sorted(after)), (Dislodged(burgundy, None, None),))
    found = Finding(
        number=1,
        source="random",
        engine=0,
        cause=Cause(kind="bug", label="", unexplained=True),
        found_units=4,
        position=store_position(ordered),
        said=[
            said_data("engine", (played._replace(answer=wrong),)),
            said_data("reference", (played._replace(answer=Answer(ordered.units, ())),)),
        ],
    )
    assert wrong_text(found) == (
        "a move arrives where it should stay, a unit that holds is dislodged where it should stay"
    )


def test_choices_that_an_engine_plays_are_confirmed_each():
    rules = DATC_3_1.with_choices({"4.A.2": "all-hold", "X.8": "beleaguered-disrupts"})
    engine = ReferenceAdjudicator(rules)
    hunt = hunt_with(PLAN, [engine])
    hunt.test_causes([engine])
    assert {group.kind for group in hunt.groups} == {"deviation"}
    confirmed = [group.changes for group in hunt.groups if group.evidence.strength == "confirmed"]
    assert {issue: choices for changes in confirmed for issue, choices in changes.items()} == {
        "4.A.2": ["all-hold"],
        "X.8": ["beleaguered-disrupts"],
    }


def test_what_fits_and_is_refuted_is_no_cause():
    """It loses the orders of Italy now and then: no choice and no mutant does that."""

    class Forgetful(Adjudicator):
        name = "forgetful"

        def ask(self, asked):
            forgets = zlib.crc32(str(sorted(asked.units)).encode()) % 3 == 0
            kept = [
                given for given in asked.submission.as_one_clear_set() or () if not (forgets and given.power == "ITALY")
            ]
            return replace(ReferenceAdjudicator(DATC_3_1).ask(asked._replace(orders=tuple(kept))), outcomes=None)

    engine = Forgetful()
    hunt = hunt_with(replace(PLAN, positions=60), [engine])
    hunt.test_causes([engine])
    assert hunt.findings
    assert "confirmed" not in {group.evidence.strength for group in hunt.groups}


def test_an_engine_that_closes_meanwhile_leaves_them_untested():
    hunt = hunt_with(PLAN, [ReferenceAdjudicator(DATC_3_1, find_mutant(MUTANT).procedure, MUTANT)])
    assert hunt.findings
    hunt.test_causes([Failing(lambda _: EngineClosedError("closed"))])
    assert hunt.tested is None
    assert {group.evidence.strength for group in hunt.groups} == {"untested"}
