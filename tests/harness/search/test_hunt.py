"""A hunt as a whole: what it finds depends on its plan alone, it goes on where it stopped, and it survives engines."""

import contextlib
import os
import signal
import subprocess
import time
from dataclasses import replace

import pytest
from click.testing import CliRunner

from datc.adapters import EngineSpec
from datc.adapters.conversion import unit_of
from datc.cases import read_suite
from datc.harness.bugs.mutants import find_mutant
from datc.harness.bugs.terrain import PROFILES
from datc.harness.cli.commands.hunt import hunt_command as command
from datc.harness.play.positions import order_text
from datc.harness.play.session import ReferenceAdjudicator
from datc.harness.rules.infer import Conclusion
from datc.harness.rules.infer import Finding as Inferred
from datc.harness.search.disagreement import Cause
from datc.harness.search.findings import Finding, read_stored_position
from datc.harness.search.groups import group_findings
from datc.harness.search.plan import inferred_ruleset
from datc.harness.search.store import Store, StoreError
from datc.harness.search.suite import case_file
from datc.harness.search.text import cause_text
from datc.harness.search.workers import open_adjudicators
from datc.reference_engine import DATC_3_1, GivenOrder

from .adjudicators import BORDER, DATC_CHECK, Altered, buggy_spec, hunt_with, hunted, lost_border, plan_for, run_hunt


def without_seconds(hunt):
    return [
        (result.chunk, result.asked, result.unsupported, result.findings, result.trouble) for result in hunt.results
    ]


def test_the_reference_agrees_with_itself():
    plan = plan_for(EngineSpec("builtin"), 200, sources=("random", "paradoxes", "metamorphic"))
    hunt = hunted(plan)
    assert hunt.complete
    assert hunt.positions == 200
    assert hunt.findings == []
    assert set(hunt.asked) == {"random/dense", "paradoxes", "metamorphic"}


@pytest.mark.parametrize("name", ["own-unit-dislodged-with-help", "support-does-not-prevent"])
def test_a_bug_is_named_by_what_explains_the_positions_as_they_were_found(name):
    """The small ones alone fit other mistakes as well, and a board with two units in a place says less than why."""
    mutant = find_mutant(name)
    plan = plan_for(EngineSpec("altered"), 1000)
    hunt = hunt_with(plan, [ReferenceAdjudicator(DATC_3_1, mutant.procedure)])
    assert [group.label for group in hunt.groups if group.kind == "bug"] == [mutant.sentence]


def test_of_mutants_that_explain_as_much_all_are_named():
    names = ["own-unit-dislodged", "own-mover-dislodged"]
    cause = Cause(kind="bug", label="", mutants=names)
    (group,) = group_findings([Finding(number=1, source="random", engine=0, cause=cause, found_units=3)])
    assert group.label == ", or ".join(find_mutant(name).sentence for name in names)


def test_what_is_found_does_not_depend_on_the_number_of_processes():
    plan = plan_for(buggy_spec("border"), 300, profiles=("opening", "dense"))
    alone, together = hunted(plan), hunted(plan, jobs=2)
    assert alone.findings
    assert without_seconds(alone) == without_seconds(together)
    assert alone.groups == together.groups


def test_a_hunt_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path):
    plan = plan_for(EngineSpec("altered"), 300)
    whole = hunt_with(plan, [Altered(lost_border)])
    store = Store(tmp_path / "found")
    store.begin(plan)
    first = hunt_with(replace(plan, positions=110), [Altered(lost_border)], store)
    assert [result.positions for result in first.results] == [20, 20, 20, 20, 20, 10]
    with (tmp_path / "found" / "chunks.jsonl").open("ab") as file:
        _ = file.write(b'{"chunk": 9, "asked": {"ran')  # The process was killed while it wrote.
    adjudicator = Altered(lost_border)
    rest = hunt_with(plan, [adjudicator], store)
    assert without_seconds(rest) == without_seconds(whole)
    assert rest.positions == 300
    assert rest.asked_now == 200  # The short chunk is asked anew, as a whole.
    assert [result.positions for result in store.results()] == [20] * 15
    assert [finding for result in store.results() for finding in result.findings] == list(whole.findings)


def test_a_store_is_of_one_hunt(tmp_path):
    plan = plan_for(EngineSpec("altered"))
    store = Store(tmp_path)
    with pytest.raises(StoreError, match="no hunt to go on with"):
        _ = store.resume(plan)
    store.begin(plan)
    assert store.resume(replace(plan, positions=999)) == replace(plan, positions=999)
    with pytest.raises(StoreError, match="--resume"):
        store.begin(plan)
    with pytest.raises(StoreError, match="another seed|other seed"):
        _ = store.resume(replace(plan, seed=2))


def test_a_store_that_lost_its_results_is_no_hunt_to_go_on_with(tmp_path):
    assert run_hunt("builtin", "--positions", 20, "--store", tmp_path).exit_code == 0
    (tmp_path / "chunks.jsonl").unlink()
    done = run_hunt("builtin", "--positions", 40, "--store", tmp_path, "--resume")
    assert done.exit_code == 2
    assert f"{tmp_path} holds no hunt to go on with: {tmp_path / 'chunks.jsonl'}: No such file" in done.output


def test_what_was_not_asked_is_no_agreement(monkeypatch):
    monkeypatch.setattr("datc.harness.search.hunt.is_past", lambda _: True)
    done = run_hunt("builtin", "--time", 1)
    assert "0 positions" in done.output
    assert "No position was asked, so nothing is known." in done.output


def test_the_time_limit_of_the_config_is_that_of_a_hunt(tmp_path, monkeypatch):
    config = tmp_path / "datc.toml"
    config.write_text("[run]\ntimeout = 3", encoding="utf-8")
    plans = []
    monkeypatch.setattr(
        "datc.harness.cli.commands.hunt.open_adjudicators", lambda plan: plans.append(plan) or open_adjudicators(plan)
    )
    assert run_hunt("builtin", "--positions", 1, "--config", config).exit_code == 0
    assert plans[0].engines[0].limits.request == 3


def test_a_crash_is_a_finding_and_the_hunt_goes_on():
    plan = plan_for(buggy_spec("crash"), 80)
    hunt = hunted(plan)
    assert hunt.complete
    assert hunt.positions == 80
    (group,) = hunt.groups
    assert group.kind == "failure"
    assert cause_text(group) == "no answer: ended with exit code 3"
    small = group.smallest
    assert small is not None
    assert small.position is not None
    assert small.units <= 2


def test_an_engine_that_gives_out_ends_the_hunt_and_says_so():
    plan = plan_for(buggy_spec("crash"), 400)
    limits = replace(plan.engines[0].limits, restarts=1)
    plan = replace(plan, engines=(plan.engines[0]._replace(limits=limits),))
    hunt = hunted(plan)
    assert "broke down" in hunt.trouble
    assert not hunt.complete


def test_two_engines_are_compared_with_each_other():
    adjudicators = [Altered(lost_border), Altered(lost_border)]
    plan = plan_for(EngineSpec("altered"), 400)
    plan = replace(plan, engines=plan.engines * 2)
    assert hunt_with(plan, adjudicators).findings == []
    adjudicators = [Altered(lambda ordered: ordered), Altered(lost_border)]
    found = hunt_with(plan, adjudicators).findings
    assert found
    assert {finding.engine for finding in found} == {1}


def test_cases_are_ready_once_an_answer_is_chosen(tmp_path):
    plan = plan_for(EngineSpec("altered"), 400, profiles=("dense", "opening"))
    hunt = hunt_with(plan, [Altered(lost_border)])
    text = case_file(hunt.groups, "a hunt")
    chosen, taking = [], False
    for line in text.splitlines():
        taking = line == "# datc-check reference engine:" or (taking and line.startswith("# "))
        chosen.append(line.removeprefix("# ") if taking and not line.endswith("engine:") else line)
    (tmp_path / "suite.toml").write_text('name = "found"\ntitle = "Found"\n', encoding="utf-8")
    (tmp_path / "hunt.toml").write_text("\n".join(chosen), encoding="utf-8")
    cases = read_suite(tmp_path).cases
    shown = [group.smallest for group in hunt.groups if group.smallest is not None]
    assert len(cases) == len(shown)
    for case, finding in zip(cases, shown, strict=True):
        assert finding.position is not None
        ordered = read_stored_position(finding.position)
        (phase,) = case.phases
        assert phase.position is not None
        assert sorted(phase.position.units) == sorted(ordered.units)
        orders = [GivenOrder(order.power, order.order) for order in phase.orders]
        assert sorted(map(order_text, orders)) == sorted(map(order_text, ordered.orders))
        expected = finding.said[-1].units
        assert expected is not None
        after = phase.expectations[0].board_after(ordered.units, (), "movement")
        assert sorted(after) == sorted(map(unit_of, expected))


def test_the_rules_in_force_are_changed_by_what_is_inferred_only_where_they_must():
    found = {issue: Inferred((choice,), (), "") for issue, choice in DATC_3_1.choices.items()}
    found["4.A.3"] = Inferred(("alexander", "dptg-explicit"), (), "open")
    inferred = inferred_ruleset(DATC_3_1, Conclusion(found, (), (), 0, ()))
    assert {issue: choice for issue, choice in inferred.choices.items() if choice != DATC_3_1.choices[issue]} == {
        "4.A.3": "alexander"
    }


def test_the_help_names_every_profile():
    said = " ".join(CliRunner().invoke(command, ["--help"]).output.split())
    assert f"Random positions: {', '.join(PROFILES).replace(', convoy', ' or convoy')}." in said


def start_endless_hunt(folder, jobs):
    """Start a hunt that would take days, and wait until it has found something."""
    arguments = [
        DATC_CHECK, "hunt", BORDER, "--source", "random", "--profile", "dense",
        "--positions", "1000000", "--processes", str(jobs), "--store", str(folder),
    ]  # fmt: skip
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    results = folder / "chunks.jsonl"
    deadline = time.monotonic() + 90
    while not (results.exists() and results.stat().st_size > 100) and time.monotonic() < deadline:
        time.sleep(0.1)  # Until its store shows it.
    return process


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_with_what_was_found(jobs, tmp_path):
    process = start_endless_hunt(tmp_path / "found", jobs)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert b"Interrupted: this is what was found until then." in output
    assert b"disagreement" in output
    assert b"Traceback" not in errors


def test_a_hunt_that_is_killed_leaves_no_process_behind(tmp_path):
    psutil = pytest.importorskip("psutil", reason="the extra `cluster`, which brings it, is not installed")
    process = start_endless_hunt(tmp_path / "found", 2)
    started = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    _ = process.communicate(timeout=60)
    assert len(started) >= 4  # Two workers, and an engine of each.
    _, alive = psutil.wait_procs(started, timeout=60)
    assert alive == []
