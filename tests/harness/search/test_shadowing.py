"""A shadow: the first engine answers, whatever the second one does; what that says otherwise is told."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import NamedTuple

import msgspec
import pytest

from datc.adapters import AdjudicateParams, AdjudicateResult, Engine, EngineFailure, EngineStartError, UnsupportedError
from datc.adapters.builtin import BuiltinEngine
from datc.adapters.process import ProcessEngine
from datc.adapters.protocol import InitializeResult
from datc.harness.search import shadowing
from datc.harness.search.shadowing import Counts, Difference, Shadow

from ...adapters.fakes import COLD, MARKER, PATIENT, ask, command
from .shadowed import DISLODGEMENT, LONG, Answer, Scripted, Stuck, movement, nobody_moves, retreat, right, with_state

MOVE = movement("FRANCE A PAR - BUR")


class Watched(NamedTuple):
    """A shadow, and what it found."""

    shadow: Shadow
    found: list[Difference]
    told: list[str]

    def settled(self) -> Counts:
        """Wait until the second engine was asked everything."""
        assert self.shadow.wait(LONG)
        return self.shadow.counts


@contextlib.contextmanager
def shadow_of(first: Engine, second: Engine, most_waiting: int = 256) -> Generator[Watched]:
    found: list[Difference] = []
    told: list[str] = []
    with Shadow(first, second, found.append, most_waiting=most_waiting, tell=told.append) as shadow:
        _ = shadow.start()
        yield Watched(shadow, found, told)


def settled(first: Answer, second: Engine, *requests: AdjudicateParams) -> tuple[Counts, list[Difference]]:
    """What a shadow counts and finds whose first engine is asked all of these."""
    with shadow_of(Scripted(first), second) as watched:
        for params in requests:
            assert watched.shadow.adjudicate(params) == first(params)
        return watched.settled(), watched.found


def failing(error: Exception) -> Answer:
    def fail(_params: AdjudicateParams) -> AdjudicateResult:
        raise error

    return fail


def test_the_answer_is_that_of_the_first_engine_and_the_second_is_asked_the_same() -> None:
    second = Scripted(right)
    with shadow_of(BuiltinEngine(), second) as watched:
        assert watched.shadow.adjudicate(MOVE) == right(MOVE)
        assert watched.settled() == Counts(asked=1)
        assert watched.shadow.names[1] == "scripted"
    assert second.asked == [MOVE]
    assert watched.found == []


def test_a_difference_is_told_with_all_that_was_said() -> None:
    counts, (difference,) = settled(right, Scripted(nobody_moves, "lazy"), MOVE)
    assert counts == Counts(asked=1, different=1)
    assert difference.params == MOVE
    assert (difference.first, difference.second) == (right(MOVE), nobody_moves(MOVE))
    assert difference.names[1] == "lazy"
    assert (difference.failure, difference.without_state) == ("", False)


def test_what_one_engine_leaves_out_and_the_order_of_units_is_no_difference() -> None:
    def laconic(params: AdjudicateParams) -> AdjudicateResult:
        return AdjudicateResult(units=right(params).units[::-1])

    assert settled(right, Scripted(laconic), DISLODGEMENT) == (Counts(asked=1), [])


def test_a_second_engine_that_hangs_keeps_nobody_waiting() -> None:
    stuck = Stuck()
    with shadow_of(BuiltinEngine(), stuck) as watched:
        for _ in range(3):
            assert watched.shadow.adjudicate(MOVE) == right(MOVE)
        assert stuck.reached.wait(LONG)
        assert watched.shadow.counts == Counts(waiting=3)
        stuck.go_on.set()
        assert watched.settled() == Counts(asked=3)


def test_a_full_queue_drops_what_comes_and_counts_it() -> None:
    stuck = Stuck()
    with shadow_of(BuiltinEngine(), stuck, most_waiting=2) as watched:
        for _ in range(5):
            assert watched.shadow.adjudicate(MOVE) == right(MOVE)
        assert watched.shadow.counts.dropped == 3
        stuck.go_on.set()
        assert watched.settled() == Counts(asked=2, dropped=3)


def test_a_request_that_is_too_large_to_wait_is_dropped() -> None:
    large = ask(bulk=shadowing.MOST_BYTES)
    assert settled(nobody_moves, BuiltinEngine(), large) == (Counts(dropped=1), [])


@pytest.mark.parametrize("behaviour", ["crashes", "is-killed", "writes-no-json", "nests-deeply", "result-is-a-list"])
def test_a_second_engine_that_goes_down_or_talks_nonsense_is_told_and_asked_again(behaviour: str) -> None:
    second = ProcessEngine(command(behaviour), PATIENT)
    counts, (difference,) = settled(nobody_moves, second, ask(MARKER), ask("A London H"))
    assert counts == Counts(asked=2, failed=1)
    assert difference.second is None
    assert difference.failure
    assert difference.params.orders[0].text == MARKER


def test_a_second_engine_that_never_answers_is_given_up_for_that_request() -> None:
    counts, (difference,) = settled(nobody_moves, ProcessEngine(command("hangs"), COLD), ask())
    assert (counts, difference.failure) == (Counts(asked=1, failed=1), "gave no answer within 5 s")


def test_a_second_engine_that_cannot_be_started_is_told_once_and_no_trouble() -> None:
    class Absent(Scripted):
        def start(self) -> InitializeResult:
            self.starts += 1
            raise EngineStartError("no such \x1b[31mprogram")

    absent = Absent(right)
    with shadow_of(BuiltinEngine(), absent) as watched:
        for _ in range(2):
            assert watched.shadow.adjudicate(MOVE) == right(MOVE)
        counts = watched.settled()
        assert counts.errors == 2
        assert "\x1b" not in counts.trouble
        assert watched.told == [counts.trouble]
    assert (absent.starts, absent.asked) == (1, [])


def test_a_listener_that_fails_is_an_error_and_the_next_difference_is_told() -> None:
    taken: list[Difference] = []

    def take(difference: Difference) -> None:
        taken.append(difference)
        if len(taken) == 1:
            raise OSError("the disk is full")

    with Shadow(BuiltinEngine(), Scripted(nobody_moves), take) as shadow:
        _ = shadow.start()
        for _ in range(2):
            assert shadow.adjudicate(MOVE) == right(MOVE)
        assert shadow.wait(LONG)
        assert shadow.counts == Counts(asked=2, different=2, errors=1, trouble="OSError: the disk is full")
    assert len(taken) == 2


def test_what_the_second_engine_cannot_do_is_no_difference() -> None:
    without_retreats = Scripted(right, phases=["movement"])
    unsupported = (Counts(unsupported=1), [])
    assert settled(right, without_retreats, retreat(right(DISLODGEMENT))) == unsupported
    assert without_retreats.asked == []
    assert settled(right, Scripted(failing(UnsupportedError("no"))), MOVE) == unsupported


def test_an_error_of_the_first_engine_is_raised_as_it_came_and_not_asked_of_the_second() -> None:
    problem = EngineFailure("answered error -32000: 'the board is on fire'")
    second = Scripted(right)
    with shadow_of(Scripted(failing(problem)), second) as watched:
        with pytest.raises(EngineFailure) as raised:
            _ = watched.shadow.adjudicate(MOVE)
        assert raised.value is problem
        assert watched.settled() == Counts()
    assert second.asked == []


def test_an_answer_of_the_first_engine_that_cannot_be_read_passes_through() -> None:
    first = ProcessEngine(command("result-without-units"), PATIENT)
    with shadow_of(first, BuiltinEngine()) as watched:
        response = watched.shadow.call("adjudicate", ask())
        assert response.result is not msgspec.UNSET
        assert bytes(response.result) == b'{"dislodged": []}'
        counts = watched.settled()
    assert (counts.asked, counts.errors) == (0, 1)
    assert "units" in counts.trouble


@pytest.mark.parametrize("behaviour", ["error-of-its-own", "error-not-supported", "error-method-not-found"])
def test_an_error_that_the_first_engine_answers_is_given_unchanged(behaviour: str) -> None:
    first = ProcessEngine(command(behaviour), PATIENT)
    with ProcessEngine(command(behaviour), PATIENT) as alone:
        expected = alone.call("adjudicate", ask()).error
    with shadow_of(first, Scripted(right)) as watched:
        assert watched.shadow.call("adjudicate", ask()).error == expected
        assert watched.settled() == Counts()


def test_other_methods_are_for_the_first_engine_alone() -> None:
    second = Scripted(right)
    with shadow_of(BuiltinEngine(), second) as watched:
        assert watched.shadow.call("initialize", {}).result is not msgspec.UNSET
        assert watched.shadow.call("resign", {}).error is not msgspec.UNSET
        assert watched.settled() == Counts()
    assert second.asked == []


class TestStates:
    """Each engine gets its own state, and never the other's."""

    def test_the_second_engine_gets_back_what_it_answered_itself(self) -> None:
        second = Scripted(with_state(right, b=1))
        with shadow_of(Scripted(with_state(right, a=1, c=[2])), second) as watched:
            answer = watched.shadow.adjudicate(DISLODGEMENT)
            assert answer.state == msgspec.Raw(b'{"a":1,"c":[2]}')
            written_otherwise = msgspec.Raw(b'{ "c": [2],\n "a": 1 }')
            _ = watched.shadow.adjudicate(retreat(answer, units=answer.units[::-1], state=written_otherwise))
            assert watched.settled() == Counts(asked=2)
        assert [asked.state for asked in second.asked] == [msgspec.UNSET, msgspec.Raw(b'{"b":1}')]

    def test_it_gets_none_back_where_it_answered_none(self) -> None:
        second, answer = Scripted(right), with_state(right, a=1)
        asked = retreat(answer(DISLODGEMENT), "A BUR - MUN")
        assert settled(answer, second, DISLODGEMENT, asked) == (Counts(asked=2), [])
        assert second.asked[1].state is msgspec.UNSET

    def test_a_first_engine_without_states_is_known_by_its_board(self) -> None:
        second = Scripted(with_state(right, b=1))
        _ = settled(right, second, DISLODGEMENT, retreat(right(DISLODGEMENT)))
        assert second.asked[1].state == msgspec.Raw(b'{"b":1}')

    def test_it_is_asked_without_where_the_phase_before_was_not_seen(self) -> None:
        second = Scripted(nobody_moves)
        given_by_the_first = msgspec.Raw(b'{"a":1}')
        asked = retreat(right(DISLODGEMENT), state=given_by_the_first)
        _, (difference,) = settled(right, second, asked)
        assert second.asked[0].state is msgspec.UNSET
        assert difference.without_state

    def test_it_is_asked_without_where_it_saw_another_board_before(self) -> None:
        second, answer = Scripted(with_state(nobody_moves, b=1)), with_state(right, a=1)
        _, found = settled(answer, second, DISLODGEMENT, retreat(answer(DISLODGEMENT)))
        assert second.asked[1].state is msgspec.UNSET
        assert [difference.without_state for difference in found] == [False, True]

    def test_it_is_asked_without_where_two_phases_look_alike_that_are_not(self) -> None:
        states = iter([{"game": 1}, {"game": 2}])

        def answer(params: AdjudicateParams) -> AdjudicateResult:
            return with_state(right, **next(states))(params) if params.phase == "movement" else right(params)

        second = Scripted(answer)
        _ = settled(right, second, DISLODGEMENT, DISLODGEMENT, retreat(right(DISLODGEMENT)))
        assert second.asked[2].state is msgspec.UNSET

    def test_a_movement_is_asked_without_unless_the_client_gives_a_state(self) -> None:
        second = Scripted(with_state(right, b=1))
        _ = settled(right, second, MOVE, msgspec.structs.replace(MOVE, units=right(MOVE).units, orders=[]))
        assert second.asked[1].state is msgspec.UNSET

    def test_the_oldest_are_forgotten(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(shadowing, "MOST_STATE_BYTES", 30)
        states = shadowing.States()
        asked = [movement(f"FRANCE A {where} H") for where in ("PAR", "BUR", "MAR")]
        for params in asked:
            states.keep(params, right(params), msgspec.Raw(b'{"b": 12345678}'))
        retreats = [retreat(right(params)) for params in asked]
        assert [states.before(params) is None for params in retreats] == [True, False, False]


class TestTheEnd:
    """Closing it waits for what waits, but not for ever."""

    def test_what_waits_is_asked_before_it_ends(self) -> None:
        second = Scripted(nobody_moves)
        with shadow_of(BuiltinEngine(), second) as watched:
            for _ in range(20):
                _ = watched.shadow.adjudicate(MOVE)
        assert watched.shadow.counts == Counts(asked=20, different=20)
        assert len(watched.found) == 20
        assert second.closed.is_set()

    def test_a_second_engine_that_hangs_is_ended(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(shadowing, "_GRACE", 0.05)
        first, second = Scripted(right), Stuck()
        with shadow_of(first, second) as watched:
            for _ in range(3):
                _ = watched.shadow.adjudicate(MOVE)
            assert second.reached.wait(LONG)
        assert watched.shadow.counts == Counts(dropped=3)
        assert (first.closed.is_set(), second.closed.is_set()) == (True, True)

    def test_one_that_was_not_started_is_closed_at_once(self) -> None:
        first, second = Scripted(right), Scripted(right)
        Shadow(first, second, print).close()
        assert first.closed.is_set()
        assert second.closed.is_set()
