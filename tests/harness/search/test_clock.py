"""A clock that is set while a hunt runs neither ends it nor keeps it from ending."""

import time

import pytest
from click.testing import CliRunner

from datc.harness.cli.commands.hunt import hunt_command as command
from datc.harness.search import hunt

pytestmark = pytest.mark.attack

DAY = 86_400.0


class JumpingClock:
    """The clock on the wall, set forward or back by a day whenever somebody looks at it."""

    def __init__(self, step: float) -> None:
        self._step, self._off, self._real = step, 0.0, time.time

    def __call__(self) -> float:
        self._off += self._step
        return self._real() + self._off


@pytest.mark.parametrize("step", [DAY, -DAY])
def test_a_hunt_is_as_long_as_it_was_told_to_be(monkeypatch, step):
    monkeypatch.setattr(time, "time", JumpingClock(step))
    done = CliRunner().invoke(command, ["builtin", "--positions", "20", "--time", "300", "--source", "random"])
    assert done.exit_code == 0, done.output
    assert "seed 1, 20 positions" in done.output
    done = CliRunner().invoke(command, ["builtin", "--positions", "10000000", "--time", "1", "--source", "random"])
    assert "The time was up" in done.output


def test_the_end_of_a_hunt_is_settled_once_on_another_machine(monkeypatch):
    until = time.time() + 100
    settled = hunt._on_this_machine(until)
    assert 0 < settled - time.monotonic() <= 100
    monkeypatch.setattr(time, "time", JumpingClock(DAY))
    assert hunt._on_this_machine(until) == settled
