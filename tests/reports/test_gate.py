"""What fails a run is the same in every format, and as the exit code has it; and what a baseline keeps."""

import json
import re
import xml.etree.ElementTree as ET

import pytest
from msgspec.structs import replace

from datc.cases.suite import CaseName
from datc.harness.run.gate import Gate, gate_lines
from datc.reports import GateData, Report, StoredRunError, read_run
from datc.reports.gate import Baseline, failing_cases, is_success, place_of, read_baseline
from datc.reports.github import render_annotations
from datc.reports.json_report import render_json
from datc.reports.junit import render_junit, render_tap
from datc.reports.markdown import render_markdown
from datc.reports.report import FailingData
from datc.reports.sarif import render_sarif
from datc.reports.text import indented_json

from .samples import case, report

VERDICT_FAILED, CONFIG = "6.F.3", "engine/datc.toml"


def gated(report: Report, *failing: str) -> Report:
    """Finish a run that only some cases fail."""
    names = [FailingData(case=CaseName(suite="datc-3.2", id=case), why="because") for case in failing]
    gate = GateData(fail_on=["failed"], failing=names, passed=not failing)
    return replace(report, complete=True, gate=gate, config=CONFIG)


@pytest.mark.parametrize("failing", [(), (VERDICT_FAILED,), ("6.F.1", VERDICT_FAILED, "6.F.6")])
def test_every_format_shows_the_failures_of_the_gate_and_no_others(every_verdict, failing):
    report = gated(every_verdict, *failing)
    tests = [[test.get("name"), *(found.tag for found in test)] for test in ET.fromstring(render_junit(report))[0]]
    tap, annotations = render_tap(report).decode(), render_annotations(report).decode()
    found = {
        "junit": [str(name).split()[0] for name, *tags in tests if {*tags} & {"failure", "error"}],
        "tap": re.findall(r"^not ok \d+ - (\S+)(?!.*# TODO)", tap, re.MULTILINE),
        "sarif": [each["ruleId"].split("/")[1] for each in json.loads(render_sarif(report))["runs"][0]["results"]],
        "github": re.findall(r"^::(?:error|warning) .*title=(\d\S+)", annotations, re.MULTILINE),
    }
    assert {name: sorted(shown) for name, shown in found.items()} == dict.fromkeys(found, sorted(failing))


def test_annotations_and_the_summary_say_what_the_gate_makes_of_it(every_verdict):
    for fails, level in (((), "notice"), ((VERDICT_FAILED,), "error")):
        report = gated(every_verdict, *fails)
        count = "1 case" if fails else "nothing"
        assert re.match(
            rf"::{level} title=Mine 2\.0::.*What fails the run \(failed\)%?3?A?: {count}",
            render_annotations(report).decode(),
        )
        assert f"What fails the run (failed): {count}" in render_markdown(report).decode()
    lines = render_annotations(gated(every_verdict)).decode().splitlines()[1:]
    assert [re.sub(r"^::notice title=|::.*$", "", line) for line in lines] == [
        "1 case%3A deviated%2C fails nothing",
        "1 case%3A failed%2C fails nothing",
        "1 case%3A declared",
        "1 case%3A unsupported%2C fails nothing",
        "1 case%3A error%2C fails nothing",
        "1 case%3A not-run%2C fails nothing",
    ]


def test_a_failure_points_at_the_config_and_never_at_a_file_of_the_project(every_verdict):
    shipped = replace(every_verdict.cases[2], file="cases/datc-3.2/6.F.toml", line=7)
    own = replace(shipped, suite="house", file="house/1.toml")
    report = gated(every_verdict)
    assert place_of(report, shipped) == (CONFIG, 1)
    assert place_of(report, own) == ("house/1.toml", 7)
    assert place_of(replace(report, config=""), shipped) is None
    report = replace(gated(every_verdict, VERDICT_FAILED), cases=[shipped])
    for text in (render_annotations(report), render_sarif(report), render_tap(report)):
        assert CONFIG.encode() in text
        assert b"cases/datc-3.2" not in text


def test_without_a_gate_all_fails_that_is_not_compliant(every_verdict, passing):
    assert [*failing_cases(every_verdict).values()] == ["deviated", "failed", "unsupported", "error", "not-run"]
    assert (is_success(every_verdict), is_success(passing)) == (False, True)


def test_a_stored_run_keeps_its_gate_and_cannot_claim_to_have_passed(every_verdict):
    report = gated(every_verdict, VERDICT_FAILED)
    assert report.gate is not None
    forged = replace(report, gate=replace(report.gate, passed=True))
    read = read_run(render_json(forged))
    assert read.gate == report.gate
    assert failing_cases(read) == {f"datc-3.2/{VERDICT_FAILED}": "because"}


def test_it_has_the_verdict_of_each_case_and_of_a_board_that_differs(every_verdict):
    words = replace(every_verdict.cases[2], board_verdict="passed")
    found = Baseline.of_run(replace(every_verdict, cases=[every_verdict.cases[0], words]))
    assert found.cases == {"datc-3.2/6.F.1": "passed", "datc-3.2/6.F.3": "failed"}
    assert found.boards == {"datc-3.2/6.F.3": "passed"}
    assert read_baseline(indented_json(found)) == found
    edition = [replace(words, id=f"6.A.{number}") for number in range(176)]
    assert len(indented_json(Baseline.of_run(report(edition)))) < 15_000


def test_an_update_keeps_what_was_not_asked():
    before = Baseline.of_run(report([case(1, "failed"), case(2, "error")]))
    after = before.updated(report([case(2, "passed"), case(3, "deviated")]))
    assert [*after.cases.values()] == ["failed", "passed", "deviated"]


@pytest.mark.parametrize(
    ("part", "change", "warning"),
    [
        ("engine", {"name": "Theirs\x1b[31m"}, "The baseline is of the engine Mine, but this run is of Theirs"),
        ("ruleset", {"name": "1982"}, "The baseline is of the ruleset datc-3.2, but this run is of 1982."),
        ("ruleset", {"choices": {"4.A.2": "1982"}}, "The baseline is of other choices than this run: 4.A.2."),
        ("engine", {"version": "3"}, ""),
        ("ruleset", {"choices": {"4.A.1": "all-routes", "4.A.2": "szykman", "9.Z": "new"}}, ""),
    ],
)
def test_a_run_of_another_engine_or_other_rules_is_warned_of_and_replaces_it(passing, part, change, warning):
    baseline = Baseline.of_run(report([case(7, "failed")]))
    run = replace(passing, **{part: replace(getattr(passing, part), **change)})
    said = "\n".join(gate_lines(Gate(baseline=baseline, baseline_name="b.json").applied(run, {})))
    assert (warning in said) == bool(warning or said)
    assert "The baseline is of" not in said or warning
    assert "\x1b" not in said
    assert ("datc-3.2/6.F.7" in baseline.updated(run).cases) == (not warning)


def test_other_files_are_no_baselines(passing):
    assert read_baseline(render_json(passing)) is None
    assert read_baseline(b"not JSON") is None
    with pytest.raises(StoredRunError, match="holds no baseline"):
        _ = read_baseline(b'{"type": "baseline", "cases": {"6.A.1": "fine"}}')
