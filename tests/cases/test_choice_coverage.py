"""The cases distinguish every pair of choices of every issue."""

from datc.cases import load_suite, suite_names
from datc.cases.choice_coverage import coverage
from datc.reference_engine import ISSUES


def test_every_pair_of_choices_is_distinguished():
    found = coverage(case for name in suite_names() for case in load_suite(name).cases)
    assert list(found) == list(ISSUES)
    assert [pairs for pairs in found.values() if not all(pairs.values())] == []


def test_the_table_names_the_cases():
    found = coverage(load_suite("datc-3.1").cases)
    assert found["4.A.4"] == {("not-cut", "cut"): ["6.G.13"]}
    assert "6.F.24" in found["4.A.2"]["szykman", "dptg"]
    assert "6.F.14" not in found["4.A.2"]["1971", "1982"]
    assert found["4.A.1"]["any-route", "all-routes"]
