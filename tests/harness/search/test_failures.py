"""Hangs and crashes are grouped by what the engine says of them, or else by what it was asked."""

import pytest

from datc.adapters import EngineFailure, EngineSpec
from datc.harness.play.answer import Failure
from datc.harness.search.groups import group_findings
from datc.harness.search.hunt import hunt_chunk
from datc.harness.search.text import cause_text
from datc.reference_engine import Convoy, Move, SupportHold, SupportMove

from .adjudicators import REFERENCE, Failing, contradiction, plan_for, position_of


def has(orders, *kinds):
    return any(isinstance(order, kinds) for order in orders)


def failing(reason):
    """An engine that gives no answer where there is a reason for that."""
    return Failing(lambda orders: EngineFailure(said) if (said := reason(orders)) else None)


def groups_of(reason, chunks):
    plan = plan_for(EngineSpec("failing"), 60, profiles=("dense", "convoy-knots"))
    findings = []
    for chunk in range(chunks):
        findings += hunt_chunk(plan, [failing(reason)], chunk).findings
    return [group for group in group_findings(findings) if group.kind == "failure"]


@pytest.mark.parametrize("says", ["gave no answer within 10 s", "ended with exit code 3", "ended by signal SIGSEGV"])
def test_silent_failures_differ_by_the_kinds_of_orders(says):
    groups = groups_of(lambda orders: says if has(orders, Convoy, SupportHold, SupportMove) else "", 3)
    kinds = sorted(group.label.rpartition(": ")[2] for group in groups)
    assert kinds == ["convoy", "support"]
    for group in groups:
        assert group.smallest is not None
        assert group.smallest.units <= 2
        assert cause_text(group) == f"no answer: {says}"


def test_a_silent_failure_at_moves_and_holds_is_one():
    (group,) = groups_of(lambda orders: "ended with exit code 3" if has(orders, Move) else "", 3)
    assert group.label == "ended with exit code: orders for single units"


def test_what_an_engine_says_tells_failures_apart_and_places_and_numbers_do_not():
    def reason(orders):
        for number, order in enumerate(orders):
            if isinstance(order, Convoy):
                return f"ended with exit code 1 (its log ends: KeyError: '{order.to}' at 0x{id(order):x})"
            if isinstance(order, SupportMove):
                log = f"File /tmp/x{id(order)}/board.py, line {number}: {order.to} is no route"
                return f"ended with exit code 1 (its log ends: {log})"
        return ""

    groups = groups_of(reason, 3)
    assert sorted(group.label for group in groups) == [
        "ended with exit code ends File line route",
        "ended with exit code ends KeyError",
    ]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("KeyError: 'SIL'", "KeyError: 'Mid-Atlantic Ocean'", True),
        ("panicked at 0x7f3ffcc4e780", "panicked at 0x7fdeadbeef00", True),
        ("panic in /home/me/engine/src/convoy.rs:17:3", "panic in /root/other/support.rs:4:12", True),
        (r"no file C:\temp\first.txt", r"no file D:\other\second.txt", True),
        ("object 3f2a9c81d07e is lost", "object 99aa00ffe1b2 is lost", True),
        ("at src/convoy/paths.rs", "at lib/board.rs", True),
        ("England has no army in London", "Russia has no army in Moscow", True),
        ("KeyError: 'SIL'", "IndexError: 'SIL'", False),
        ("ended by signal SIGSEGV", "ended by signal SIGABRT", False),
        ("answered error -32603: 'no such route'", "answered error -32603: 'too deep a recursion'", False),
    ],
)
def test_what_changes_from_position_to_position_does_not_count_but_other_words_do(one, other, alike):
    assert (Failure(one).kind == Failure(other).kind) == alike


def test_a_position_without_an_answer_is_found_by_a_relation_too():
    """Nothing else asks the engine where `--source metamorphic` is the only one."""
    silent = failing(lambda _: "ended with exit code 3")
    found = contradiction(silent, position_of("Germany: A Ber - Mun"), "again")
    assert found is not None
    assert found.relation == ""
    assert found.said[-1].answer == Failure("ended with exit code 3")
    assert contradiction(REFERENCE, position_of("Germany: A Ber - Mun"), "again") is None
