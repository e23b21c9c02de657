"""A baseline is small, says what it is of, and takes over what a run asked."""

from __future__ import annotations

import msgspec
import pytest

from datc.harness.run.gate import Gate, gate_lines
from datc.reports import Report, RulesetData, StoredRunError
from datc.reports.gate import Baseline, read_baseline
from datc.reports.json_report import render_json
from datc.reports.text import indented_json

from .samples import case, report


def test_it_has_the_verdict_of_each_case_and_of_a_board_that_differs(every_verdict):
    words = msgspec.structs.replace(every_verdict.cases[2], board_verdict="passed")
    found = Baseline.of_run(msgspec.structs.replace(every_verdict, cases=[every_verdict.cases[0], words]))
    assert found.cases == {"datc-3.2/6.F.1": "passed", "datc-3.2/6.F.3": "failed"}
    assert found.boards == {"datc-3.2/6.F.3": "passed"}
    assert read_baseline(indented_json(found)) == found


def test_every_case_of_an_edition_takes_some_ten_kilobytes():
    cases = [msgspec.structs.replace(case(number, "failed"), board_verdict="passed") for number in range(176)]
    assert len(indented_json(Baseline.of_run(report(cases)))) < 15_000


def test_an_update_keeps_what_was_not_asked():
    before = Baseline.of_run(report([case(1, "failed"), case(2, "error")]))
    after = before.updated(report([case(2, "passed"), case(3, "deviated")]))
    assert [*after.cases.values()] == ["failed", "passed", "deviated"]


def other_engine(run: Report) -> Report:
    return msgspec.structs.replace(run, engine=msgspec.structs.replace(run.engine, name="Theirs\x1b[31m"))


def other_version(run: Report) -> Report:
    return msgspec.structs.replace(run, engine=msgspec.structs.replace(run.engine, version="3"))


def other_ruleset(run: Report) -> Report:
    return msgspec.structs.replace(run, ruleset=RulesetData(name="1982", choices=run.ruleset.choices))


def other_choice(run: Report) -> Report:
    choices = {**run.ruleset.choices, "4.A.2": "1982"}
    return msgspec.structs.replace(run, ruleset=msgspec.structs.replace(run.ruleset, choices=choices))


def new_issue(run: Report) -> Report:
    choices = {**run.ruleset.choices, "9.Z": "new"}
    return msgspec.structs.replace(run, ruleset=msgspec.structs.replace(run.ruleset, choices=choices))


@pytest.mark.parametrize(
    ("change", "warning"),
    [
        (other_engine, "The baseline is of the engine Mine, but this run is of Theirs"),
        (other_ruleset, "The baseline is of the ruleset datc-3.2, but this run is of 1982."),
        (other_choice, "The baseline is of other choices than this run: 4.A.2."),
        (other_version, ""),
        (new_issue, ""),
    ],
)
def test_a_run_of_another_engine_or_other_rules_is_warned_of_and_replaces_it(passing, change, warning):
    baseline = Baseline.of_run(report([case(7, "failed")]))
    run = change(passing)
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
