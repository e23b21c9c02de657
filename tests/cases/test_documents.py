"""The suites are whole and say what their documents say: each case has an outcome, and they distinguish all choices."""

import html
import re
from pathlib import Path

import jsonschema
import pytest

from datc.cases import case_file_schema, load_ruleset, load_suite, ruleset_names, select_cases, suite_names
from datc.cases.suite import coverage
from datc.reference_engine import ISSUES
from datc.reference_engine.toml import loads

ROOT = Path(__file__).parents[2]
SEED = ROOT.parent / "shared" / "seeds" / "000_7f79668380914b38.txt"
SECTIONS_OF_6 = "ABCDEFGHIJ"
PARTS_OF_DPTG = ("VI", "VII", *(f"VIII.{k}" for k in ("1-4", "5-9", "10-13", "14-17", "18-20")), "IX", "XII", "XIII")
COUNTS = {
    "alexander": {"AR.ambiguities": 2, "AR.paradoxes": 5, "AR.principles": 6},
    "datc-chapters-4-5": {"v2.4-4": 16, "v2.4-5": 4, "v3.1-3": 1, "v3.1-4": 10, "v3.1-5": 5},
    "dptg": dict(zip([f"DPTG.{k}" for k in PARTS_OF_DPTG], (5, 1, 11, 6, 6, 12, 6, 12, 7, 4), strict=True)),
    "datc-3.1": dict(zip([f"6.{k}" for k in SECTIONS_OF_6], (12, 15, 9, 34, 15, 25, 20, 16, 7, 11), strict=True)),
    "datc-3.2": dict(zip([f"6.{k}" for k in SECTIONS_OF_6], (12, 19, 9, 35, 15, 30, 20, 17, 7, 12), strict=True)),
}
SUITES = {name: load_suite(name) for name in suite_names()}
DATC = SUITES["datc-3.1"]
CASES = [case for name in ("alexander", "datc-chapters-4-5", "dptg", "field") for case in SUITES[name].cases]
FILES = [
    path for name in SUITES for path in sorted((ROOT / "cases" / name).glob("*.toml")) if path.name != "suite.toml"
]


@pytest.mark.parametrize("name", COUNTS)
def test_it_has_all_cases_of_each_section_in_their_order(name):
    assert {section.id: len(section.cases) for section in SUITES[name].sections} == COUNTS[name]
    if name in ("datc-3.1", "datc-3.2"):
        ids = [f"{section}.{number + 1}" for section, count in COUNTS[name].items() for number in range(count)]
        assert [case.id for case in SUITES[name].cases] == ids


@pytest.mark.parametrize("name", ruleset_names())
def test_each_case_has_an_outcome_under_every_ruleset_and_one_of_3_1_under_its_preferences(name):
    choices = load_ruleset(name).ruleset().choices
    for case in [*CASES, *(DATC.cases if name == DATC.ruleset else ())]:
        for phase in case.phases:
            expectation = phase.expected(choices)
            assert expectation is not None, case.key
            assert not expectation.no_answer, case.key


def test_an_id_is_that_of_no_other_case():
    ids = [case.id for suite in SUITES.values() for case in suite.cases]
    assert [case.id for case in CASES if ids.count(case.id) != 1] == []


def test_one_case_holds_two_positions():
    starts = {case.id: sum(phase.position is not None for phase in case.phases) for case in DATC.cases}
    assert {case: count for case, count in starts.items() if count != 1} == {"6.J.9": 2}


def test_the_schema_that_editors_use_accepts_the_files():
    validator = jsonschema.Draft202012Validator(case_file_schema())
    errors = {path: [*validator.iter_errors(loads(path.read_text(encoding="utf-8")))] for path in FILES}
    assert {path: found for path, found in errors.items() if found} == {}


def test_the_schema_is_one_and_refuses_an_unknown_key():
    jsonschema.Draft202012Validator.check_schema(case_file_schema())
    content = {"section": "6.A", "title": "t", "case": [{"id": "6.A.1", "title": "t", "oders": {}}]}
    with pytest.raises(jsonschema.ValidationError, match="oders"):
        jsonschema.Draft202012Validator(case_file_schema()).validate(content)


@pytest.mark.parametrize(
    ("suite", "selection", "expected"),
    [
        ("datc-3.1", "6.F.9", ["6.F.9"]),
        ("datc-3.1", "6.A", [f"6.A.{i + 1}" for i in range(12)]),
        ("datc-3.1", "4.A.4", ["6.G.13"]),
        ("datc-3.1", "6.F.1", ["6.F.1"]),
        ("dptg", "DPTG.VIII.20", [f"DPTG.VIII.20.{letter}" for letter in "abcde"]),
        ("dptg", "DPTG.VIII", [case.id for case in SUITES["dptg"].cases if case.id.startswith("DPTG.VIII.")]),
    ],
)
def test_cases_are_selected_by_id_section_step_chapter_and_issue(suite, selection, expected):
    assert [case.id for case in select_cases(SUITES[suite].cases, [selection])] == expected


@pytest.fixture(scope="module")
def chapter_6():
    """Chapter 6 of the document: each case's HTML by its number."""
    if not SEED.is_file():
        pytest.skip(f"the text of the DATC is not part of the repository, and not at {SEED}")
    chapter = SEED.read_text(encoding="utf-8").partition('<a name="6">')[2]
    parts = re.split(r'<a name="(6\.[A-J]\.\d+)">', chapter)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_the_orders_stand_letter_for_letter_as_in_the_document(chapter_6):
    for case in DATC.cases:
        blocks = re.findall(r"<pre>(.*?)</pre>", chapter_6[case.id], re.DOTALL)
        lines = [html.unescape(line.strip()) for block in blocks for line in block.splitlines()]
        powers = {"Austria", "England", "France", "Germany", "Italy", "Russia", "Turkey"}
        prose = re.compile(r"^\w+ (has|owns|does not)\b")
        written = [line for line in lines if line and line.rstrip(":") not in powers and not prose.match(line)]
        ours = [order.text for phase in case.phases for order in phase.orders]
        assert ours == written, case.id


def test_the_titles_and_issues_are_those_of_the_document(chapter_6):
    for case in DATC.cases:
        heading = html.unescape(re.sub("<[^>]*>", "", chapter_6[case.id].partition("\n")[0]))
        assert heading.partition("TEST CASE, ")[2].strip().casefold() == case.title.casefold()
        linked = set(re.findall(r'href="#(4\.[A-E]\.\d)"', chapter_6[case.id]))
        assert linked <= set(case.issues), case.id


def test_every_pair_of_choices_is_distinguished():
    found = coverage(case for suite in SUITES.values() for case in suite.cases)
    assert list(found) == list(ISSUES)
    assert [pairs for pairs in found.values() if not all(pairs.values())] == []


def test_the_table_names_the_cases():
    found = coverage(DATC.cases)
    assert found["4.A.4"] == {("not-cut", "cut"): ["6.G.13"]}
    assert "6.F.24" in found["4.A.2"]["szykman", "dptg"]
    assert "6.F.14" not in found["4.A.2"]["1971", "1982"]
    assert found["4.A.1"]["any-route", "all-routes"]
