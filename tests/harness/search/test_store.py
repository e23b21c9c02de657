"""The store of a hunt: a suite whose files are written whole or not at all, gone on with, and asked again.

`DATC_ATTACK_KILLS` says how many kills a hunt has to survive (3 when left out).
"""

import errno
import json
import os
import re
import subprocess
from dataclasses import replace
from random import Random

import msgspec
import pytest

from datc.adapters import EngineFailure, EngineSpec, Limits, UnsupportedError
from datc.adapters.conversion import unit_of
from datc.cases import read_suite
from datc.harness.play.differential import ask
from datc.harness.play.positions import order_text
from datc.harness.search.disagreement import Cause
from datc.harness.search.drawn import draw
from datc.harness.search.findings import Finding, Seconds, said_data, store_position
from datc.harness.search.groups import group_findings
from datc.harness.search.hunt import Hunt, hunt_chunk, open_again
from datc.harness.search.plan import CHUNK, FIRST_CHUNK, PlannedEngine
from datc.harness.search.store import Store, StoreError
from datc.harness.search.suite import case_file, write_suite
from datc.harness.search.text import cause_text, difference_lines, question_lines
from datc.reference_engine import DATC_3_1, GivenOrder

from ...disk import room_for
from ..cli.running import COMMAND, invoke, words
from . import adjudicators
from .adjudicators import (
    BORDER,
    DENSE,
    REFERENCE,
    Altered,
    failing,
    first_come,
    hunt_with,
    lost_border,
    plan_for,
)
from .test_archives import LINE

KILLS = int(os.environ.get("DATC_ATTACK_KILLS", "3"))
KNOTS = ("--source", "random", "--profile", "convoy-knots", "--positions", 250)
UNORDERED = "4.A.3=2000-fallback-unordered"


def verdicts(folder, engine, *arguments):
    """Run an engine over a suite, and return the verdicts of its cases, and the report."""
    path = folder.parent / "report.json"
    done = invoke("run", engine, "--suite", folder, "--report", f"json:{path}", "--no-experiments", *arguments)
    assert done.exit_code in (0, 1), done.output
    report = json.loads(path.read_text(encoding="utf-8"))
    return {case["verdict"] for case in report["cases"]}, report


@pytest.fixture(scope="module")
def border(tmp_path_factory):
    """A hunt that found something, with its cases alone beside it."""
    folder = tmp_path_factory.mktemp("hunt") / "found"
    options = ("--store", folder, "--cases", folder.with_name("cases.toml"), "--no-experiments")
    done = invoke("hunt", BORDER, *DENSE, 350, *options)
    assert done.exit_code == 1, done.output
    return folder


def test_a_store_runs_at_once(border):
    found, report = verdicts(border, BORDER)
    assert found == {"failed"}
    assert report["ruleset"]["name"] == "datc-3.2"
    assert verdicts(border, "builtin")[0] == {"passed"}
    names = {"hunt.json", "hunt.lock", "chunks.jsonl", "cases.toml", "suite.toml"}
    assert {file.name for file in border.iterdir()} == names


def test_a_store_can_be_gone_on_with_and_is_a_suite_still(border):
    again = invoke("hunt", BORDER, *DENSE, 400, "--store", border, "--resume", "--json", "--no-experiments")
    data = json.loads(again.stdout)
    assert (again.exit_code, data["positions"], data["complete"]) == (1, 400, True)
    assert verdicts(border, "builtin")[0] == {"passed"}
    assert invoke("hunt", "exec:/nowhere/engine", "--again", border).exit_code == 3, (
        "it does not start: nothing is known"
    )


def test_an_engine_of_other_rules_deviates(tmp_path):
    engine = f"exec:{COMMAND} engine --choice {UNORDERED} --fixed"
    done = invoke("hunt", engine, *KNOTS, "--store", tmp_path / "found", "--json")
    assert done.exit_code == 1
    assert [(cause["kind"], cause["choices"]) for cause in json.loads(done.stdout)["causes"]] == [
        ("deviation", {"4.A.3": ["2000-fallback-unordered"]})
    ]
    found, report = verdicts(tmp_path / "found", engine)
    assert (found, len(report["cases"])) == ({"deviated"}, 1)
    assert "2000-fallback-unordered" in json.dumps(report["cases"][0]["deviations"])


def test_a_hunt_under_other_choices_is_a_suite_under_them(tmp_path):
    folder, choice = tmp_path / "found", ("--choice", UNORDERED)
    options = (*choice, "--store", folder, "--no-experiments")
    assert invoke("hunt", f"exec:{COMMAND} engine --fixed", *KNOTS, *options).exit_code == 1
    assert f"run it with --choice {UNORDERED}" in (folder / "cases.toml").read_text(encoding="utf-8")
    assert verdicts(folder, "builtin", *choice)[0] == {"passed"}
    assert verdicts(folder, "builtin")[0] == {"passed"}


def test_outcomes_of_orders_are_expected_where_they_were_compared(tmp_path):
    engine = f"exec:{COMMAND} engine --mutant unmatched-support-succeeds"
    assert invoke("hunt", engine, *DENSE, 100, "--words", "--store", tmp_path / "found").exit_code == 1
    found, report = verdicts(tmp_path / "found", engine)
    assert (found, len(report["cases"])) == ({"failed"}, 1)
    assert verdicts(tmp_path / "found", "builtin")[0] == {"passed"}


def test_a_case_has_the_retreats_that_follow(tmp_path):
    done = hunt_with(plan_for(60, profiles=("dense", "opening")), Altered(adjudicators.turks_stay))
    lines = {cause_text(group): difference_lines(group.smallest) for group in done.groups if group.smallest is not None}
    (line,) = lines["disbands a unit that retreats (DATC 6.H)"]
    assert re.fullmatch("Turkey [AF] .* should be on the board, but is not", line)
    write_suite(tmp_path, done.groups, "a hunt", DATC_3_1)
    suite = read_suite(tmp_path)
    assert suite.ruleset == "datc-3.1"
    retreating = [case for case in suite.cases if len(case.phases) == 2]
    assert retreating
    assert all(phase.expectations for case in retreating for phase in case.phases)
    assert "is no case" not in (tmp_path / "cases.toml").read_text(encoding="utf-8")
    assert verdicts(tmp_path, "builtin")[0] == {"passed"}


def test_positions_of_every_profile_are_cases(tmp_path):
    """Also where a power orders the unit of another one, and where a board under other choices cannot be expected."""
    plan = plan_for(48, ("random", "paradoxes"), ("opening", "dense", "sea-war", "convoy-knots"))
    groups = []
    for number in range(plan.positions):
        _, ordered = draw(plan, number)
        cause, said = Cause(kind="bug", label=f"number {number}"), [said_data("reference", ask(REFERENCE, ordered))] * 2
        position = store_position(ordered)
        groups += group_findings([Finding(number, "", 0, cause, found_units=0, position=position, said=said)])
    write_suite(tmp_path, groups, "a hunt", DATC_3_1)
    assert len(read_suite(tmp_path).cases) == plan.positions
    assert verdicts(tmp_path, "builtin")[0] == {"passed"}


def test_both_questions_of_a_contradiction_are_named(tmp_path):
    plan = plan_for(1500, ("metamorphic",), ("opening", "dense"))
    done = hunt_with(plan, Altered(first_come))
    group = next(group for group in done.groups if "in which orders are given" in group.label)
    assert group.example.units == 2
    lines = question_lines(group.example)
    assert lines[0] == "asked again, with the orders in another sequence (relation shuffled):"
    assert lines[-1] == "its two answers contradict each other; in the second:"
    assert len(lines) >= 3
    write_suite(tmp_path, done.groups, "a hunt", DATC_3_1)
    case_id = f"hunt.{group.id}"
    assert {case_id, f"{case_id}.shuffled"} <= {case.id for case in read_suite(tmp_path).cases}
    assert verdicts(tmp_path, "builtin")[0] == {"passed"}


def test_cases_alone_are_positions_to_explain_and_draw(border):
    path = border.with_name("cases.toml")
    assert "# [[case.expect]]" in path.read_text(encoding="utf-8")
    explained = invoke("explain", path)
    assert explained.exit_code == 0, explained.output
    assert "Silesia" in explained.output
    drawn = invoke("draw", path, "--output", path.with_name("board.svg"))
    assert drawn.exit_code == 0, drawn.output


def test_cases_are_ready_once_an_answer_is_chosen(tmp_path):
    hunt = hunt_with(plan_for(400, profiles=("dense", "opening")), Altered(lost_border))
    chosen, taking = [], False
    for line in case_file(hunt.groups, "a hunt").splitlines():
        taking = line == "# datc-check reference engine:" or (taking and line.startswith("# "))
        chosen.append(line.removeprefix("# ") if taking and not line.endswith("engine:") else line)
    (tmp_path / "suite.toml").write_text('name = "found"\ntitle = "Found"\n', encoding="utf-8")
    (tmp_path / "hunt.toml").write_text("\n".join(chosen), encoding="utf-8")
    examples = [group.example for group in hunt.groups if group.smallest is not None]
    for case, finding in zip(read_suite(tmp_path).cases, examples, strict=True):
        ordered, (phase,) = finding.ordered(), case.phases
        assert phase.position is not None
        assert sorted(phase.position.units) == sorted(ordered.units)
        orders = [GivenOrder(order.power, order.order) for order in phase.orders]
        assert sorted(map(order_text, orders)) == sorted(map(order_text, ordered.orders))
        after = phase.expectations[0].board_after(ordered.units, (), "movement")
        assert sorted(after) == sorted(map(unit_of, finding.said[-1].units or ()))


def full_disk(monkeypatch):
    """Whatever is written from now on does not fit."""

    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", fail)


def test_a_full_disk_leaves_a_store_that_can_be_used(tmp_path, monkeypatch):
    words = ("hunt", "builtin", "--positions", 20, "--store", tmp_path / "found")
    with monkeypatch.context() as patch:
        full_disk(patch)
        done = invoke(*words)
        assert done.exit_code == 1
        assert "No space left on device" in done.output
    assert invoke(*words).exit_code == 0


@pytest.mark.attack
@pytest.mark.parametrize(
    ("begin", "said"),
    [("hunt builtin --positions 20 --source random", "No disagreement."), ("replay FILE", "1 phase of 1 game")],
)
def test_what_was_found_is_shown_where_a_report_does_not_fit_or_is_printed(tmp_path, begin, said):
    file = tmp_path / "lines.jsonl"
    file.write_text(json.dumps(LINE) + "\n", encoding="utf-8")
    with room_for(10_000):
        done = invoke(*begin.replace("FILE", str(file)).split(), "--report", f"html:{tmp_path / 'report.html'}")
    assert done.exit_code == 1
    assert said in done.stdout
    assert "what was found cannot be written: [Errno 27] File too large" in done.stderr
    assert [*tmp_path.iterdir()] == [file]
    done = invoke(*begin.replace("FILE", str(file)).split(), "--report=json:-")
    assert json.loads(done.stdout)["complete"]
    assert said in done.stderr


@pytest.mark.attack
@pytest.mark.parametrize("error", [errno.EROFS, errno.ENOLCK])
def test_a_store_on_a_disk_that_is_read_only_or_has_no_locks_is_refused_at_once(tmp_path, monkeypatch, error):
    def fail(*_):
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr("os.mkdir" if error == errno.EROFS else "fcntl.flock", fail)
    done = invoke("hunt", "builtin", "--positions", 20, "--store", tmp_path / "found")
    assert done.exit_code == 2
    assert f"nothing can be stored in {tmp_path / 'found'}: [Errno {error}]" in words(done.stderr)


def test_cases_that_cannot_be_written_leave_those_that_were_there(tmp_path, monkeypatch):
    path = tmp_path / "cases.toml"
    _ = path.write_text("# mine\n", encoding="utf-8")
    full_disk(monkeypatch)
    words = ("--source", "random", "--positions", 20, "--no-experiments", "--cases", path)
    assert invoke("hunt", BORDER, *words).exit_code == 1
    assert path.read_text(encoding="utf-8") == "# mine\n"


def test_an_empty_header_is_no_hunt_and_neither_is_one_without_results(tmp_path):
    """A full disk leaves an empty header behind."""
    (tmp_path / "hunt.json").touch()
    (tmp_path / "chunks.jsonl").touch()
    command = ("hunt", "builtin", "--store", tmp_path, "--positions")
    resumed = invoke(*command, 20, "--resume")
    assert resumed.exit_code == 2
    assert "leave out --resume" in words(resumed.output)
    assert invoke(*command, 20).exit_code == 0
    assert invoke(*command, 40, "--resume").exit_code == 0
    assert read_suite(tmp_path).cases == ()
    nothing = invoke("hunt", "builtin", "--again", tmp_path)
    assert nothing.exit_code == 0
    assert "The hunt had found nothing." in nothing.output
    (tmp_path / "chunks.jsonl").unlink()
    done = invoke(*command, 60, "--resume")
    assert done.exit_code == 2
    assert f"{tmp_path} holds no hunt to go on with: {tmp_path / 'chunks.jsonl'}: No such file" in done.output


def test_a_store_is_of_one_hunt(tmp_path):
    plan, store = plan_for(), Store(tmp_path)
    with pytest.raises(StoreError, match="no hunt to go on with"):
        _ = store.resume(plan)
    store.begin(plan)
    assert store.resume(replace(plan, positions=999)) == replace(plan, positions=999)
    with pytest.raises(StoreError, match="--resume"):
        store.begin(plan)
    with pytest.raises(StoreError, match="another seed|other seed"):
        _ = store.resume(replace(plan, seed=2))
    (tmp_path / "hunt.json").write_text('{"signature": {"ruleset": {}}, "possible": []}', encoding="utf-8")
    with pytest.raises(StoreError, match="no hunt to go on with"):
        _ = store.plan()


def test_a_stopped_chunk_is_kept_and_asked_again(tmp_path):
    plan, store, engine = plan_for(200), Store(tmp_path), Altered(lost_border)
    store.begin(plan)
    left = iter(range(190))
    first = Hunt(plan, ["altered"], store)
    for chunk in range(plan.chunks):
        first._take(hunt_chunk(plan, [engine], chunk, lambda: next(left, None) is None))
    assert sum(len(result.findings) for result in store.results()) == len(first.findings)
    assert sum(not result.trouble for result in store.results()) < plan.chunks
    whole = hunt_with(plan, engine, store=store)
    assert whole.complete
    assert [finding for result in store.results() for finding in result.findings] == list(whole.findings)


def hunting(store, positions, *options):
    """The words of a hunt that finds something, and goes on with what is stored."""
    resumes = ["--resume"] if (store / "hunt.json").exists() else []
    sources = ["--source", "random", "--source", "paradoxes", "--no-experiments"]
    return ["hunt", "builtin:guess", *sources, "--store", str(store), "--positions", str(positions), *options, *resumes]


def finished(store):
    """The chunks that are done, without the times that they took."""
    results = (result for result in Store(store).results() if not result.trouble)
    return {result.chunk: msgspec.structs.replace(result, seconds=Seconds()) for result in results}


@pytest.mark.attack
def test_nothing_is_lost_however_often_a_hunt_is_killed(tmp_path):
    rng, store, known = Random(50), tmp_path / "store", {}
    for _ in range(KILLS):
        words = hunting(store, 1_000_000, "--processes", str(rng.choice((1, 1, 2))))
        process = subprocess.Popen([COMMAND, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            _, errors = process.communicate(timeout=rng.uniform(0.2, 4))
            pytest.fail(f"it ended by itself: {errors}")
        except subprocess.TimeoutExpired:
            process.kill()
            _ = process.communicate()
        if (store / "hunt.json").exists():
            found = finished(store)
            assert known.items() <= found.items()
            known = found
    done = max([0, *known]) + 1
    one = invoke(*hunting(store, done * CHUNK))
    assert one.exit_code in (0, 1), one.output
    assert invoke(*hunting(tmp_path / "whole", done * CHUNK)).exit_code == one.exit_code
    assert {chunk: result for chunk, result in finished(store).items() if chunk < done} == finished(tmp_path / "whole")


@pytest.mark.attack
def test_a_store_has_one_hunt_at_a_time(tmp_path):
    new = hunting(tmp_path, 2 * CHUNK)
    assert invoke(*hunting(tmp_path, CHUNK)).exit_code in (0, 1)
    before = (tmp_path / "chunks.jsonl").read_bytes()
    with Store(tmp_path).locked(new=False):
        for command in (hunting(tmp_path, 2 * CHUNK), new):
            done = invoke(*command)
            assert done.exit_code == 2
            assert "is in use by another hunt" in words(done.output)
    assert (tmp_path / "chunks.jsonl").read_bytes() == before
    assert invoke(*hunting(tmp_path, 2 * CHUNK)).exit_code in (0, 1)
    assert sorted(finished(tmp_path)) == [FIRST_CHUNK, 0, 1]


def stored(folder, adjudicator, *args, **options):
    """Hunt an adjudicator, and keep what is found."""
    plan, store = plan_for(*args, **options), Store(folder)
    store.begin(plan)
    assert hunt_with(plan, adjudicator, store=store).groups
    return store


@pytest.fixture(scope="module")
def lost(tmp_path_factory):
    return stored(tmp_path_factory.mktemp("lost"), Altered(lost_border), 400)


def asked_again(store, adjudicator):
    again = open_again(store, PlannedEngine(EngineSpec("any"), Limits()))
    again.ask(adjudicator)
    return again.causes, {cause.status for cause in again.causes}


def test_what_is_fixed_is_gone_and_what_is_not_remains(lost):
    causes, statuses = asked_again(lost, REFERENCE)
    assert statuses == {"gone"}
    assert all(cause.asked and not cause.wrong and cause.example is None for cause in causes)
    causes, statuses = asked_again(lost, Altered(lost_border))
    assert statuses == {"remains"}
    assert all(cause.wrong == cause.asked for cause in causes)
    assert all(cause.example is not None and cause.example.facts for cause in causes)


def test_positions_as_they_were_found_are_asked_too(lost):
    """The minimal position is right now, but not what it was shrunk from."""

    def only_alone(ordered):
        return ordered if len(ordered.units) <= 3 else lost_border(ordered)

    causes, statuses = asked_again(lost, Altered(only_alone))
    assert statuses == {"remains"}
    assert all(0 < cause.wrong < cause.asked for cause in causes)


def test_another_wrong_answer_is_a_change(tmp_path):
    store = stored(tmp_path, adjudicators.mutant("support-does-not-prevent"), 600)
    _, statuses = asked_again(store, Altered(lambda ordered: ordered._replace(orders=())))
    assert "changed" in statuses
    assert "gone" not in statuses


def test_an_engine_that_crashes_now_has_changed_and_one_that_cannot_be_asked_has_not_fixed_it(lost):
    (cause, *_), _ = asked_again(lost, failing(lambda _: EngineFailure("ended with exit code 3")))
    assert cause.now is not None
    assert (cause.status, cause.now.kind) == ("changed", "failure")
    assert asked_again(lost, failing(lambda _: UnsupportedError("no")))[1] == {"not-asked"}


def test_a_crash_that_remains_is_asked_once(tmp_path):
    store = stored(tmp_path, failing(lambda _: EngineFailure("gave no answer within 10 s")), 20)
    (cause,), _ = asked_again(store, failing(lambda _: EngineFailure("gave no answer within 3 s")))
    assert (cause.status, cause.asked, cause.wrong) == ("remains", 1, 1)
    assert asked_again(store, REFERENCE)[1] == {"gone"}


def test_a_contradiction_is_asked_in_both_forms(tmp_path):
    store = stored(tmp_path, Altered(first_come), 1500, ("metamorphic",), ("opening", "dense"))
    assert asked_again(store, REFERENCE)[1] == {"gone"}
    causes, statuses = asked_again(store, Altered(first_come))
    assert statuses == {"remains"}
    assert any(cause.example.relation == "shuffled" for cause in causes if cause.example is not None)


def test_a_hunt_of_two_engines_is_asked_of_one_of_them(tmp_path):
    assert invoke("hunt", BORDER, "builtin", *DENSE, 350, "--store", tmp_path, "--no-experiments").exit_code == 1
    assert invoke("hunt", BORDER, "--again", tmp_path).exit_code == 1
    assert "found nothing" in invoke("hunt", "builtin", "--again", tmp_path).output
    other = invoke("hunt", "builtin:dptg", "--again", tmp_path)
    assert other.exit_code == 2
    assert "of several engines: name one of" in words(other.output)
