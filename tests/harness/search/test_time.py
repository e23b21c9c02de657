"""A hunt ends when its time is up, whatever the engine or the clock does, and keeps what it has found until then."""

import io
import itertools
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from rich.console import Console

from datc.adapters import EngineClosedError, EngineSpec
from datc.harness.bugs.shrink import Shrinker
from datc.harness.cli.commands.hunt import hunt_command as command
from datc.harness.cli.commands.hunt import show_hunt
from datc.harness.cli.progress import Bar
from datc.harness.search import hunt as hunt_module
from datc.harness.search.findings import read_stored_position
from datc.harness.search.hunt import Hunt, hunt_chunk
from datc.harness.search.investigation import STOPPED, TELL_INTERVAL, Progress, Question
from datc.harness.search.store import Store

from .adjudicators import Altered, lost_border, plan_for, position_of

DEADLINE = 60
"""Seconds: many times what it takes here, and little beside what it would take without an end."""
FAKE = Path(__file__).parents[2] / "engines" / "fake.py"
FOUR_ARMIES = ("Austria: A Gal - Sil", "Germany: A Par H", "Germany: A Mar H", "Turkey: A Con H")


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


def hunted(adjudicator):
    return hunt_chunk(plan_for(EngineSpec("altered")), [adjudicator], 0, adjudicator.is_over)


@pytest.fixture
def one_position(monkeypatch):
    """Every position that is drawn is the same one, which shows the lost border."""
    ordered = position_of(*FOUR_ARMIES)
    monkeypatch.setattr("datc.harness.search.drawn.draw", lambda _plan, number: (Question(number, "random"), ordered))


@pytest.mark.usefixtures("one_position")
@pytest.mark.parametrize("answers", range(1, 12))
def test_time_that_is_up_while_a_position_is_shrunk_leaves_the_smallest_until_then(answers):
    result = hunted(Stopping(answers))
    assert result.trouble == STOPPED
    finding = result.findings[0]
    assert finding.position is not None
    assert finding.units <= 4
    assert [said.party for said in finding.said] == ["altered", "datc-check reference engine"]
    texts = [order.text for order in finding.position.orders]
    assert "A GAL - SIL" in texts or "A SIL - GAL" in texts
    assert read_stored_position(finding.position)


@pytest.mark.usefixtures("one_position")
def test_more_time_leaves_a_smaller_position():
    sizes = [hunted(Stopping(answers)).findings[0].units for answers in (1, 3, 6, 60)]
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[-1]) == (4, 1)


def test_an_engine_that_was_closed_for_another_reason_is_trouble():
    result = hunt_chunk(plan_for(EngineSpec("altered")), [Stopping(0)], 0, lambda: False)
    assert result.trouble == "the time is up"


def test_a_shrinker_asks_nothing_once_it_has_to_stop():
    ordered, asked = position_of(*FOUR_ARMIES), []
    shrinker = Shrinker(lambda candidate: bool(asked.append(candidate)), 400, lambda: len(asked) >= 3)
    assert shrinker.shrink(ordered).units == ordered.units
    assert len(asked) == 3


@pytest.mark.usefixtures("one_position")
def test_progress_is_of_the_whole_hunt_and_tells_of_every_finding_and_of_shrinking():
    plan, told = plan_for(EngineSpec("altered"), 60), []
    hunt = Hunt(plan, ["altered"], tell=told.append)
    for _ in hunt.go_on([Altered(lost_border)], 1, None, None):
        pass
    positions = [each.positions for each in told]
    assert positions == sorted(positions)
    assert set(positions) == set(range(60))
    assert any(each.shrinking for each in told)
    assert [told[-1].findings, len(hunt.findings)] == [59, 60]


def unchanged(ordered):
    return ordered


def told_with_clock(monkeypatch, alter, ticks):
    """The progress told of a chunk of three positions, by a clock that goes so far on each time it is read."""
    clock = itertools.count(1.0, ticks)
    monkeypatch.setattr("datc.harness.search.investigation.time", SimpleNamespace(perf_counter=lambda: next(clock)))
    told = []
    _ = hunt_chunk(plan_for(EngineSpec("altered"), 3), [Altered(alter)], 0, lambda: False, told.append)
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


def hunt_the_hanging(tmp_path, marker, seconds, *arguments):
    began = time.monotonic()
    config = tmp_path / "datc.toml"
    engine = f"command = ['{sys.executable}', '-S', '{FAKE}', 'hangs', '{marker}']"
    config.write_text(f"[engine.hanging]\n{engine}\nstart_timeout = 3\n", encoding="utf-8")
    store = str(tmp_path / "found")
    options = ["--config", str(config), "--source", "random", "--time", str(seconds), "--store", store]
    done = CliRunner().invoke(command, ["hanging", *options, *arguments])
    return done, time.monotonic() - began


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_hunt_of_an_engine_that_hangs_ends_in_time(tmp_path, jobs):
    """The first request has 3 seconds, each other one has one, and shrinking would ask dozens."""
    # The first position of this seed orders a unit to Silesia.
    done, seconds = hunt_the_hanging(tmp_path, "SIL", 10, "--timeout", "1", "--processes", jobs, "--seed", "8")
    assert done.exit_code == 1, done.output
    assert "The time was up" in done.output
    assert "no answer: gave no answer within " in done.output
    assert seconds < DEADLINE
    assert (tmp_path / "found" / "hunt.json").stat().st_size
    assert any(each.position for result in Store(tmp_path / "found").results() for each in result.findings)


def test_an_engine_that_always_hangs_is_not_waited_for(tmp_path):
    done, seconds = hunt_the_hanging(tmp_path, "A", 2)
    assert done.exit_code == 0
    assert "No position was asked, so nothing is known." in done.output
    assert "The time was too short to infer" in done.output
    assert seconds < DEADLINE


def test_rules_that_there_is_no_time_to_infer_are_an_error_where_they_are_asked_for(tmp_path):
    done, seconds = hunt_the_hanging(tmp_path, "A", 2, "--infer")
    assert done.exit_code == 2
    assert "--infer: half of --time was too short" in " ".join(done.output.split())
    assert seconds < DEADLINE


def test_an_engine_that_does_not_start_in_time_is_said_to(tmp_path):
    began = time.monotonic()
    engine = f"exec:{sys.executable} {FAKE} hangs-at-start"
    done = CliRunner().invoke(command, [engine, "--time", "1", "--store", str(tmp_path / "found")])
    assert done.exit_code == 3
    assert "it was over before the engine had started" in done.output
    assert time.monotonic() - began < DEADLINE


DAY = 86_400.0


class JumpingClock:
    """The clock on the wall, set forward or back by a day whenever somebody looks at it."""

    def __init__(self, step: float) -> None:
        self._step, self._off, self._real = step, 0.0, time.time

    def __call__(self) -> float:
        self._off += self._step
        return self._real() + self._off


@pytest.mark.attack
@pytest.mark.parametrize("step", [DAY, -DAY])
def test_a_hunt_is_as_long_as_it_was_told_to_be(monkeypatch, step):
    monkeypatch.setattr(time, "time", JumpingClock(step))
    done = CliRunner().invoke(command, ["builtin", "--positions", "20", "--time", "300", "--source", "random"])
    assert done.exit_code == 0, done.output
    assert "seed 1, 20 positions" in done.output
    done = CliRunner().invoke(command, ["builtin", "--positions", "10000000", "--time", "1", "--source", "random"])
    assert "The time was up" in done.output


@pytest.mark.attack
def test_the_end_of_a_hunt_is_settled_once_on_another_machine(monkeypatch):
    until = time.time() + 100
    settled = hunt_module._on_this_machine(until)
    assert 0 < settled - time.monotonic() <= 100
    monkeypatch.setattr(time, "time", JumpingClock(DAY))
    assert hunt_module._on_this_machine(until) == settled
