"""The cases tell every pair of choices apart, but for what a single set of orders, already read, cannot show."""

from datc.cases import coverage, load_suite, suite_names
from datc.reference_engine import ISSUES

CASES = [case for name in suite_names() for case in load_suite(name).cases]
NOT_IN_ONE_SET_OF_ORDERS = {"4.D.1", "4.D.2", "4.E.2", "4.E.3", "4.E.4", "4.E.5", "4.E.6"}


def test_every_other_pair_is_told_apart():
    gaps = [gap for gap in coverage(CASES).gaps if gap.issue not in NOT_IN_ONE_SET_OF_ORDERS]
    # An order that nobody can read is no order here, so that these two come to the same.
    assert [tuple(gap) for gap in gaps] == [("4.E.1", "any-writing", "any-board-space")]


def test_the_table_names_the_cases():
    told_apart = coverage(load_suite("datc-3.1").cases).told_apart
    assert list(told_apart) == list(ISSUES)
    assert told_apart["4.A.4"] == {("not-cut", "cut"): ("6.G.13",)}
    assert "6.F.24" in told_apart["4.A.2"]["szykman", "dptg"]
    assert "6.F.14" not in told_apart["4.A.2"]["1971", "1982"]


def test_a_gap_is_a_gap():
    assert coverage([]).gaps[0] == ("4.A.1", "any-route", "all-routes")
