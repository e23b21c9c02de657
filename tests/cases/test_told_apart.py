"""The cases tell every pair of choices of every issue apart."""

from datc.cases import coverage, load_suite, suite_names
from datc.reference_engine import ISSUES

CASES = [case for name in suite_names() for case in load_suite(name).cases]


def test_every_pair_of_choices_is_told_apart():
    assert coverage(CASES).gaps == ()


def test_the_table_names_the_cases():
    told_apart = coverage(load_suite("datc-3.1").cases).told_apart
    assert list(told_apart) == list(ISSUES)
    assert told_apart["4.A.4"] == {("not-cut", "cut"): ("6.G.13",)}
    assert "6.F.24" in told_apart["4.A.2"]["szykman", "dptg"]
    assert "6.F.14" not in told_apart["4.A.2"]["1971", "1982"]


def test_a_gap_is_a_gap():
    assert coverage([]).gaps[0] == ("4.A.1", "any-route", "all-routes")
