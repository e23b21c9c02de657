"""Working on several items at once."""

import random
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock

import pytest

from datc.harness.run.runner import map_ordered


def interrupt(_number, _frame):
    raise KeyboardInterrupt


def interrupted(work, give_up, moments):
    _ = signal.setitimer(signal.ITIMER_REAL, moments.uniform(0.0002, 0.006))
    return map_ordered(work, range(300), 2, give_up)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no alarm on this system")
def test_a_ctrl_c_at_any_moment_ends_what_was_begun():
    """Also while work is handed out, where it could leave a lock taken that the workers need."""
    moments = random.Random(1)
    before = signal.signal(signal.SIGALRM, interrupt)
    others = threading.enumerate()
    try:
        for _ in range(300):
            given_up = threading.Event()
            with pytest.raises(KeyboardInterrupt):
                _ = list(interrupted(lambda _, until=given_up: until.wait(60), given_up.set, moments))
    finally:
        _ = signal.setitimer(signal.ITIMER_REAL, 0)
        _ = signal.signal(signal.SIGALRM, before)
    for thread in set(threading.enumerate()).difference(others):
        if thread.name.startswith("ThreadPoolExecutor"):
            thread.join(60)
            assert not thread.is_alive()


def test_where_no_thread_is_to_be_had_that_is_said(monkeypatch):
    monkeypatch.setattr(ThreadPoolExecutor, "submit", Mock(side_effect=RuntimeError("can't start new thread")))
    given_up = threading.Event()
    with pytest.raises(RuntimeError, match="can't start new thread"):
        _ = list(map_ordered(str, range(3), 2, given_up.set))
    assert given_up.is_set()
