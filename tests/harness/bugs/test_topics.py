"""The topics of the rules: each mutant belongs to one, and what the cases need is stored as it is."""

import fnmatch
import json

import pytest

from datc.cases import load_issues, load_ruleset, load_suite, suite_names
from datc.harness.bugs.mutants import MUTANTS
from datc.harness.bugs.mutants.missing import MISSING
from datc.harness.bugs.topics import NEEDS_FILE, find_needs, needs_of, rules_of, topics, topics_of

ALL = [*MISSING, *MUTANTS]
SHARE = 20
"""Of the mutants each case is played with one in so many, the next case with others."""


def test_each_mutant_belongs_to_one_topic_and_each_issue_to_one_at_most():
    assert {sum(topic.has(name) for topic in topics().values()) for name in ALL} == {1}
    issues = [issue for topic in topics().values() for issue in topic.issues]
    assert len(issues) == len(set(issues))
    assert set(issues) <= set(load_issues())


def test_no_pattern_is_of_no_use():
    patterns = [pattern for topic in topics().values() for pattern in topic.mutants]
    assert [pattern for pattern in patterns if not fnmatch.filter(ALL, pattern)] == []


@pytest.mark.parametrize("suite", suite_names())
def test_what_the_cases_need_is_stored_as_it_is(suite):
    ruleset = load_ruleset(load_suite(suite).ruleset).ruleset()
    for number, case in enumerate(load_suite(suite).cases):
        some = ALL[number % SHARE :: SHARE]
        stored = [name for name in needs_of(case, ruleset) if name in some]
        assert stored == list(find_needs(case, ruleset, some)), f"{case.key}: run benchmarks/needs.py"


def test_the_stored_table_is_of_these_cases_and_mutants():
    table = json.loads(NEEDS_FILE.read_bytes())
    assert set(table) == set(suite_names())
    assert all([*cases] == [case.id for case in load_suite(suite).cases] for suite, cases in table.items())
    assert {name for cases in table.values() for needs in cases.values() for name in needs} == set(ALL)


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
