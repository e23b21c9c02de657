"""The store of a hunt is a suite, and its files are written whole or not at all."""

import errno
import json
import re

import pytest
from click.testing import CliRunner

from datc.adapters import EngineSpec
from datc.cases import read_suite
from datc.harness.cli.commands import explain, run
from datc.harness.play.differential import ask
from datc.harness.search.disagreement import Cause
from datc.harness.search.drawn import draw as draw_position
from datc.harness.search.findings import Finding, said_data, store_position
from datc.harness.search.groups import group_findings
from datc.harness.search.hunt import Hunt, hunt_chunk
from datc.harness.search.store import Store
from datc.harness.search.suite import write_suite
from datc.harness.search.text import cause_text, difference_lines, question_lines
from datc.reference_engine import DATC_3_1

from . import adjudicators
from .adjudicators import BORDER, DATC_CHECK, REFERENCE, Altered, hunt_with, plan_for, run_hunt


def verdicts(folder, engine, *arguments):
    """Run an engine over a suite, and return the verdicts and deviations of its cases."""
    path = folder.parent / "report.json"
    options = ["--suite", str(folder), "--report", f"json:{path}", *arguments]
    done = CliRunner().invoke(run.run_command, [engine, *options])
    assert done.exit_code in (0, 1), done.output
    report = json.loads(path.read_text(encoding="utf-8"))
    return [case["verdict"] for case in report["cases"]], report


@pytest.fixture(scope="module")
def border(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hunt") / "found"
    done = run_hunt(BORDER, "--source", "random", "--profile", "dense", "--positions", 500, "--store", folder)
    assert done.exit_code == 1, done.output
    return folder


def test_a_store_runs_at_once(border):
    found, report = verdicts(border, BORDER)
    assert set(found) == {"failed"}
    assert report["ruleset"]["name"] == "datc-3.2"
    assert set(verdicts(border, "builtin")[0]) == {"passed"}
    names = {"hunt.json", "hunt.lock", "chunks.jsonl", "cases.toml", "suite.toml"}
    assert {file.name for file in border.iterdir()} == names


def test_a_store_can_be_gone_on_with_and_is_a_suite_still(border):
    more = ["--source", "random", "--profile", "dense", "--positions", 750, "--store", border, "--resume"]
    again = run_hunt(BORDER, *more, "--json")
    data = json.loads(again.stdout)
    assert (again.exit_code, data["positions"], data["complete"]) == (1, 750, True)
    assert set(verdicts(border, "builtin")[0]) == {"passed"}


def test_an_engine_of_other_rules_deviates(tmp_path):
    engine = f"exec:{DATC_CHECK} engine --choice 4.A.3=2000-fallback-unordered --fixed"
    options = ["--source", "random", "--profile", "convoy-knots", "--positions", 250]
    done = run_hunt(engine, *options, "--store", tmp_path / "found", "--json")
    assert done.exit_code == 1
    assert [(cause["kind"], cause["choices"]) for cause in json.loads(done.stdout)["causes"]] == [
        ("deviation", {"4.A.3": ["2000-fallback-unordered"]})
    ]
    found, report = verdicts(tmp_path / "found", engine)
    assert found == ["deviated"]
    assert "2000-fallback-unordered" in json.dumps(report["cases"][0]["deviations"])


def test_a_hunt_under_other_choices_is_a_suite_under_them(tmp_path):
    choice = "4.A.3=2000-fallback-unordered"
    options = ["--source", "random", "--profile", "convoy-knots", "--positions", 250, "--choice", choice]
    assert run_hunt(f"exec:{DATC_CHECK} engine --fixed", *options, "--store", tmp_path / "found").exit_code == 1
    cases = (tmp_path / "found" / "cases.toml").read_text(encoding="utf-8")
    assert f"run it with --choice {choice}" in cases
    assert set(verdicts(tmp_path / "found", "builtin", "--choice", choice)[0]) == {"passed"}
    assert set(verdicts(tmp_path / "found", "builtin")[0]) == {"passed"}


def test_outcomes_of_orders_are_expected_where_they_were_compared(tmp_path):
    engine = f"exec:{DATC_CHECK} engine --mutant unmatched-support-succeeds"
    options = ["--source", "random", "--profile", "dense", "--positions", 100, "--words"]
    assert run_hunt(engine, *options, "--store", tmp_path / "found").exit_code == 1
    assert verdicts(tmp_path / "found", engine)[0] == ["failed"]
    assert verdicts(tmp_path / "found", "builtin")[0] == ["passed"]


def test_a_hunt_that_found_nothing_is_a_suite_without_cases(tmp_path):
    assert run_hunt("builtin", "--positions", 20, "--store", tmp_path / "found").exit_code == 0
    assert read_suite(tmp_path / "found").cases == ()


def test_a_case_has_the_retreats_that_follow(tmp_path):
    done = hunt_with(
        plan_for(EngineSpec("altered"), 60, profiles=("dense", "opening")), [Altered(adjudicators.turks_stay)]
    )
    lines = {cause_text(group): difference_lines(group.smallest) for group in done.groups if group.smallest is not None}
    (line,) = lines["another board after the retreats"]
    assert re.fullmatch("Turkey [AF] .* should be on the board, but is not", line)
    write_suite(tmp_path, done.groups, "a hunt", DATC_3_1)
    suite = read_suite(tmp_path)
    assert suite.ruleset == "datc-3.1"
    retreating = [case for case in suite.cases if len(case.phases) == 2]
    assert retreating
    assert all(phase.expectations for case in retreating for phase in case.phases)
    assert "is no case" not in (tmp_path / "cases.toml").read_text(encoding="utf-8")
    assert set(verdicts(tmp_path, "builtin")[0]) == {"passed"}


def test_positions_of_every_profile_are_cases(tmp_path):
    """Also where a power orders the unit of another one, and where a board under other choices cannot be expected."""
    plan = plan_for(EngineSpec("any"), 48, ("random", "paradoxes"), ("opening", "dense", "sea-war", "convoy-knots"))
    groups = []
    for number in range(plan.positions):
        _, ordered = draw_position(plan, number)
        cause = Cause(kind="bug", label=f"number {number}")
        said = [said_data("reference", ask(REFERENCE, ordered))]
        position = store_position(ordered)
        groups += group_findings(
            [Finding(number=number, source="", engine=0, cause=cause, found_units=0, position=position, said=said * 2)]
        )
    write_suite(tmp_path, groups, "a hunt", DATC_3_1)
    assert len(read_suite(tmp_path).cases) == plan.positions
    assert set(verdicts(tmp_path, "builtin")[0]) == {"passed"}


def test_both_questions_of_a_contradiction_are_named(tmp_path):
    plan = plan_for(EngineSpec("altered"), 1500, sources=("metamorphic",), profiles=("opening", "dense"))
    done = hunt_with(plan, [Altered(adjudicators.first_come)])
    group = next(group for group in done.groups if "in which orders are given" in group.label)
    assert group.smallest is not None
    assert group.smallest.units == 2
    lines = question_lines(group.smallest)
    assert lines[0] == "asked again, with the orders in another sequence (relation shuffled):"
    assert lines[-1] == "its two answers contradict each other; in the second:"
    assert len(lines) >= 4
    write_suite(tmp_path, done.groups, "a hunt", DATC_3_1)
    ids = [case.id for case in read_suite(tmp_path).cases]
    number = done.groups.index(group) + 1
    assert {f"hunt.{number}", f"hunt.{number}.shuffled"} <= set(ids)
    assert set(verdicts(tmp_path, "builtin")[0]) == {"passed"}


def test_cases_alone_are_positions_to_explain_and_draw(tmp_path):
    path = tmp_path / "cases.toml"
    done = run_hunt(BORDER, "--source", "random", "--profile", "dense", "--positions", 500, "--cases", path)
    assert done.exit_code == 1
    assert "# [[case.expect]]" in path.read_text(encoding="utf-8")
    explained = CliRunner().invoke(explain.explain_command, [str(path)])
    assert explained.exit_code == 0, explained.output
    assert "Silesia" in explained.output
    drawn = CliRunner().invoke(explain.draw_command, [str(path), "--output", str(tmp_path / "board.svg")])
    assert drawn.exit_code == 0, drawn.output


def full_disk(monkeypatch):
    """Whatever is written from now on does not fit."""

    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", fail)


def test_a_full_disk_leaves_a_store_that_can_be_used(tmp_path, monkeypatch):
    folder = tmp_path / "found"
    with monkeypatch.context() as patch:
        full_disk(patch)
        done = run_hunt("builtin", "--positions", 20, "--store", folder)
        assert done.exit_code == 1
        assert "No space left on device" in done.output
    assert run_hunt("builtin", "--positions", 20, "--store", folder).exit_code == 0


def test_an_empty_header_of_an_earlier_version_is_no_hunt(tmp_path):
    (tmp_path / "hunt.json").touch()
    (tmp_path / "chunks.jsonl").touch()
    resumed = run_hunt("builtin", "--positions", 20, "--store", tmp_path, "--resume")
    assert resumed.exit_code == 2
    assert "leave out --resume" in " ".join(resumed.output.split())
    assert run_hunt("builtin", "--positions", 20, "--store", tmp_path).exit_code == 0
    assert run_hunt("builtin", "--positions", 40, "--store", tmp_path, "--resume").exit_code == 0


def test_cases_that_cannot_be_written_leave_those_that_were_there(tmp_path, monkeypatch):
    path = tmp_path / "cases.toml"
    _ = path.write_text("# mine\n", encoding="utf-8")
    full_disk(monkeypatch)
    done = run_hunt(BORDER, "--source", "random", "--positions", 20, "--cases", path)
    assert done.exit_code == 1
    assert path.read_text(encoding="utf-8") == "# mine\n"


def test_a_stopped_chunk_is_kept_and_asked_again(tmp_path):
    plan, store = plan_for(EngineSpec("altered"), 200), Store(tmp_path)
    store.begin(plan)
    left = iter(range(190))
    first = Hunt(plan, ["altered"], store)
    for chunk in range(plan.chunks):
        first._take(hunt_chunk(plan, [Altered(adjudicators.lost_border)], chunk, lambda: next(left, None) is None))
    assert sum(len(result.findings) for result in store.results()) == len(first.findings)
    assert sum(not result.trouble for result in store.results()) < plan.chunks
    whole = hunt_with(plan, [Altered(adjudicators.lost_border)], store)
    assert whole.complete
    assert [finding for result in store.results() for finding in result.findings] == list(whole.findings)
