"""A hunt as a whole: what it finds depends on its plan alone, it ends when it has to, and it survives engines."""

import contextlib
import io
import itertools
import os
import signal
import sys
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest
from msgspec import structs
from rich.console import Console

from datc.adapters import EngineClosedError, EngineSpec, parse_engine_spec
from datc.cases import load_suite
from datc.harness.bugs.mutants import find_mutant
from datc.harness.bugs.terrain import PROFILES
from datc.harness.cli.commands.hunt import show_hunt
from datc.harness.cli.progress import Bar
from datc.harness.rules.infer import Conclusion
from datc.harness.rules.infer import Finding as Inferred
from datc.harness.search import hunt as hunt_module
from datc.harness.search.drawn import USUAL_SOURCES
from datc.harness.search.findings import read_stored_position
from datc.harness.search.hunt import Hunt, hunt_chunk
from datc.harness.search.investigation import STOPPED, TELL_INTERVAL, Progress, Question
from datc.harness.search.plan import inferred_ruleset, with_inferred_rules
from datc.harness.search.store import Store
from datc.harness.search.suite import write_suite
from datc.harness.search.text import cause_text
from datc.harness.search.workers import open_adjudicators
from datc.reference_engine import DATC_3_1

from ...adapters.fakes import FAKE
from ...builtin import ask_builtin
from ..cli.running import COMMAND, invoke, words
from . import adjudicators
from .adjudicators import (
    BORDER,
    DENSE,
    REFERENCE,
    Altered,
    begin,
    buggy_spec,
    hunt_with,
    hunted,
    lost_border,
    mutant,
    plan_for,
)

DEADLINE = 60
"""Seconds: many times what it takes here, and little beside what it would take without an end."""
FOUR_ARMIES = ("Austria: A Gal - Sil", "Germany: A Par H", "Germany: A Mar H", "Turkey: A Con H")


def unchanged(ordered):
    return ordered


def without_seconds(hunt):
    found = [(result.chunk, result.asked, result.unsupported, result.findings) for result in hunt.results]
    return found, hunt.done, hunt.counts.asked, hunt.answered, hunt.counts.unsupported, hunt.trouble


def test_the_reference_agrees_with_itself():
    hunt = hunted(plan_for(200, USUAL_SOURCES, spec=EngineSpec("builtin")))
    assert (hunt.complete, hunt.positions, hunt.findings) == (True, 200, [])
    assert set(hunt.counts.asked) == {"random/dense", "paradoxes", "metamorphic", "battles"}


@pytest.mark.parametrize("board", ["loeb9", "mine"])
def test_a_mutant_is_found_on_another_map_and_its_case_names_the_map(board, tmp_path):
    mine, name = tmp_path / "mine.toml", "support-does-not-prevent"
    _ = mine.write_text('title = "Mine"\nsource = "this test"\nbase = "loeb9"\n')
    plan = replace(plan_for(40), map=str(mine) if board == "mine" else board)
    hunt = hunt_with(plan, mutant(name))
    assert [group.label for group in hunt.groups] == [find_mutant(name).sentence]
    folder = tmp_path / "found"
    folder.mkdir()
    write_suite(folder, hunt.groups, "on Loeb9", plan.ruleset, plan.map)
    mine.unlink()
    (case,) = load_suite(str(folder)).cases
    assert case.phases[0].board.name == board
    assert ask_builtin(case, plan.ruleset).verdict == "passed"


def test_the_rules_of_an_engine_are_inferred_on_the_map_of_the_hunt():
    spec = parse_engine_spec(f"exec:{COMMAND} engine --ruleset 1982 --fixed", {})
    plan = with_inferred_rules(replace(plan_for(20, spec=spec), map="loeb9"), by_inferred_rules=True)
    assert (plan.ruleset.choices["4.A.2"], plan.ruleset.choices["4.A.3"]) == ("1982", "1982-totality")


@pytest.mark.parametrize("name", ["pure", "chaos", "ancient-mediterranean", "colonial"])
def test_positions_are_drawn_on_a_map_without_seas_or_units_with_islands_and_with_a_canal(name):
    plan = replace(plan_for(60, USUAL_SOURCES), map=name)
    hunt = hunt_with(plan, REFERENCE)
    assert (hunt.complete, hunt.positions, hunt.findings) == (True, 60, [])
    assert hunt.counts.unsupported == 0


def test_what_is_found_does_not_depend_on_the_number_of_processes():
    plan = plan_for(300, profiles=("opening", "dense"), spec=buggy_spec("border"))
    alone, together = hunted(plan), hunted(plan, jobs=2)
    assert alone.findings
    assert without_seconds(alone) == without_seconds(together)
    assert alone.groups == together.groups


def test_a_hunt_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path):
    plan, store = plan_for(300), Store(tmp_path)
    whole = hunt_with(plan, Altered(lost_border))
    store.begin(plan)
    first = hunt_with(replace(plan, positions=110), Altered(lost_border), store=store)
    assert [result.positions for result in store.results()] == [0, 20, 20, 20, 20, 20, 10]
    assert first.positions == 110
    with (tmp_path / "chunks.jsonl").open("ab") as file:
        _ = file.write(b'{"chunk": 9, "asked": {"ran')  # The process was killed while it wrote.
    rest = hunt_with(plan, Altered(lost_border), store=store)
    assert without_seconds(rest) == without_seconds(whole)
    assert rest.positions == 300
    assert rest.asked_now == 200  # The short chunk is asked anew, as a whole.
    assert [result.positions for result in store.results()] == [0, *[20] * 15]  # What is asked first does not count.
    assert [finding for result in store.results() for finding in result.findings] == list(whole.findings)


def test_the_time_limit_of_the_config_is_that_of_a_hunt(tmp_path, monkeypatch):
    config, plans = tmp_path / "datc.toml", []
    config.write_text("[run]\ntimeout = 3", encoding="utf-8")
    monkeypatch.setattr(
        "datc.harness.cli.commands.hunt.open_adjudicators", lambda plan: plans.append(plan) or open_adjudicators(plan)
    )
    assert invoke("hunt", "builtin", "--positions", 1, "--config", config).exit_code == 0
    assert plans[0].engines[0].limits.request == 3


def test_a_crash_is_a_finding_and_the_hunt_goes_on():
    hunt = hunted(plan_for(20, spec=buggy_spec("crash")))
    assert (hunt.complete, hunt.positions) == (True, 20)
    (group,) = hunt.groups
    assert (group.kind, cause_text(group)) == ("failure", "no answer: ended with exit code 3")
    assert group.example.units <= 2


def test_an_engine_that_gives_out_ends_the_hunt_and_says_so():
    plan = plan_for(400, spec=buggy_spec("crash"))
    limits = structs.replace(plan.engines[0].limits, restarts=1)
    hunt = hunted(replace(plan, engines=(plan.engines[0]._replace(limits=limits),)))
    assert "broke down" in hunt.trouble
    assert not hunt.complete


def test_two_engines_are_compared_with_each_other():
    plan = plan_for(400)
    plan = replace(plan, engines=plan.engines * 2)
    assert hunt_with(plan, Altered(lost_border), Altered(lost_border)).findings == []
    found = hunt_with(plan, Altered(unchanged), Altered(lost_border)).findings
    assert {finding.engine for finding in found} == {1}


def test_the_rules_in_force_are_changed_by_what_is_inferred_only_where_they_must():
    found = {issue: Inferred((choice,), (), "") for issue, choice in DATC_3_1.choices.items()}
    found["4.A.3"] = Inferred(("alexander", "dptg-explicit"), (), "open")
    inferred = inferred_ruleset(DATC_3_1, Conclusion(found, (), (), 0, ()))
    assert {issue: choice for issue, choice in inferred.choices.items() if choice != DATC_3_1.choices[issue]} == {
        "4.A.3": "alexander"
    }


def test_the_help_names_every_profile():
    said = words(invoke("hunt", "--help").output)
    assert f"Random positions: {', '.join(PROFILES).replace(', convoy', ' or convoy')}." in said


ENDLESS = ("hunt", BORDER, *DENSE, 1_000_000)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("send", "number", "code"),
    [(os.killpg, signal.SIGINT, 130), (os.kill, signal.SIGTERM, 143), (os.killpg, signal.SIGTERM, 143)],
)
def test_a_signal_ends_with_what_was_found(jobs, send, number, code, tmp_path):
    process = begin(tmp_path / "found", *ENDLESS, "--processes", jobs)
    with contextlib.suppress(ProcessLookupError):
        send(process.pid, number)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == code, errors
    assert "Interrupted: this is what was found until then." in output
    assert "disagreement" in output
    assert "Traceback" not in errors


def test_ctrl_c_between_two_chunks_ends_with_what_was_found(monkeypatch):
    go_on = Hunt.go_on

    def interrupted(*arguments):
        yield next(go_on(*arguments))
        raise KeyboardInterrupt

    monkeypatch.setattr(Hunt, "go_on", interrupted)
    done = invoke("hunt", BORDER, *DENSE, 1000)
    assert done.exit_code == 130, done.output
    assert "Interrupted: this is what was found until then." in done.stdout


def test_a_hunt_that_is_killed_leaves_no_process_behind(tmp_path):
    psutil = pytest.importorskip("psutil", reason="the extra `cluster`, which brings it, is not installed")
    process = begin(tmp_path / "found", *ENDLESS, "--processes", 2)
    started = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    _ = process.communicate(timeout=60)
    assert len(started) >= 4  # Two workers, and an engine of each.
    _, alive = psutil.wait_procs(started, timeout=60)
    assert alive == []


class Stopping(Altered):
    """Answers so often; after that its time is up."""

    def __init__(self, answers):
        super().__init__(lost_border)
        self.left = answers

    def ask(self, asked):
        if self.left <= 0:
            raise EngineClosedError("the time is up")
        self.left -= 1
        return super().ask(asked)

    def is_over(self):
        return self.left <= 0


@pytest.fixture
def one_position(monkeypatch):
    """Every position that is drawn is the same one, which shows the lost border."""
    ordered = adjudicators.position_of(*FOUR_ARMIES)
    monkeypatch.setattr("datc.harness.search.drawn.draw", lambda _plan, number: (Question(number, "random"), ordered))


@pytest.mark.usefixtures("one_position")
def test_time_that_is_up_while_a_position_is_shrunk_leaves_the_smallest_until_then():
    sizes = []
    for answers in (*range(1, 12), 60):
        adjudicator = Stopping(answers)
        result = hunt_chunk(plan_for(), [adjudicator], 0, adjudicator.is_over)
        assert result.trouble == STOPPED
        finding = result.findings[0]
        sizes.append(finding.units)
        assert [said.party for said in finding.said] == ["altered", "datc-check reference engine"]
        assert finding.position is not None
        assert not {"A GAL - SIL", "A SIL - GAL"}.isdisjoint(order.text for order in finding.position.orders)
        assert read_stored_position(finding.position)
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[-1]) == (4, 1)


def test_an_engine_that_was_closed_for_another_reason_is_trouble():
    result = hunt_chunk(plan_for(), [Stopping(0)], 0, lambda: False)
    assert result.trouble == "the time is up"


@pytest.mark.usefixtures("one_position")
def test_progress_is_of_the_whole_hunt_and_tells_of_every_finding_and_of_shrinking():
    plan, told = plan_for(60), []
    hunt = Hunt(plan, ["altered"], tell=told.append)
    _ = list(hunt.go_on([Altered(lost_border)], 1, None, None))
    positions = [each.positions for each in told]
    assert positions == sorted(positions)
    assert set(positions) == set(range(60))
    assert any(each.shrinking for each in told)
    assert [told[-1].findings, len(hunt.findings)] == [59, 60]


def told_with_clock(monkeypatch, alter, ticks):
    """The progress told of a chunk of three positions, by a clock that goes so far on each time it is read."""
    clock = itertools.count(1.0, ticks)
    monkeypatch.setattr("datc.harness.search.investigation.time", SimpleNamespace(perf_counter=lambda: next(clock)))
    told = []
    _ = hunt_chunk(plan_for(3), [Altered(alter)], 0, lambda: False, told.append)
    return told


@pytest.mark.usefixtures("one_position")
def test_a_finding_and_the_begin_and_end_of_shrinking_are_told_at_once(monkeypatch):
    assert told_with_clock(monkeypatch, lost_border, 0) == [
        Progress(0, 0),
        Progress(0, 0, shrinking=True),
        Progress(1, 1),
        Progress(1, 1, shrinking=True),
        Progress(2, 2),
        Progress(2, 2, shrinking=True),
    ]


@pytest.mark.usefixtures("one_position")
def test_positions_without_findings_are_told_at_intervals(monkeypatch):
    assert told_with_clock(monkeypatch, unchanged, 0) == [Progress(0, 0)]
    assert told_with_clock(monkeypatch, unchanged, TELL_INTERVAL) == [Progress(0, 0), Progress(1, 0), Progress(2, 0)]


def test_the_bar_shows_positions_and_what_is_done():
    terminal = io.StringIO()
    console = Console(file=terminal, force_terminal=True, width=100)
    with Bar("asking the suites", 250, "found", console=console) as bar:
        show_hunt(bar, Progress(17, 2, shrinking=True))
    shown = terminal.getvalue()
    assert "17/250" in shown
    assert "2 disagreements" in shown
    assert "shrinking" in shown


def hunt_the_hanging(tmp_path, code, marker, seconds, *arguments):
    """Hunt for so many seconds; where a busy machine needs longer to come to this exit code, for more."""
    engine = f"command = ['{sys.executable}', '-S', '{FAKE}', 'hangs', '{marker}']"
    (tmp_path / "datc.toml").write_text(f"[engine.hanging]\n{engine}\nstart_timeout = 3\n", encoding="utf-8")
    options = ["--config", tmp_path / "datc.toml", "--source", "random", *arguments]
    for limit in (seconds, seconds * 4, seconds * 16):
        began, store = time.monotonic(), tmp_path / f"found-{limit}"
        done = invoke("hunt", "hanging", *options, "--time", limit, "--store", store)
        assert time.monotonic() - began < limit + DEADLINE
        if done.exit_code == code:
            return words(done.output), store
    pytest.fail(done.output)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_hunt_of_an_engine_that_hangs_ends_in_time(tmp_path, jobs):
    """The first request has 3 seconds, each other one has one, and shrinking would ask dozens."""
    # The first position of this seed orders a unit to Silesia.
    said, store = hunt_the_hanging(tmp_path, 1, "SIL", 10, "--timeout", 1, "--processes", jobs, "--seed", 8)
    assert "The time was up" in said
    assert "no answer: gave no answer within " in said
    assert (store / "hunt.json").stat().st_size
    assert any(each.position for result in Store(store).results() for each in result.findings)


@pytest.mark.parametrize(
    ("code", "option", "known"),
    [
        (1, (), ["No position was asked, so nothing is known.", "The time was too short to infer"]),
        (2, ("--infer",), ["--infer: half of --time was too short"]),
    ],
)
def test_an_engine_that_always_hangs_is_not_waited_for(tmp_path, code, option, known):
    said, _ = hunt_the_hanging(tmp_path, code, "A", 2, "--timeout", 600, *option)
    assert [text in said for text in known] == [True] * len(known)


def test_an_engine_that_does_not_start_in_time_is_said_to(tmp_path):
    began = time.monotonic()
    engine = f"exec:{sys.executable} {FAKE} hangs-at-start"
    done = invoke("hunt", engine, "--time", 1, "--store", tmp_path / "found")
    assert done.exit_code == 3
    assert "it was over before the engine had started" in done.output
    assert time.monotonic() - began < DEADLINE


DAY = 86_400.0


def jumping_clock(step):
    """The clock on the wall, set forward or back by so much whenever somebody looks at it."""
    offsets, real = itertools.count(step, step), time.time
    return lambda: real() + next(offsets)


@pytest.mark.attack
@pytest.mark.parametrize("step", [DAY, -DAY])
def test_a_hunt_is_as_long_as_it_was_told_to_be(monkeypatch, step):
    monkeypatch.setattr(time, "time", jumping_clock(step))
    done = invoke("hunt", "builtin", "--positions", 20, "--time", 300, "--source", "random")
    assert done.exit_code == 0, done.output
    assert "seed 1, 20 positions" in done.output
    done = invoke("hunt", "builtin", "--positions", 10000000, "--time", 1, "--source", "random")
    assert "The time was up" in done.output


@pytest.mark.attack
def test_the_end_of_a_hunt_is_settled_once_on_another_machine(monkeypatch):
    until = time.time() + 100
    settled = hunt_module._on_this_machine(until)
    assert 0 < settled - time.monotonic() <= 100
    monkeypatch.setattr(time, "time", jumping_clock(DAY))
    assert hunt_module._on_this_machine(until) == settled
