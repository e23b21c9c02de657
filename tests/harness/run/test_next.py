"""The stages of the cases: they follow from what the cases need, and nothing comes before what it rests on."""

import pytest

from datc.cases import load_ruleset, load_suite, suite_names
from datc.harness.bugs.topics import rules_of, topics
from datc.harness.run.next import stages_of

RULES = load_ruleset("datc-3.2").ruleset()


@pytest.mark.parametrize("suite", suite_names())
def test_every_case_is_in_one_stage_and_behind_those_that_need_a_part_of_its_rules(suite):
    cases = load_suite(suite).cases
    ordered = [case for stage in stages_of(cases, RULES) for case in stage.cases]
    assert sorted(case.id for case in ordered) == sorted(case.id for case in cases)
    needs = [rules_of(case, RULES) for case in ordered]
    early = [
        (ordered[number].id, ordered[later].id)
        for number, mine in enumerate(needs)
        for later, theirs in enumerate(needs[number:], number)
        if theirs < mine
    ]
    assert early == []


def test_the_stages_of_the_datc_are_the_topics_each_behind_those_that_it_rests_on():
    stages = stages_of(load_suite("datc-3.2").cases, RULES)
    names = [stage.topic for stage in stages]
    assert names == list(topics())
    for number, stage in enumerate(stages):
        assert set(stage.rests_on) <= set(names[:number])
    by_name = {stage.topic: stage for stage in stages}
    assert {"moves", "supports"} <= set(by_name["cutting"].rests_on)
    assert "convoys" in by_name["paradoxes"].rests_on
    assert "dislodgement" in by_name["retreats"].rests_on


IN_STAGES = """
    moves 6.A.1, supports 6.D.1, cutting 6.D.4, circular-movement 6.C.1, head-to-head 6.E.1, convoys 6.F.2,
    paradoxes 6.F.14, adjacent-convoys 6.G.1, coasts 6.B.1, retreats 6.H.4, builds 6.I.2, civil-disorder 6.J.3
"""


def test_a_case_is_where_a_reader_of_the_datc_looks_for_it():
    stages = {stage.topic: stage for stage in stages_of(load_suite("datc-3.2").cases, RULES)}
    found = {(topic, case.id) for topic, stage in stages.items() for case in stage.cases}
    assert {tuple(each.split()) for each in IN_STAGES.split(",")} <= found
