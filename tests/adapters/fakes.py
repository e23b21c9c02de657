"""Fake engines, what to ask them, and what their answers tell."""

import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from datc.adapters import AdjudicateParams, AdjudicateResult, Engine, Limits, errors
from datc.adapters.conversion import ruleset_message
from datc.adapters.protocol import GivenOrderMessage, UnitMessage
from datc.cases import Case
from datc.harness.play.engine import request_params
from datc.harness.play.session import case_inputs
from datc.reference_engine import DATC_3_1

FAKE = Path(__file__).parents[1] / "engines" / "fake.py"
NO_RESPONSE = r"answered something that is not a JSON-RPC response \(.+\): "
MARKER = "A Nessie - Loch Ness"
PATIENT = Limits(start=60, request=60)
HASTY = Limits(start=60, request=1)
COLD = Limits(start=5, request=1)
"""For a request that hangs and may be the first one after a start, which has its time."""
DEADLINE = 60
"""Seconds after which a thread is taken to hang."""


class Echo(msgspec.Struct, frozen=True):
    """What a fake engine says of an answer in its `state`."""

    orders: list[str]
    """The orders that it is the answer to."""
    pid: int


def command(behaviour: str, marker: str = MARKER) -> list[str]:
    return [sys.executable, "-S", str(FAKE), behaviour, marker]


def ask(text: str = MARKER, *, bulk: int = 0) -> AdjudicateParams:
    """Build a request with one order; `bulk` makes it so many bytes larger."""
    return AdjudicateParams(
        phase="movement",
        units=[UnitMessage(power="ENGLAND", type="A", location="LON")],
        orders=[GivenOrderMessage(power="ENGLAND", text=text)],
        state=msgspec.Raw(msgspec.json.encode("x" * bulk)),
    )


def rpc(method: str, params: object, number: object = 7) -> bytes:
    """Write a request with any method and parameters."""
    return msgspec.json.encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def echo(answer: AdjudicateResult) -> Echo:
    assert answer.state is not msgspec.UNSET
    return msgspec.json.decode(answer.state, type=Echo)


def held(engine: Engine, text: str) -> Echo:
    """Ask for an order, see that the answer is that to it, and tell who gave it."""
    answer = engine.adjudicate(ask(text))
    assert answer.units == ask(text).units
    assert answer.dislodged == []
    assert echo(answer).orders == [text]
    return echo(answer)


def fails(engine: Engine, match: str = ".", kind: type[Exception] = errors.EngineFailure, text: str = MARKER) -> Any:
    """Ask what the engine misbehaves on; return the failure, whose reason is short and fit for a terminal."""
    with pytest.raises(kind, match=match) as failure:
        _ = engine.adjudicate(ask(text))
    assert str(failure.value).isprintable()
    assert len(str(failure.value)) < 1000
    return failure.value


def does_not_start(engine: Engine, match: str = ".") -> None:
    with engine, pytest.raises(errors.EngineStartError, match=match):
        _ = engine.start()


def request_of(case: Case) -> AdjudicateParams:
    """Build the request that the first phase of a case is."""
    return request_params(case_inputs(case)[0], ruleset_message(DATC_3_1), "document")
