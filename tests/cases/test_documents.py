"""The worked examples of the documents beside DATC chapter 6, and the positions from the field.

Their suites are whole, and each case expects an outcome.
"""

from pathlib import Path

import jsonschema
import pytest

from datc.cases import case_file_schema, load_ruleset, load_suite, ruleset_names, select_cases, suite_names
from datc.reference_engine.toml import loads

ROOT = Path(__file__).parents[2]
COUNTS = {
    "alexander": {"AR.ambiguities": 2, "AR.paradoxes": 5, "AR.principles": 6},
    "datc-chapters-4-5": {"v2.4-4": 16, "v2.4-5": 4, "v3.1-3": 1, "v3.1-4": 10, "v3.1-5": 5},
    "dptg": {
        "DPTG.VI": 5,
        "DPTG.VII": 1,
        "DPTG.VIII.1-4": 11,
        "DPTG.VIII.5-9": 6,
        "DPTG.VIII.10-13": 6,
        "DPTG.VIII.14-17": 12,
        "DPTG.VIII.18-20": 6,
        "DPTG.IX": 12,
        "DPTG.XII": 7,
        "DPTG.XIII": 4,
    },
}
SUITES = {name: load_suite(name) for name in (*COUNTS, "field")}
CASES = [case for suite in SUITES.values() for case in suite.cases]


@pytest.mark.parametrize("name", COUNTS)
def test_it_has_all_examples_of_each_section(name):
    assert {section.id: len(section.cases) for section in SUITES[name].sections} == COUNTS[name]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_each_example_has_an_outcome_under_every_ruleset(case):
    for name in ruleset_names():
        for phase in case.phases:
            expectation = phase.expected(load_ruleset(name).ruleset().choices)
            assert expectation is not None
            assert not expectation.no_answer, name


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_its_id_is_that_of_no_other_case(case):
    assert [other for name in suite_names() for other in load_suite(name).cases if other.id == case.id] == [case]


def test_examples_are_selected_by_chapter_and_step():
    chosen = select_cases(SUITES["dptg"].cases, ["DPTG.VIII.20"])
    assert [case.id for case in chosen] == [f"DPTG.VIII.20.{letter}" for letter in "abcde"]
    assert len(select_cases(SUITES["dptg"].cases, ["DPTG.VIII"])) == 41


@pytest.mark.parametrize(
    "path",
    [path for name in SUITES for path in sorted((ROOT / "cases" / name).glob("*.toml")) if path.name != "suite.toml"],
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
def test_the_schema_that_editors_use_accepts_the_files(path):
    jsonschema.Draft202012Validator(case_file_schema()).validate(loads(path.read_text(encoding="utf-8")))
