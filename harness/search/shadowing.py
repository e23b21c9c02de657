"""Asks a second engine in the shadow of a first one: for an author who replaces an engine that people use.

The first answers. What it was asked waits in a queue, which one thread empties by asking the second one; where that
answers something else, a listener gets both answers. Nothing that the second one does has an effect on the first.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias, final

import msgspec

from ...adapters import AdapterError, AdjudicateParams, AdjudicateResult, Engine
from ...adapters.conversion import dislodged_of, unit_of
from ...adapters.engine import UNREADABLE
from ...adapters.errors import EngineClosedError, EngineFailure, EngineStartError, UnsupportedError
from ...adapters.protocol import DislodgedMessage, InitializeResult, Response, UnitMessage
from ...reference_engine import GivenOrder
from ...reference_engine.errors import printable
from ...reference_engine.maps import STANDARD
from ..play.answer import PhaseInput
from ..play.differences import Fact, board_facts
from ..play.differential import Played, agree, find_facts
from ..play.engine import read_answer
from ..play.session import PlayedPhase, check_answer

State: TypeAlias = msgspec.Raw | msgspec.UnsetType
MOST_STATES = 1000
MOST_STATE_BYTES = 64 * 1024 * 1024
"""What is kept of states, all together: the oldest are forgotten first."""


@final
class States:
    """The second engine's states, by what a client sends back with the next phase: the first one's board and state."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, bytes | None] = OrderedDict()
        self._bytes = 0

    def keep(self, asked: AdjudicateParams, first: AdjudicateResult, state: State) -> None:
        """Keep the state that the second engine sent with its answer, also an empty one; both answered the phase alike.

        Where two phases end with the same board and state of the first engine, but with different states of the
        second one, both are forgotten: the next request would not tell them apart.
        """
        key = _key(asked.map, first.units, first.dislodged, first.state)
        kept = b"" if state is msgspec.UNSET else bytes(state)
        if key in self._kept:
            known = self._kept.pop(key)
            self._bytes -= len(known or b"")
            kept = kept if known == kept else None
        self._kept[key] = kept
        self._bytes += len(kept or b"")
        while len(self._kept) > MOST_STATES or self._bytes > MOST_STATE_BYTES:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= len(oldest or b"")

    def before(self, asked: AdjudicateParams) -> State | None:
        """Give what the second engine wants back with this phase; `None` where that is not known."""
        if asked.phase != "retreat" and _same_always(asked.state) == b"":
            return msgspec.UNSET  # The client gives nothing back with this phase.
        kept = self._kept.get(_key(asked.map, asked.units, asked.dislodged, asked.state))
        if kept is None:
            return None
        return msgspec.Raw(kept) if kept else msgspec.UNSET


def _key(board: str, units: Sequence[UnitMessage], dislodged: Sequence[DislodgedMessage] | None, state: State) -> bytes:
    """Write a board and a state so that they are the same bytes however a client writes them."""
    standing, beside = sorted(map(unit_of, units)), sorted(map(unit_of, dislodged or ()))
    return msgspec.json.encode((board, standing, beside)) + _same_always(state)


def _same_always(state: State) -> bytes:
    if state is msgspec.UNSET:
        return b""
    try:
        value: object = msgspec.json.decode(state)
    except UNREADABLE:  # It has a number that is too large: it is taken as it is written.
        return msgspec.json.encode(state)
    return b"" if value is None else msgspec.json.encode(value, order="sorted")


MOST_WAITING = 256
MOST_BYTES = 1 << 20
"""A larger request, its answer included, is not asked again: it would wait in memory."""
_GRACE = 2.0
"""Seconds for those that still wait when it is closed."""
_PAUSE = 10.0
"""Seconds until a second engine that could not be started is started again."""


class Difference(msgspec.Struct, frozen=True):
    """A phase of which the second engine says something else than the first, or nothing."""

    names: tuple[str, str]
    params: AdjudicateParams
    """What the first one was asked, its `state` included."""
    first: AdjudicateResult
    second: AdjudicateResult | None
    failure: str
    """What the second one did instead of an answer; empty where it gave one."""
    without_state: bool
    """It was asked without the `state` that it may want back: what it said to the phase before is not known, or was
    another board than the first one's."""
    facts: tuple[Fact, ...] = ()
    """What is wrong with the second answer, or else how it differs from the first one."""

    @property
    def is_about_words(self) -> bool:
        """Whether the boards are the same, and only the outcome of an order differs."""
        return bool(self.facts) and not board_facts(self.facts)


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """What a shadow has counted so far."""

    asked: int = 0
    """Phases that the second engine was asked."""
    different: int = 0
    """Answers of the second one that are others than those of the first."""
    failed: int = 0
    """Phases to which it gave no answer: it crashed, hung, or sent no valid answer."""
    unsupported: int = 0
    """Phases that it says it cannot do."""
    dropped: int = 0
    """Phases that it was not asked: too many waited, or the request was too large."""
    errors: int = 0
    """Phases that could not be compared: it could not be started, or what was found could not be kept."""
    waiting: int = 0
    trouble: str = ""


_Job: TypeAlias = tuple[bytes, bytes]
"""What the first engine was asked and answered, as JSON."""


@final
class Shadow(Engine):
    """An engine that answers as the first of two does, and asks the second one the same afterwards.

    ```python
    with Shadow(old, new, print) as engine:
        _ = engine.start()
        result = engine.adjudicate(params)      # what `old` says, as soon as it does
    ```

    An error of the first engine is raised, or given, as it came; then there is nothing to compare. Neither the second
    engine nor `take` is ever waited for, but at most 5 s when it is closed. `initialize` and unknown methods are for
    the first one alone.

    A `state` is the engine's own: the second one gets back what it answered itself to the phase before, where it
    answered that as the first did, and else none (`Difference.without_state`).
    """

    def __init__(
        self,
        first: Engine,
        second: Engine,
        take: Callable[[Difference], object],
        *,
        most_waiting: int = MOST_WAITING,
        words: bool = False,
        tell: Callable[[str], object] = lambda _trouble: None,
    ) -> None:
        """`take` gets each difference and `tell` each new error, in a thread of their own. Closing it closes both.

        With `words`, the outcome of an order is a difference, too, where the boards are the same.
        """
        self._first, self._second = first, second
        self._take, self._tell = take, tell
        self._most_waiting, self._words = most_waiting, words
        self._changed = threading.Condition()
        self._waiting = deque[_Job]()
        """The first of them is being asked."""
        self._counts = Counter[str]()
        self._trouble = ""
        self._ended = False
        self.names = ("", "")
        """What the two call themselves; empty for a second one that was not started yet."""
        self._phases: list[str] | None = None
        self._not_started: EngineStartError | None = None
        self._start_again_at = 0.0
        self._states = States()
        self._thread = threading.Thread(target=self._work, name="shadow", daemon=True)

    def __enter__(self) -> Shadow:
        """Use it in a `with` statement."""
        _ = super().__enter__()
        return self

    def start(self) -> InitializeResult:
        """Start the first engine; the second one is started by the thread that asks it."""
        started = self._first.start()
        self.names = (_name(started), "")
        self._thread.start()
        return started

    @property
    def counts(self) -> Counts:
        """Return what was counted so far."""
        with self._changed:
            return Counts(**self._counts, waiting=len(self._waiting), trouble=self._trouble)

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        result = self._first.adjudicate(params)
        self._hand_over(params, result)
        return result

    def call(self, method: str, params: object) -> Response:
        response = self._first.call(method, params)
        if method == "adjudicate" and response.result is not msgspec.UNSET:
            self._hand_over(params, response.result)
        return response

    def wait(self, seconds: float) -> bool:
        """Wait until nothing waits to be asked, but not longer; say whether that is so."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting, seconds)

    def close(self) -> None:
        """Let those that wait be asked, for a few seconds at most, and end both engines."""
        try:
            self._most_waiting = 0
            if self._thread.is_alive():
                _ = self.wait(_GRACE)
        finally:
            with self._changed:
                self._ended = True
                self._counts["dropped"] += len(self._waiting)
                self._waiting.clear()
                self._changed.notify_all()
            self._second.close()
            if self._thread.is_alive():
                self._thread.join(_GRACE)
            self._first.close()

    def _hand_over(self, params: object, result: object) -> None:
        """Let the second engine be asked later. It raises nothing: the answer to the first question stands."""
        try:
            job = msgspec.json.encode(params), msgspec.json.encode(result)
        except Exception:  # noqa: BLE001 - whatever cannot be written as JSON
            job = None
        with self._changed:
            if job is None or sum(map(len, job)) > MOST_BYTES or len(self._waiting) >= self._most_waiting:
                self._counts["dropped"] += 1
            else:
                self._waiting.append(job)
                self._changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._changed:
                _ = self._changed.wait_for(lambda: self._waiting or self._ended)
                if self._ended:
                    return
                job = self._waiting[0]
            try:
                self._ask(*job)
            except EngineClosedError:
                return
            except Exception as error:  # noqa: BLE001 - the next one may be better
                self._note(error)
            with self._changed:
                if self._waiting and self._waiting[0] is job:
                    _ = self._waiting.popleft()
                self._changed.notify_all()

    def _ask(self, asked: bytes, answered: bytes) -> None:
        self._start_second()
        params = msgspec.json.decode(asked, type=AdjudicateParams)
        first = msgspec.json.decode(answered, type=AdjudicateResult)
        if self._phases is not None and params.phase not in self._phases:
            self._count("unsupported")
            return
        state = self._states.before(params)
        second, failure, facts = None, "", tuple[Fact, ...]()
        try:
            own = msgspec.UNSET if state is None else state
            second = self._second.adjudicate(msgspec.structs.replace(params, state=own))
        except UnsupportedError:
            self._count("unsupported")
            return
        except EngineFailure as error:
            failure = printable(str(error))
        if second is not None:
            mine, theirs = played_phase(params, first), played_phase(params, second)
            if agree(mine, theirs, words=self._words):
                self._count("asked")
                self._states.keep(params, first, second.state)
                return
            facts = find_facts(mine, theirs)[1] or mine[0].impossible
        self._count("asked", "failed" if failure else "different")
        _ = self._take(Difference(self.names, params, first, second, failure, state is None, facts))

    def _start_second(self) -> None:
        """Start the second engine where it is not. Raises `EngineStartError`: for a while the same one again."""
        if self.names[1]:
            return
        if self._not_started is not None and time.monotonic() <= self._start_again_at:
            raise self._not_started
        try:
            started = self._second.start()
        except EngineStartError as error:
            self._not_started, self._start_again_at = error, time.monotonic() + _PAUSE
            raise
        self.names = (self.names[0], _name(started))
        self._phases = started.capabilities.phases

    def _note(self, error: Exception) -> None:
        kind = "" if isinstance(error, AdapterError) else f"{type(error).__name__}: "
        trouble = printable(f"{kind}{error}")
        with self._changed:
            is_new, self._trouble = trouble != self._trouble, trouble
            self._counts["errors"] += 1
        if is_new:
            _ = self._tell(trouble)

    def _count(self, *names: str) -> None:
        with self._changed:
            self._counts.update(names)


def played_phase(params: AdjudicateParams, result: AdjudicateResult) -> Played:
    """Return an answer as it is compared. What is impossible on the board of a variant is not known."""
    orders = [GivenOrder(order.power, None) for order in params.orders]
    units, dislodged = tuple(map(unit_of, params.units)), tuple(map(dislodged_of, params.dislodged))
    asked = PhaseInput(params.phase, orders, units, dislodged)
    answer = read_answer(result, params.phase)
    if answer.outcomes is not None and len(answer.outcomes) != len(orders):
        answer = replace(answer, outcomes=None)
    return (check_answer(asked, answer) if params.map == STANDARD else PlayedPhase(asked, answer),)


def _name(started: InitializeResult) -> str:
    return printable(f"{started.engine.name} {started.engine.version}".strip()) or "engine"
