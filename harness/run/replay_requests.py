"""Sends requests to an engine as they are: those of a trace, compared with what was answered then, and of positions."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import msgspec

from ...adapters import AdjudicateParams, Engine, EngineFailure, UnsupportedError
from ...adapters.conversion import ruleset_message
from ...adapters.engine import UNREADABLE, beginning, read_adjudicate_result
from ...adapters.protocol import Request, Response, encode_line
from ...cases import Case
from ..errors import HarnessError
from ..play.answer import AnswerOrFailure, Failure
from ..play.engine import read_answer, request_params
from ..play.session import case_inputs
from ..play.trace import TraceLine
from ..play.verdict import Rules


class Exchange(NamedTuple):
    """A request, and what followed from it when it was recorded."""

    request: Request
    recorded: TraceLine | None = None
    """`None` where nothing was recorded: a request alone, or a run that was interrupted."""


class Resent(NamedTuple):
    """What a request brought when it was sent again."""

    text: str
    """The answer as it is, as a line of JSON that a terminal can show; empty without one."""
    failed: str
    """Why there is no answer that can be judged; empty for one that can."""
    compared: Literal["same", "different", "unrecorded"]
    seconds: float


def read_exchanges(content: bytes, name: str) -> Sequence[Exchange]:
    """Read a trace, a request, or several requests, one a line; `name` is what the file is called in messages.

    Raises `HarnessError` where it is neither; the message names the line.
    """
    try:
        return [Exchange(msgspec.json.decode(content, type=Request))]  # It may have many lines.
    except UNREADABLE:
        exchanges: list[Exchange] = []
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        place = f"{name}, line {number}"
        try:
            read = msgspec.json.decode(line, type=TraceLine)
            if read == TraceLine():
                read = TraceLine(sent=msgspec.json.decode(line, type=Request))
        except UNREADABLE as error:
            problem = beginning(str(error), 200)
            raise HarnessError(f"{place} is neither a line of a trace nor a request: {problem}") from error
        if read.sent is not msgspec.UNSET:
            exchanges.append(Exchange(read.sent))
        elif read.received is not msgspec.UNSET or read.failed:
            if not exchanges or exchanges[-1].recorded is not None:
                raise HarnessError(f"{place} has an answer, but no request stands before it")
            exchanges[-1] = exchanges[-1]._replace(recorded=read)
    if not exchanges:
        raise HarnessError(f"{name} has no request: write a trace with datc-check run --trace, or a request yourself")
    return exchanges


def position_exchanges(cases: Iterable[Case], rules: Rules) -> Sequence[Exchange]:
    """Make a request of the first phase of each position; those after it would follow from the answer."""
    ruleset = ruleset_message(rules.ruleset)
    asked = (request_params(case_inputs(case)[0], ruleset, rules.notation) for case in cases)
    encoded = (msgspec.Raw(msgspec.json.encode(params)) for params in asked)
    return [Exchange(Request(id=n, method="adjudicate", params=params)) for n, params in enumerate(encoded, 1)]


def resend(engine: Engine, exchanges: Sequence[Exchange]) -> Iterator[Resent]:
    """Send requests in turn. Raises `EngineGaveOutError` and `EngineClosedError`."""
    for request, recorded in exchanges:
        began = time.perf_counter()
        text = ""
        try:
            response = engine.call(request.method, request.params)
            line = engine.hide(encode_line(msgspec.structs.replace(response, id=request.id)))
            shown = line.replace(b"\t", b" ").decode("utf-8", "replace")
            # A terminal would not show some characters: they are escaped, as JSON does.
            text = "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in shown)
            said = _said(request, response)
        except EngineFailure as error:
            said = Failure(str(error))
        seconds = time.perf_counter() - began
        failed = said.reason if isinstance(said, Failure) else ""
        if recorded is None:
            yield Resent(text, failed, "unrecorded", seconds)
        else:
            answer = recorded.received
            before = Failure(recorded.failed) if answer is msgspec.UNSET else _said(request, answer)
            yield Resent(text, failed, "same" if said == before else "different", seconds)


def _said(request: Request, response: Response) -> AnswerOrFailure | bytes:
    """Return what is compared of an answer: the board and the outcomes, why it cannot be judged, or all of it."""
    try:
        params = msgspec.json.decode(request.params, type=AdjudicateParams) if request.method == "adjudicate" else None
    except UNREADABLE:
        params = None
    if params is None:
        return encode_line(msgspec.structs.replace(response, id=None))
    try:
        return replace(read_answer(read_adjudicate_result(response, params), params.phase), state=None)
    except (EngineFailure, UnsupportedError) as error:
        return Failure(str(error))
