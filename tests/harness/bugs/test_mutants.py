"""The mutants: each is noticed by a case, is unlike all others, is recognised from its own answers, and has a topic."""

import fnmatch
import json
import random
import re
from functools import cache

import msgspec
import pytest

from datc.adapters.builtin import BuiltinEngine, Reference
from datc.adapters.protocol import OrderedUnitMessage, OrderResultMessage
from datc.cases import load_issues, load_ruleset, load_suite, ruleset_names, suite_names
from datc.harness.bugs import diagnosis
from datc.harness.bugs.diagnosis import diagnose
from datc.harness.bugs.doctor import mutant_coverage
from datc.harness.bugs.mutants import MUTANTS, find_mutant
from datc.harness.bugs.mutants.missing import MISSING
from datc.harness.bugs.mutants.mutant import Mutant, MutantReference, by_result
from datc.harness.bugs.topics import (
    ELSEWHERE_FILE,
    KNOWN_MUTANTS,
    NEEDS_FILE,
    decides_alike,
    find_needs,
    is_known_right,
    needs_of,
    play,
    rules_of,
    topics,
    topics_of,
)
from datc.harness.play.case_verdicts import ask_case
from datc.harness.play.engine import EngineAdjudicator
from datc.harness.play.report_data import case_data
from datc.harness.play.verdict import Rules
from datc.reference_engine import DATC_3_1, GivenOrder, Position, Unit, read_order
from datc.reference_engine.procedures import EQUATIONS

from ..search.shadowed import Scripted

CASES = [case for name in suite_names() for case in load_suite(name).cases]
NEWEST = [case for case in CASES if case.suite not in ("datc-2.4", "datc-3.1")]
"""All but the older editions of the DATC, whose cases the newest one has, too."""


def judged(procedure, case, ruleset):
    return case_data(case, diagnosis._played(procedure, case, ruleset), Rules(ruleset))


@cache
def right_answers(ruleset):
    return {case.key: judged(EQUATIONS, case, ruleset) for case in CASES}


def answers(procedure, ruleset=DATC_3_1, cases=CASES):
    """What a mutant answers to cases; those that it answers as the rules do are not judged again."""
    right = right_answers(ruleset)
    alike = {
        case.key
        for case in cases
        if answers_of(diagnosis._played(procedure, case, ruleset))
        == answers_of(diagnosis._played(EQUATIONS, case, ruleset))
    }
    return [right[case.key] if case.key in alike else judged(procedure, case, ruleset) for case in cases]


def answers_of(played):
    return [one.answer for one in played]


def asked(engine, cases):
    """What an engine in this process answers to cases."""
    adjudicator = EngineAdjudicator(engine, engine.start().capabilities, DATC_3_1)
    return [ask_case(adjudicator, case, Rules(DATC_3_1)) for case in cases]


def test_there_are_many_with_names_and_sentences():
    assert len(MUTANTS) >= 40
    for name, mutant in MUTANTS.items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name), name
        assert re.match(r"[a-z]", mutant.sentence), mutant.sentence
        assert not mutant.sentence.endswith("."), mutant.sentence
    assert len({mutant.sentence for mutant in MUTANTS.values()}) == len(MUTANTS)


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=lambda mutant: mutant.name)
def test_a_mutant_is_noticed_and_recognised_from_its_own_answers(mutant):
    """So no two of them give the same answers: both would be recognised as the same one."""
    found = answers(mutant.procedure, cases=NEWEST)
    failed = {case.key for case in found if case.verdict == "failed"}
    assert failed, "no case notices it"
    first, *_ = diagnose(found, NEWEST, DATC_3_1)
    assert first.name == mutant.name
    assert failed <= {case.key for case in first.cases}
    assert first.against == []


@pytest.mark.parametrize("name", ruleset_names())
def test_an_engine_without_a_mutant_looks_like_nothing(name):
    ruleset = load_ruleset(name).ruleset()
    assert diagnose(answers(EQUATIONS, ruleset), CASES, ruleset) == []
    deviating = BuiltinEngine(Reference(ruleset, fixed=True))
    assert diagnose(asked(deviating, CASES), CASES, DATC_3_1) == []


def test_deviations_that_contradict_other_answers_are_explained():
    """Each alone would be right where a convoy needs its path in the order, but then no other convoy would go."""
    mutant = find_mutant("attack-disrupts-convoy")
    cases = [case for case in CASES if case.section == "6.F" and case.suite in ("datc-2.4", "datc-3.1")]
    found = answers(mutant.procedure, cases=cases)
    assert {case.verdict for case in found if case.id in ("6.F.4", "6.F.5")} == {"deviated"}
    assert "failed" not in {case.verdict for case in found}
    (mutant,) = diagnose(found, cases, DATC_3_1)
    assert mutant.name == "attack-disrupts-convoy"
    assert [case.id for case in mutant.cases][:2] == ["6.F.4", "6.F.5"]


def test_other_words_for_orders_hide_no_mutant():
    """Of a dislodged unit most engines say that its support failed, whatever it was worth."""

    reference = MutantReference(mutant=find_mutant("dislodged-support-counts"))

    def adjudicate(params):
        answer = reference.adjudicate(params)
        dislodged = [OrderedUnitMessage(type=unit.type, location=unit.location) for unit in answer.dislodged or ()]
        orders = list(answer.orders or ())
        for index, given in enumerate(params.orders):
            if getattr(given.order, "unit", None) in dislodged:
                orders[index] = OrderResultMessage(outcome="fails", reason="dislodged")
        return msgspec.structs.replace(answer, orders=orders)

    cases = [case for case in CASES if case.suite == "datc-3.2" and case.section == "6.D"]
    found = asked(Scripted(adjudicate), cases)
    assert [case.id for case in found if case.verdict == "failed"] == ["6.D.17"]
    assert "dislodged-support-counts" in [mutant.name for mutant in diagnose(found, cases, DATC_3_1)]


def test_the_cases_of_the_datc_are_named_first():
    found = answers(find_mutant("support-cut-from-target").procedure)
    (mutant,) = diagnose(found, CASES, DATC_3_1)
    suites = [case.suite for case in mutant.cases]
    assert suites[0] == "datc-3.2"
    assert "alexander" in suites
    assert "datc-3.2" not in suites[suites.index("alexander") :]


@pytest.mark.parametrize(
    ("rules", "name"),
    [("1982", "own-support-dislodges"), ("1982", "convoyed-attack-does-not-cut"), ("dptg", "first-retreat-wins")],
)
def test_a_mutant_is_recognised_under_other_rules(name, rules):
    ruleset = load_ruleset(rules).ruleset()
    first, *_ = diagnose(answers(find_mutant(name).procedure, ruleset), CASES, ruleset)
    assert first.name == name


def test_a_mutant_of_no_catalogue_is_not_recognised():
    """It leaves the second unit of each board where it was and takes the rest off."""

    def mutate(phase):
        return phase.result._replace(units=phase.position.units[1:2])

    unknown = Mutant("unknown", "is of no use", by_result("movement", mutate))
    found = answers(unknown.procedure)
    assert sum(case.verdict == "failed" for case in found) > 200
    explained = {case.key for mutant in diagnose(found, CASES, DATC_3_1) for case in mutant.cases}
    assert len(explained) < 5


def test_an_answer_counts_only_where_the_reference_engine_gives_another():
    """A case that expects what no engine does says nothing of a mutant."""
    found = [msgspec.structs.replace(case, verdict="failed") for case in answers(EQUATIONS)[:3]]
    assert diagnose(found, CASES, DATC_3_1) == []


def test_two_mutants_at_once_are_both_named():
    swap, build = find_mutant("swap-by-land"), find_mutant("build-abroad")
    both = Mutant("both", "has two", {**swap.procedure, "adjustment": build.procedure["adjustment"]})
    assert [mutant.name for mutant in diagnose(answers(both.procedure), CASES, DATC_3_1)] == [swap.name, build.name]


def test_a_mutant_is_seen_through_the_rules_that_an_engine_plays():
    """It plays its own rules whatever it is asked, and so deviates beside the cases that it fails."""
    rules = DATC_3_1.with_choices({"4.A.2": "1982", "X.4": "grand-winner"})
    engine = BuiltinEngine(MutantReference(rules, fixed=True, mutant=find_mutant("own-support-dislodges")))
    found = asked(engine, CASES)
    assert "deviated" in {case.verdict for case in found}
    assert [mutant.name for mutant in diagnose(found, CASES, DATC_3_1)] == ["own-support-dislodges"]


def test_the_coverage_says_which_case_notices_a_mutant():
    own = mutant_coverage([case for case in CASES if case.id == "6.I.7"], DATC_3_1)
    assert list(own) == list(MUTANTS)
    assert {name for name, cases in own.items() if cases} == {"too-many-builds", "two-built-in-one-province"}


def obeying_every_order(position, *texts):
    orders = [GivenOrder("GERMANY", read_order(text).order) for text in texts]
    return find_mutant("every-order-obeyed").procedure["movement"](position, orders, DATC_3_1)


@pytest.mark.parametrize(
    ("orders", "places"),
    [
        (["F Kiel - Denmark", "F Kiel - Baltic Sea", "F Kiel Hold", "F Kiel - Munich"], ["BAL", "DEN", "KIE"]),
        (["F Kiel - Denmark", "F Kiel - Baltic Sea", "F Kiel - Munich"], ["BAL", "DEN"]),
        (["F Kiel Hold", "F Kiel - Munich"], ["KIE"]),
    ],
)
def test_a_unit_that_obeys_every_order_is_in_two_places(orders, places):
    result = obeying_every_order(Position([Unit("GERMANY", "F", "KIE")]), *orders)
    assert sorted(unit.location for unit in result.units) == places


def test_a_fleet_that_obeys_every_order_still_convoys():
    position = Position([Unit("GERMANY", "F", "NTH"), Unit("GERMANY", "A", "LON")])
    result = obeying_every_order(position, "F North Sea Convoys A London - Norway", "F NTH Hold", "A London - Norway")
    assert [order.outcome for order in result.orders] == ["succeeds"] * 3


def test_no_standoff_where_a_unit_that_obeys_every_order_stays():
    position = Position([Unit("GERMANY", "A", location) for location in ("KIE", "BER", "RUH")])
    result = obeying_every_order(position, "A Kiel - Munich", "A Kiel Hold", "A Berlin - Kiel", "A Ruhr - Kiel")
    assert "KIE" in {unit.location for unit in result.units}
    assert result.contested == frozenset()


ALL = [*MISSING, *MUTANTS]
SHARE = 20
"""Of the mutants each case is played with one in so many, the next case with others."""


def test_each_mutant_belongs_to_one_topic_and_each_issue_to_one_at_most():
    assert {sum(topic.has(name) for topic in topics().values()) for name in ALL} == {1}
    issues = [issue for topic in topics().values() for issue in topic.issues]
    assert len(issues) == len(set(issues))
    assert set(issues) <= set(load_issues())
    patterns = [pattern for topic in topics().values() for pattern in topic.mutants]
    assert [pattern for pattern in patterns if not fnmatch.filter(ALL, pattern)] == [], "of no use"


@pytest.mark.parametrize("suite", suite_names())
def test_what_the_cases_need_is_stored_as_it_is(suite):
    ruleset = load_ruleset(load_suite(suite).ruleset).ruleset()
    for number, case in enumerate(load_suite(suite).cases):
        some = ALL[number % SHARE :: SHARE]
        stored = [name for name in needs_of(case, ruleset) if name in some]
        assert stored == list(find_needs(case, ruleset, some)), f"{case.key}: run benchmarks/needs.py"


def test_what_is_stored_holds_under_rules_that_decide_a_case_alike():
    rng, known = random.Random(8), 0
    for _ in range(400):
        case, name, other = rng.choice(CASES), rng.choice(ALL), load_ruleset(rng.choice(ruleset_names())).ruleset()
        if is_known_right(name, case, other):
            known += 1
            assert decides_alike(case, other)
            verdicts = {play(each, case, other).verdict for each in (EQUATIONS, KNOWN_MUTANTS[name].procedure)}
            assert len(verdicts) == 1, (case.key, name, other.name)
    assert known > 200
    (removals,) = (case for case in CASES if case.key == "dptg/DPTG.XIII.a")
    assert not is_known_right("army-removed-first", removals, DATC_3_1)


def test_the_stored_table_is_of_these_cases_and_mutants():
    table = json.loads(NEEDS_FILE.read_bytes())
    assert set(table) == set(suite_names())
    assert all([*cases] == [case.id for case in load_suite(suite).cases] for suite, cases in table.items())
    assert {name for cases in table.values() for needs in cases.values() for name in needs} == set(ALL)
    elsewhere = json.loads(ELSEWHERE_FILE.read_bytes())
    assert set(elsewhere) <= {case.key for case in CASES}
    assert {name for needs in elsewhere.values() for name in needs} <= set(ALL)


def test_a_case_of_a_user_is_played_by_all_mutants(tmp_path):
    (tmp_path / "suite.toml").write_text('name = "mine"\ntitle = "Mine"\nruleset = "datc-3.2"\n', "utf-8")
    (tmp_path / "one.toml").write_text(
        'section = "M"\ntitle = "Mine"\n[[case]]\nid = "one"\ntitle = "A support"\n'
        '[case.orders]\nGermany = ["A Berlin - Prussia", "A Silesia Supports A Berlin - Prussia"]\n'
        'Russia = ["A Prussia Holds"]\n'
        '[[case.expect]]\nmoved = ["A Berlin"]\ndislodged = ["A Prussia"]\n',
        "utf-8",
    )
    (case,) = load_suite(str(tmp_path)).cases
    rules = rules_of(case, load_ruleset("datc-3.2").ruleset())
    assert topics_of(rules) == {"moves", "supports", "dislodgement"}
