"""A shadow: the first engine answers, whatever the second one does; what that says otherwise is told."""

import contextlib
import doctest
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from datc.adapters import AdjudicateResult, EngineFailure, EngineStartError, UnsupportedError
from datc.adapters.builtin import BuiltinEngine
from datc.adapters.process import ProcessEngine
from datc.harness.search import shadowing
from datc.harness.search.shadowing import Counts, Shadow

from ...adapters.fakes import COLD, FAKE, MARKER, PATIENT, ask, command, rpc
from ...conftest import ROOT
from ...test_docs import BLOCK
from ..cli import running
from .shadowed import DISLODGEMENT, LONG, VIA, Scripted, Stuck, movement, nobody_moves, retreat, right, with_state

MOVE = movement("FRANCE A PAR - BUR")
WITH_A, WITH_B = with_state(right, a=1), with_state(right, b=1)


@contextlib.contextmanager
def shadow_of(first, second, take=print, **options):
    with Shadow(first, second, take, **options) as shadow:
        _ = shadow.start()
        yield shadow


def settled(shadow):
    """Wait until the second engine was asked everything, and return what the shadow counts."""
    assert shadow.wait(LONG)
    return shadow.counts


def compared(first, second, *requests):
    """What a shadow counts and finds whose first engine is asked all of these."""
    found = []
    with shadow_of(Scripted(first), second, found.append) as shadow:
        for params in requests:
            assert shadow.adjudicate(params) == first(params)
        return settled(shadow), found


def fake(behaviour):
    return f"exec:{sys.executable} -S {FAKE} {behaviour}"


@contextlib.contextmanager
def started(folder, first, second, *arguments):
    """Start the command for two engines; give its process, and a connection to it."""
    process, url = running.serving("shadow", first, second, *arguments, cwd=folder)
    assert url.startswith("http://127.0.0.1:"), process.communicate(timeout=60)
    with running.connected(url) as connection:
        yield process, connection


def adjudicate(connection, params):
    return running.ask(connection, "/", rpc("adjudicate", params))[1]


def end(process, number=signal.SIGTERM):
    process.send_signal(number)
    output, said = process.communicate(timeout=60)
    return process.returncode, running.words(output), said


def failing(error):
    def fail(_params):
        raise error

    return fail


def test_the_second_engine_is_asked_the_same_as_the_first():
    second = Scripted(right)
    assert compared(right, second, MOVE) == (Counts(asked=1), [])
    assert second.asked == [MOVE]


def test_a_difference_is_told_with_all_that_was_said():
    counts, (difference,) = compared(right, Scripted(nobody_moves, "lazy"), MOVE)
    assert counts == Counts(asked=1, different=1)
    assert difference.params == MOVE
    assert (difference.first, difference.second) == (right(MOVE), nobody_moves(MOVE))
    assert difference.names[1] == "lazy"
    assert (difference.failure, difference.without_state) == ("", False)


def test_what_one_engine_leaves_out_and_the_order_of_units_is_no_difference():
    laconic = Scripted(lambda params: AdjudicateResult(units=right(params).units[::-1]))
    assert compared(right, laconic, DISLODGEMENT) == (Counts(asked=1), [])


def test_a_second_engine_that_hangs_keeps_nobody_waiting():
    stuck = Stuck()
    with shadow_of(BuiltinEngine(), stuck) as shadow:
        for _ in range(3):
            assert shadow.adjudicate(MOVE) == right(MOVE)
        assert stuck.reached.wait(LONG)
        assert shadow.counts == Counts(waiting=3)
        stuck.go_on.set()
        assert settled(shadow) == Counts(asked=3)


def test_a_full_queue_drops_what_comes_and_counts_it():
    stuck = Stuck()
    with shadow_of(BuiltinEngine(), stuck, most_waiting=2) as shadow:
        for _ in range(5):
            assert shadow.adjudicate(MOVE) == right(MOVE)
        assert shadow.counts.dropped == 3
        stuck.go_on.set()
        assert settled(shadow) == Counts(asked=2, dropped=3)


def test_a_request_that_is_too_large_to_wait_is_dropped():
    large = ask(bulk=shadowing.MOST_BYTES)
    assert compared(nobody_moves, BuiltinEngine(), large) == (Counts(dropped=1), [])


@pytest.mark.parametrize("behaviour", ["crashes", "is-killed", "writes-no-json", "nests-deeply", "result-is-a-list"])
def test_a_second_engine_that_goes_down_or_talks_nonsense_is_told_and_asked_again(behaviour):
    second = ProcessEngine(command(behaviour), PATIENT)
    counts, (difference,) = compared(nobody_moves, second, ask(MARKER), ask("A London H"))
    assert counts == Counts(asked=2, failed=1)
    assert difference.second is None
    assert difference.failure
    assert difference.params.orders[0].text == MARKER


def test_a_second_engine_that_never_answers_is_given_up_for_that_request():
    counts, (difference,) = compared(nobody_moves, ProcessEngine(command("hangs"), COLD), ask())
    assert (counts, difference.failure) == (Counts(asked=1, failed=1), "gave no answer within 5 s")


def test_a_second_engine_that_cannot_be_started_is_told_once_and_no_trouble():
    class Absent(Scripted):
        def start(self):
            self.starts += 1
            raise EngineStartError("no such \x1b[31mprogram")

    absent, told = Absent(right), []
    with shadow_of(BuiltinEngine(), absent, tell=told.append) as shadow:
        for _ in range(2):
            assert shadow.adjudicate(MOVE) == right(MOVE)
        counts = settled(shadow)
        assert counts.errors == 2
        assert "\x1b" not in counts.trouble
        assert told == [counts.trouble]
    assert (absent.starts, absent.asked) == (1, [])


def test_a_listener_that_fails_is_an_error_and_the_next_difference_is_told():
    taken = []

    def take(difference):
        taken.append(difference)
        if len(taken) == 1:
            raise OSError("the disk is full")

    with shadow_of(BuiltinEngine(), Scripted(nobody_moves), take) as shadow:
        for _ in range(2):
            assert shadow.adjudicate(MOVE) == right(MOVE)
        assert settled(shadow) == Counts(asked=2, different=2, errors=1, trouble="OSError: the disk is full")
    assert len(taken) == 2


def test_what_the_second_engine_cannot_do_is_no_difference():
    without_retreats = Scripted(right, phases=["movement"])
    unsupported = (Counts(unsupported=1), [])
    assert compared(right, without_retreats, retreat(right(DISLODGEMENT))) == unsupported
    assert without_retreats.asked == []
    assert compared(right, Scripted(failing(UnsupportedError("no"))), MOVE) == unsupported


def test_an_error_of_the_first_engine_is_raised_as_it_came_and_not_asked_of_the_second():
    problem = EngineFailure("answered error -32000: 'the board is on fire'")
    second = Scripted(right)
    with shadow_of(Scripted(failing(problem)), second) as shadow:
        with pytest.raises(EngineFailure) as raised:
            _ = shadow.adjudicate(MOVE)
        assert raised.value is problem
        assert settled(shadow) == Counts()
    assert second.asked == []


def test_an_answer_of_the_first_engine_that_cannot_be_read_passes_through():
    first = ProcessEngine(command("result-without-units"), PATIENT)
    with shadow_of(first, BuiltinEngine()) as shadow:
        response = shadow.call("adjudicate", ask())
        assert response.result is not msgspec.UNSET
        assert bytes(response.result) == b'{"dislodged": []}'
        counts = settled(shadow)
    assert (counts.asked, counts.errors) == (0, 1)
    assert "units" in counts.trouble


@pytest.mark.parametrize("behaviour", ["error-of-its-own", "error-not-supported", "error-method-not-found"])
def test_an_error_that_the_first_engine_answers_is_given_unchanged(behaviour):
    first = ProcessEngine(command(behaviour), PATIENT)
    with ProcessEngine(command(behaviour), PATIENT) as alone:
        expected = alone.call("adjudicate", ask()).error
    with shadow_of(first, Scripted(right)) as shadow:
        assert shadow.call("adjudicate", ask()).error == expected
        assert settled(shadow) == Counts()


def test_other_methods_are_for_the_first_engine_alone():
    second = Scripted(right)
    with shadow_of(BuiltinEngine(), second) as shadow:
        assert shadow.call("initialize", {}).result is not msgspec.UNSET
        assert shadow.call("resign", {}).error is not msgspec.UNSET
        assert settled(shadow) == Counts()
    assert second.asked == []


class TestStates:
    """Each engine gets its own state, and never the other's."""

    def test_the_second_engine_gets_back_what_it_answered_itself(self):
        second = Scripted(with_state(right, b=1))
        with shadow_of(Scripted(with_state(right, a=1, c=[2])), second) as shadow:
            answer = shadow.adjudicate(DISLODGEMENT)
            assert answer.state == msgspec.Raw(b'{"a":1,"c":[2]}')
            written_otherwise = msgspec.Raw(b'{ "c": [2],\n "a": 1 }')
            _ = shadow.adjudicate(retreat(answer, units=answer.units[::-1], state=written_otherwise))
            assert settled(shadow) == Counts(asked=2)
        assert [asked.state for asked in second.asked] == [msgspec.UNSET, msgspec.Raw(b'{"b":1}')]

    def test_a_state_with_a_number_that_is_too_large_is_one_too(self):
        second = Scripted(with_state(right, b=1))
        counts, found = compared(right, second, msgspec.structs.replace(MOVE, state=msgspec.Raw(b'{"hash":1e999}')))
        assert (counts, [difference.without_state for difference in found]) == (Counts(asked=1), [])
        large = msgspec.Raw(b'{"hash":1e999}')
        first = Scripted(lambda params: msgspec.structs.replace(right(params), state=large))
        with shadow_of(first, second) as shadow:
            _ = shadow.adjudicate(retreat(shadow.adjudicate(DISLODGEMENT)))
            assert settled(shadow) == Counts(asked=2)
        assert second.asked[-1].state == msgspec.Raw(b'{"b":1}')

    @pytest.mark.parametrize(
        ("first", "second", "before", "given", "without"),
        [
            (WITH_A, right, [DISLODGEMENT], False, []),
            (right, WITH_B, [DISLODGEMENT], True, []),
            (WITH_A, nobody_moves, [], False, [True]),
            (WITH_A, with_state(nobody_moves, b=1), [DISLODGEMENT], False, [False, True]),
        ],
        ids=["it-answered-none", "known-by-its-board", "phase-before-not-seen", "another-board-before"],
    )
    def test_a_retreat_is_asked_with_what_it_answered_to_these_movements(self, first, second, before, given, without):
        engine = Scripted(second)
        counts, found = compared(first, engine, *before, retreat(first(DISLODGEMENT)))
        assert (counts.asked, [difference.without_state for difference in found]) == (len(before) + 1, without)
        assert engine.asked[-1].state == (msgspec.Raw(b'{"b":1}') if given else msgspec.UNSET)

    def test_it_is_asked_without_where_two_phases_look_alike_that_are_not(self):
        states = iter([{"game": 1}, {"game": 2}])

        def answer(params):
            return with_state(right, **next(states))(params) if params.phase == "movement" else right(params)

        second = Scripted(answer)
        _ = compared(right, second, DISLODGEMENT, DISLODGEMENT, retreat(right(DISLODGEMENT)))
        assert second.asked[2].state is msgspec.UNSET

    def test_a_movement_is_asked_without_unless_the_client_gives_a_state(self):
        second = Scripted(with_state(right, b=1))
        _ = compared(right, second, MOVE, msgspec.structs.replace(MOVE, units=right(MOVE).units, orders=[]))
        assert second.asked[1].state is msgspec.UNSET

    def test_the_oldest_are_forgotten(self, monkeypatch):
        monkeypatch.setattr(shadowing, "MOST_STATE_BYTES", 30)
        states = shadowing.States()
        asked = [movement(f"FRANCE A {where} H") for where in ("PAR", "BUR", "MAR")]
        for params in asked:
            states.keep(params, right(params), msgspec.Raw(b'{"b": 12345678}'))
        retreats = [retreat(right(params)) for params in asked]
        assert [states.before(params) is None for params in retreats] == [True, False, False]


class TestTheEnd:
    """Closing it waits for what waits, but not for ever."""

    def test_what_waits_is_asked_before_it_ends(self):
        second, found = Scripted(nobody_moves), []
        with shadow_of(BuiltinEngine(), second, found.append) as shadow:
            for _ in range(20):
                _ = shadow.adjudicate(MOVE)
        assert shadow.counts == Counts(asked=20, different=20)
        assert len(found) == 20
        assert second.closed.is_set()

    def test_a_second_engine_that_hangs_is_ended(self, monkeypatch):
        monkeypatch.setattr(shadowing, "_GRACE", 0.05)
        first, second = Scripted(right), Stuck()
        with shadow_of(first, second) as shadow:
            for _ in range(3):
                _ = shadow.adjudicate(MOVE)
            assert second.reached.wait(LONG)
        assert shadow.counts == Counts(dropped=3)
        assert (first.closed.is_set(), second.closed.is_set()) == (True, True)

    def test_one_that_was_not_started_is_closed_at_once(self):
        first, second = Scripted(right), Scripted(right)
        Shadow(first, second, print).close()
        assert (first.closed.is_set(), second.closed.is_set()) == (True, True)


class TestTheCommand:
    """`datc-check shadow` as a process of its own, before engines that behave and engines that do not."""

    def test_answers_pass_through_byte_for_byte_and_health_counts(self, tmp_path):
        with started(tmp_path, fake("error-of-its-own"), "builtin") as (process, connection):
            error = adjudicate(connection, ask())["error"]
            assert error == {"code": -32000, "message": "the board is on fire"}
            answer = adjudicate(connection, ask("A London H"))
            assert (answer["id"], answer["result"]["state"]["orders"]) == (7, ["A London H"])
            _, health = running.ask(connection, "/health", method="GET")
            assert (health["status"], health["engine"]) == ("ok", "fake 1.0")
            assert health["shadow"].keys() >= {"asked", "different", "failed", "dropped", "errors", "waiting"}
            assert running.ask(connection, "/elsewhere", method="GET")[1]["status"] == 404
            assert end(process, signal.SIGINT)[:2] == (130, "1 compared: 0 different, 0 without an answer")

    def test_a_second_engine_that_is_not_there_is_said_and_the_first_one_answers(self, tmp_path):
        with started(tmp_path, "builtin", "exec:/nowhere/engine") as (process, connection):
            assert adjudicate(connection, VIA)["result"]["units"]
            code, output, said = end(process)
            assert (code, output) == (143, "0 compared: 0 different, 0 without an answer, 1 errors")
            assert said.startswith("Not compared: '/nowhere/engine' cannot be started:")

    def test_a_second_engine_that_hangs_does_not_keep_it_from_ending(self, tmp_path):
        with started(tmp_path, fake("behaves"), fake("hangs"), "--timeout", "600") as (process, connection):
            assert adjudicate(connection, ask(MARKER))["result"]["units"]
            assert end(process)[:2] == (143, "0 compared: 0 different, 0 without an answer, 1 not asked")
            assert (tmp_path / "shadow.jsonl").read_bytes() == b""


def test_the_document_shows_what_can_be_done(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(running.COMMAND).parent}{os.pathsep}{os.environ['PATH']}")
    text = (ROOT / "docs" / "shadow.md").read_text(encoding="utf-8")
    found = [match.groupdict() for match in BLOCK.finditer(text)]
    shadow, after = (block["text"] for block in found if block["kind"] == "sh")
    (session,) = (block["text"] for block in found if block["kind"] == "python")
    example = doctest.DocTestParser().get_doctest(session, {}, "shadow", "docs/shadow.md", 0)
    assert doctest.DocTestRunner().run(example).failed == 0
    _ = (tmp_path / "datc.toml").write_text(
        "[engine.mine]\ncommand = ['datc-check', 'engine']\n"
        "[engine.my-next]\ncommand = ['datc-check', 'engine', '--mutant', 'own-support-dislodges']\n",
        encoding="utf-8",
    )
    program, name, *arguments = shadow.split()
    assert (program, name) == ("datc-check", "shadow")
    process, _ = running.serving("shadow", *arguments, cwd=tmp_path)
    assert end(process)[0] == 143
    explained, hunted = (
        subprocess.run(line, shell=True, capture_output=True, text=True, timeout=300, check=False)
        for line in after.splitlines()
    )
    assert (explained.returncode, explained.stderr) == (1, "")
    assert "single and together, gives its answer: it is probably a bug." in running.words(explained.stdout)
    assert (hunted.returncode, hunted.stderr) == (1, "Wrote hunt.html\n")
    assert "1 cause\n" in hunted.stdout
    assert (tmp_path / "hunt.html").exists()
