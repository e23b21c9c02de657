"""The positions from the field: each has its source, and `docs/field.md` tells what they expect."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from datc.adapters import bridge_names, open_engine, parse_engine_spec
from datc.cases import Case, load_ruleset, load_suite, ruleset_names
from datc.harness.runner import Run
from datc.harness.verdict import Rules
from datc.reference_engine import DATC_3_2
from datc.reports import RunFinished

from .tables import hold

DOCUMENT = Path(__file__).parents[1] / "docs" / "field.md"
TEXT = DOCUMENT.read_text(encoding="utf-8")
CASES = load_suite("field").cases
RULESETS = {name: load_ruleset(name).ruleset().choices for name in ruleset_names()}


def outcome(case: Case, choices: Mapping[str, str]) -> str:
    """What is expected under these choices, phase by phase, told as short as may be."""
    position = case.phases[0].position
    assert position is not None
    units = {unit.location.split("/")[0]: f"{unit.type} {unit.location}" for unit in position.units}
    told = []
    for phase in case.phases:
        expected = phase.expected(choices)
        assert expected is not None
        moves = [f"{units[province]} to {to}" for province, to in expected.moved.items()]
        lost = [f"x {units[province]}" for province in sorted(expected.dislodged)]
        gone = [
            f"{units[province]} {'disbanded' if phase.phase == 'retreat' else 'removed'}" for province in expected.gone
        ]
        told.append(", ".join([*moves, *lost, *sorted(gone)]) or "nothing")
    return "; then ".join(told)


def outcome_rows() -> list[list[str]]:
    """The rows of the table of the document: for each case its outcomes, each with the rulesets that expect it."""
    rows = []
    for case in CASES:
        outcomes: dict[str, list[str]] = {}
        for name, choices in RULESETS.items():
            outcomes.setdefault(outcome(case, choices), []).append(name)
        for told, names in outcomes.items():
            rows.append([f"`{case.id}`", told, "all" if len(names) == len(RULESETS) else ", ".join(names)])
    return rows


def test_the_document_has_the_outcome_of_each_case_under_each_ruleset():
    hold(DOCUMENT, "What each ruleset says", outcome_rows())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_document_tells_where_each_case_comes_from(case):
    (told,) = [item for item in re.findall(r"^- .*(?:\n  .*)*", TEXT, re.MULTILINE) if f"`{case.id}`:" in item]
    assert re.findall(r"\[Source\]\((\S+)\)", told) == ([case.source] if case.source else [])


def test_at_most_what_this_project_found_has_no_source():
    assert [case.id for case in CASES if not case.source] == [
        case.id for case in CASES if case.section == "FIELD.found"
    ]


def test_what_the_documents_do_not_say_is_called_derived():
    assert {
        expect.basis for case in CASES for phase in case.phases for expect in phase.expectations if not expect.no_answer
    } == {"derived"}


def test_the_document_has_no_case_that_is_gone():
    assert set(re.findall(r"FIELD\.[a-z]+\.[a-z-]+", TEXT)) == {case.id for case in CASES}


def engine_row(name: str) -> list[str]:
    """What the document tells of the answers of an engine."""
    spec = parse_engine_spec(name, {})
    run = Run(open_engine(spec, spec.limits(spec.request_seconds or 60)), spec, CASES, Rules(DATC_3_2, {}), "tested")
    (report,) = [event.report for event in run.events() if isinstance(event, RunFinished)]
    found = {case.id.removeprefix("FIELD."): case.verdict for case in report.cases}
    cells = [
        ", ".join(f"`{case}`" for case, verdict in found.items() if verdict in verdicts)
        for verdicts in (["deviated"], ["failed", "error"], ["unsupported"])
    ]
    return [name, str(list(found.values()).count("passed")), *(cell or "none" for cell in cells)]


def test_the_document_tells_what_each_engine_answers(ready_bridge):
    for name in bridge_names():
        ready_bridge(name)
    hold(DOCUMENT, "What engines answer today", [engine_row(name) for name in bridge_names()])
