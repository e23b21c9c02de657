"""Working on several items at once."""

import threading

import pytest

from datc.harness.run.runner import map_ordered


def interrupted(begun):
    """Two items; a Ctrl-C comes for the third, once the first is being worked on."""
    yield from (1, 2)
    assert begun.wait(60)
    raise KeyboardInterrupt


def test_a_ctrl_c_while_work_is_handed_out_ends_what_was_begun():
    begun, given_up, ended = threading.Event(), threading.Event(), []

    def work(item):
        begun.set()
        ended.append((item, given_up.wait(5)))

    with pytest.raises(KeyboardInterrupt):
        _ = list(map_ordered(work, interrupted(begun), 2, given_up.set))
    assert [was_given_up for _, was_given_up in ended] == [True] * len(ended)
    assert ended
