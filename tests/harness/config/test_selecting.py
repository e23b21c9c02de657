"""Cases are found as people write them, in any suite, and what is wrong is said with the nearest right word."""

import pytest

from datc.cases import load_suite, suite_names
from datc.cases.errors import UnknownCaseError
from datc.harness.config.preparing import find_case, find_cases


def keys(*selections, suites=()):
    return [case.key for case in find_cases(suites, selections)]


def test_capitals_and_commas_make_no_difference_and_the_suite_gives_the_order():
    assert keys("6.f.2,6.a.1", "6.F.1") == ["datc-3.2/6.A.1", "datc-3.2/6.F.1", "datc-3.2/6.F.2"]
    assert keys("V3.2-4.a.4") == keys("v3.2-4.A.4")


def test_a_case_of_any_suite_is_named_with_its_suite():
    assert keys("extended/4.d.1-four-sets, 6.A.1") == ["datc-3.2/6.A.1", "extended/4.D.1-four-sets"]
    assert keys("datc-3.1/6.A.1", suites=["extended"]) == ["datc-3.1/6.A.1"]


def test_without_a_suite_all_of_them_are_searched():
    assert keys("4.D.1-four-sets") == ["extended/4.D.1-four-sets"]
    assert {key.split("/")[0] for key in keys("DPTG.XIII")} == {"dptg"}


def test_all_suites_can_be_asked():
    assert {case.suite for case in find_cases(["all"], ())} == set(suite_names())


@pytest.mark.parametrize(
    ("selection", "suites", "message"),
    [
        ("6.F.101", [], "--select 6.F.101: there is no such case, section or issue in the suite: did you mean '6.F.1"),
        ("4.D.1-four-sets", ["datc-3.2"], "in the suite; there is extended/4.D.1-four-sets$"),
        ("extended/6.F.3", [], "in extended; there is datc-3.1/6.F.3 and datc-3.2/6.F.3$"),
        ("nowhere/6.F.3", [], "in nowhere; there is "),
        (" , ", [], "names no case: write an id, a section or an issue"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(selection, suites, message):
    with pytest.raises(UnknownCaseError, match=message):
        _ = find_cases(suites, [selection])


def test_a_single_case_is_found_in_the_usual_edition_then_in_the_others():
    named = (("6.f.1", None), ("4.D.1-four-sets", "all"), ("datc-3.1/6.F.1", None))
    found = [case.key for key, suite in named if (case := find_case(key, suite)) is not None]
    assert found == ["datc-3.2/6.F.1", "extended/4.D.1-four-sets", "datc-3.1/6.F.1"]
    assert find_case("4.D.1-four-sets", "datc-3.2") is None
    assert find_case("6.F.101", None) is None


def test_an_id_of_several_suites_must_say_which(monkeypatch):
    """No suite but the editions has an id of another one today."""
    monkeypatch.setattr("datc.harness.config.preparing.USUAL_EDITION", "extended")
    assert load_suite("extended").name == "extended"
    with pytest.raises(UnknownCaseError, match="several suites have a case '6.F.1': write datc-3.1/6.F.1 and datc-3.2"):
        _ = find_case("6.F.1", None)
