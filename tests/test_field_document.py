"""The positions from the field: each has its source, and `docs/field.md` says what engines answer."""

from datc.adapters import open_engine, parse_engine_spec
from datc.adapters.bridges import bridge_names
from datc.cases import load_suite
from datc.harness.play.verdict import Rules
from datc.harness.run.runner import Run
from datc.reference_engine import DATC_3_2

from .conftest import ROOT
from .tables import hold

DOCUMENT = ROOT / "docs" / "field.md"
CASES = load_suite("field").cases


def test_only_what_this_project_found_has_no_source():
    assert {case.id for case in CASES if not case.source} == {
        case.id for case in CASES if case.section == "FIELD.found"
    }
    assert all(case.remark for case in CASES)


def test_what_the_documents_do_not_state_is_called_derived():
    expectations = [expect for case in CASES for phase in case.phases for expect in phase.expectations]
    assert {expect.basis for expect in expectations if not expect.no_answer} == {"derived"}


def engine_row(name: str) -> list[str]:
    """The row of an engine: its name, how many cases it passes, and the others by verdict."""
    spec = parse_engine_spec(name, {})
    engine = open_engine(spec, spec.limits(spec.request_seconds or 60))
    report = Run(engine, spec, CASES, Rules(DATC_3_2, {})).to_the_end()
    verdicts = {case.id.removeprefix("FIELD."): case.verdict for case in report.cases}
    kinds = (["deviated"], ["failed", "error"], ["unsupported"])
    cells = [", ".join(f"`{case}`" for case, verdict in verdicts.items() if verdict in kind) for kind in kinds]
    return [name, str(list(verdicts.values()).count("passed")), *(cell or "none" for cell in cells)]


def test_the_document_has_what_each_engine_answers(ready_bridge):
    for name in bridge_names():
        ready_bridge(name)
    hold(DOCUMENT, "What engines answer today", [engine_row(name) for name in bridge_names()])
