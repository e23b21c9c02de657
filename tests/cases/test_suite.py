"""The DATC 3.1 suite says what the document says."""

import html
import re
from pathlib import Path

import jsonschema
import pytest

from datc.cases import case_file_schema, load_suite, select_cases
from datc.reference_engine import DATC_3_1
from datc.reference_engine.toml import loads

ROOT = Path(__file__).parents[2]
SEED = ROOT.parent / "shared" / "seeds" / "000_7f79668380914b38.txt"
SUITE = load_suite("datc-3.1")
COUNTS = {"A": 12, "B": 15, "C": 9, "D": 34, "E": 15, "F": 25, "G": 20, "H": 16, "I": 7, "J": 11}


def test_it_has_all_cases_in_the_order_of_the_document():
    assert {section.id: len(section.cases) for section in SUITE.sections} == {f"6.{k}": n for k, n in COUNTS.items()}
    assert [case.id for case in SUITE.cases] == [f"6.{k}.{i + 1}" for k, n in COUNTS.items() for i in range(n)]


def test_one_case_holds_two_positions():
    starts = {case.id: sum(phase.position is not None for phase in case.phases) for case in SUITE.cases}
    assert {case for case, count in starts.items() if count != 1} == {"6.J.9"}
    assert starts["6.J.9"] == 2


@pytest.mark.parametrize("case", SUITE.cases, ids=lambda case: case.id)
def test_each_case_expects_something_under_the_preferences_of_the_document(case):
    for phase in case.phases:
        expectation = phase.expected(DATC_3_1.choices)
        assert expectation is not None
        assert not expectation.no_answer


@pytest.mark.parametrize("path", sorted((ROOT / "cases" / "datc-3.1").glob("6.*.toml")), ids=lambda path: path.stem)
def test_the_schema_that_editors_use_accepts_the_files(path):
    schema = case_file_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(loads(path.read_text(encoding="utf-8")))


def test_the_schema_refuses_an_unknown_key():
    content = {"section": "6.A", "title": "t", "case": [{"id": "6.A.1", "title": "t", "oders": {}}]}
    with pytest.raises(jsonschema.ValidationError, match="oders"):
        jsonschema.Draft202012Validator(case_file_schema()).validate(content)


@pytest.mark.parametrize(
    ("selection", "expected"),
    [("6.F.9", ["6.F.9"]), ("6.A", [f"6.A.{i + 1}" for i in range(12)]), ("4.A.4", ["6.G.13"]), ("6.F.1", ["6.F.1"])],
)
def test_cases_are_selected_by_id_section_and_issue(selection, expected):
    assert [case.id for case in select_cases(SUITE.cases, [selection])] == expected


@pytest.fixture(scope="module")
def document():
    """Chapter 6 of the document: each case's HTML by its number."""
    if not SEED.is_file():
        pytest.skip(f"the text of the DATC is not part of the repository, and not at {SEED}")
    chapter = SEED.read_text(encoding="utf-8").partition('<a name="6">')[2]
    parts = re.split(r'<a name="(6\.[A-J]\.\d+)">', chapter)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_the_orders_stand_letter_for_letter_as_in_the_document(document):
    for case in SUITE.cases:
        blocks = re.findall(r"<pre>(.*?)</pre>", document[case.id], re.DOTALL)
        lines = [html.unescape(line.strip()) for block in blocks for line in block.splitlines()]
        powers = {"Austria", "England", "France", "Germany", "Italy", "Russia", "Turkey"}
        prose = re.compile(r"^\w+ (has|owns|does not)\b")
        written = [line for line in lines if line and line.rstrip(":") not in powers and not prose.match(line)]
        ours = [order.text for phase in case.phases for order in phase.orders]
        assert ours == written, case.id


def test_the_titles_and_issues_are_those_of_the_document(document):
    for case in SUITE.cases:
        heading = html.unescape(re.sub("<[^>]*>", "", document[case.id].partition("\n")[0]))
        assert heading.partition("TEST CASE, ")[2].strip().casefold() == case.title.casefold()
        linked = set(re.findall(r'href="#(4\.[A-E]\.\d)"', document[case.id]))
        assert linked <= set(case.issues), case.id
