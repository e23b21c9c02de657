import io
import json
import sys
from contextlib import nullcontext
from functools import partial
from typing import Any, TypeAlias
from unittest.mock import Mock

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from datc.adapters import (
    AdjudicateParams,
    AdjudicateResult,
    EngineClosedError,
    EngineFailure,
    EngineGaveOutError,
    UnsupportedError,
)
from datc.adapters.builtin import BuiltinEngine, relay, respond, serve
from datc.adapters.conversion import given_order_message, unit_messages
from datc.adapters.engine import read_adjudicate_result, read_initialize_result, read_response
from datc.adapters.process import ProcessEngine
from datc.adapters.protocol import FlyingDutchmanMessage, OrderSetMessage, Response, RulesetMessage, UnitMessage
from datc.cases import load_suite
from datc.reference_engine import ISSUES, Submitted
from datc.reference_engine.board import UNIT_TYPES
from datc.reference_engine.errors import UnplayedChoiceError
from datc.reference_engine.maps import own_map_names
from datc.reference_engine.orders import PHASES, Proxy

from ..strategies import ODD_LOCATIONS, POWERS, any_order, locations, ordered_units, unit_lists
from . import fakes
from .fakes import PATIENT, request_of, rpc

Json: TypeAlias = Any
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
london = st.just([{"power": "ENGLAND", "type": "A", "location": "LON"}])
results = st.fixed_dictionaries(
    {"units": london | json_values},
    optional={
        "dislodged": london | json_values,
        "orders": st.just([None]) | st.just([{"outcome": "fails", "reason": "bounced"}]) | json_values,
        "state": json_values,
        "protocol": st.just(1) | json_values,
        "engine": st.just({"name": "x"}) | json_values,
        "capabilities": st.just({"phases": ["movement"]}) | json_values,
    },
)
wrongs = st.fixed_dictionaries({}, optional={"code": st.integers() | json_values, "message": st.text() | json_values})
responses = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "id": st.integers() | json_values},
    optional={"result": results | json_values, "error": wrongs | json_values},
)
SERVER = [sys.executable, "-c", "from datc.harness.cli.group import main; main()", "engine"]
LONDON = {"power": "ENGLAND", "type": "A", "location": "LON"}
POSITION = {"phase": "movement", "units": [LONDON]}


def ask(method: str, params: object, number: object = 7) -> dict[str, Json]:
    return answer(rpc(method, params, number))


def answer(line: bytes) -> dict[str, Json]:
    """Take the response to a line; it is one, whatever the line is."""
    written = respond(line)
    assert b"\n" not in written
    response: dict[str, Json] = msgspec.json.decode(written)
    assert response["jsonrpc"] == "2.0"
    assert response.keys() - {"jsonrpc", "id"} in ({"result"}, {"error"})
    assert response["id"] is None or isinstance(response["id"], int | str)
    if "error" in response:
        assert response["error"]["code"] in {-32700, -32600, -32601, -32602, -32004}, response["error"]
        assert response["error"]["message"]
    return response


def test_it_says_who_it_is():
    result = ask("initialize", {"protocol": 1, "harness": {"name": "x", "version": "1"}, "later": "fields"})["result"]
    assert result["protocol"] == 1
    assert result["engine"]["name"] == "datc-check reference engine"
    assert result["capabilities"]["phases"] == ["movement", "retreat", "adjustment"]


@pytest.mark.parametrize(
    "order", [{"text": "A London - Wales"}, {"order": {"type": "move", "unit": {"location": "LON"}, "to": "WAL"}}]
)
def test_it_adjudicates_text_and_structure(order):
    result = ask("adjudicate", {**POSITION, "orders": [{"power": "ENGLAND", **order}]})["result"]
    assert result["units"] == [{**LONDON, "location": "WAL"}]
    assert result["dislodged"] == []
    assert result["orders"] == [{"outcome": "succeeds"}]


@pytest.mark.parametrize("number", [0, -1, 2**53, "seven", "", None])
def test_it_answers_with_the_id_of_the_request(number):
    assert ask("adjudicate", POSITION, number)["id"] == number
    assert ask("resign", {}, number)["id"] == number
    assert ask("adjudicate", {}, number)["id"] == number


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"not JSON", -32700),
        (b"", -32700),
        (b'{"jsonrpc":"2.0","id":"\xff","method":"initialize","params":{}}', -32700),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"initialize","params":{}}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":' + b"[" * 100_000, -32700),
        (b"[" * 100_000, -32600),
        (b"[]", -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"initialize","params":{}}', -32600),
        (b'{"jsonrpc":"2.0","method":"initialize","params":{}}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"resign","params":{}}', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":"one"}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"adjudicate","params":null}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"adjudicate","params":{"phase":"movement"}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"adjudicate","params":{"phase":"movement","map":"\xff"}}', -32602),
    ],
)
def test_what_is_no_request_gets_the_error_of_json_rpc(line, code):
    assert answer(line)["error"]["code"] == code


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ({"units": [LONDON, {**LONDON, "power": "FRANCE"}]}, -32602, "two units in LON"),
        ({"phase": "retreat", "dislodged": [LONDON]}, -32602, "without its retreats"),
        ({"centers": {"ENGLAND": ["NTH"]}}, -32602, "'NTH' is no supply center"),
        ({"ruleset": {"choices": {"4.A.1": "any"}}}, -32602, "issue 4.A.1 has no choice 'any'"),
        ({"map": "atlantis"}, -32004, "there is no map 'atlantis' here: it is 1898, "),
        *(({"units": [{**LONDON, "location": location}]}, -32602, "") for location in ODD_LOCATIONS),
    ],
)
def test_what_is_no_position_or_ruleset_is_a_wrong_parameter_and_another_map_not_supported(change, code, message):
    error = ask("adjudicate", {**POSITION, **change})["error"]
    assert error["code"] == code
    assert message in error["message"]


UNCLEAR = {"power": "ENGLAND", "text": "F NWG - Nort"}
"""It could mean two seas. (Two times twelve of them: 4,096 combinations, each held against all other orders.)"""


@pytest.mark.promise("The work for a request is bounded")
@pytest.mark.attack
@pytest.mark.parametrize(
    ("orders", "said"),
    [
        ([UNCLEAR] * 12 + [{"power": "ENGLAND", "text": "F NTH H"}] * 9988, "10,000 orders: at most 500"),
        (
            [{"power": "ENGLAND", "text": "A London - " + "north " * 1000}] * 10,
            "60,110 characters to read: at most 10,000",
        ),
    ],
)
def test_what_would_take_too_long_is_not_begun(orders, said):
    params = {**POSITION, "orders": orders, "ruleset": {"choices": {"4.E.2": "set-matching"}}}
    error = ask("adjudicate", params)["error"]
    assert error["code"] == -32004
    assert said in error["message"]


def test_as_many_orders_as_may_be_are_adjudicated():
    params = {**POSITION, "orders": [UNCLEAR] * 12 + [{"power": "ENGLAND", "text": "A London H"}] * 488}
    assert len(ask("adjudicate", params)["result"]["orders"]) == 500


def test_a_choice_that_it_does_not_play_is_not_supported(monkeypatch):
    monkeypatch.setattr("datc.adapters.builtin.adjudicate", Mock(side_effect=UnplayedChoiceError("nobody plays that")))
    assert ask("adjudicate", POSITION)["error"] == {"code": -32004, "message": "nobody plays that"}
    with pytest.raises(UnsupportedError, match="^nobody plays that$"):
        _ = BuiltinEngine().adjudicate(AdjudicateParams(phase="movement", units=[]))


def test_one_that_is_closed_answers_no_more():
    engine = BuiltinEngine()
    engine.close()
    with pytest.raises(EngineClosedError):
        _ = engine.adjudicate(AdjudicateParams(phase="movement", units=[]))
    with pytest.raises(EngineClosedError):
        _ = engine.call("adjudicate", POSITION)
    with pytest.raises(EngineClosedError):
        _ = engine.start()


def test_what_goes_wrong_inside_is_an_internal_error(monkeypatch):
    monkeypatch.setattr("datc.adapters.builtin.adjudicate", Mock(side_effect=KeyError("\ud800")))
    response = msgspec.json.decode(respond(rpc("adjudicate", POSITION)))
    assert response["error"]["code"] == -32603
    assert response["error"]["message"].startswith("KeyError: ")


def test_it_serves_until_the_requests_end_and_leaves_out_blank_lines():
    responses = io.BytesIO()
    serve(io.BytesIO(b'\n  \nnonsense\r\n{"jsonrpc":"2.0","id":1,"method":"resign","params":{}}'), responses)
    codes = [msgspec.json.decode(line)["error"]["code"] for line in responses.getvalue().splitlines()]
    assert codes == [-32700, -32601]


@given(st.binary())
def test_any_bytes_get_a_response(line):
    _ = answer(line)


@given(json_values)
def test_any_json_gets_a_response(value):
    _ = answer(msgspec.json.encode(value))


FIELDS: dict[str, st.SearchStrategy[Json]] = {
    "map": st.just("standard") | json_values,
    "phase": st.sampled_from(PHASES) | json_values,
    "year": json_values,
    "ruleset": json_values,
    "units": st.just([]) | json_values,
    "centers": json_values,
    "dislodged": st.just([]) | json_values,
    "orders": st.just([]) | json_values,
    "state": json_values,
    "protocol": json_values,
}


@given(st.sampled_from(["initialize", "adjudicate", "resign"]), st.fixed_dictionaries({}, optional=FIELDS))
def test_any_parameters_get_a_response(method, params):
    _ = ask(method, params)


power = st.sampled_from(POWERS)
anyone = st.sampled_from((*POWERS, "SPAIN", ""))
units = unit_lists(most=6).map(unit_messages) | st.lists(
    st.builds(UnitMessage, power=power, type=st.sampled_from(UNIT_TYPES), location=locations), max_size=5
)
writings = st.none() | any_order(locations | st.text(max_size=4)) | st.builds(Proxy, ordered_units(), anyone)
texts = st.sampled_from(["A London - Wales", "F Nth C A Lon - Nwy", "A Liv - No", "A Lon - Oz"]) | st.text(max_size=30)
submitted = st.builds(Submitted, anyone, writings, st.integers(1, 3), st.booleans())
marks = st.sampled_from(["replaces", "extends"])
issues = ("4.D.1", "4.D.2", "4.D.3", "4.E.2", "4.E.3", "4.E.4", "4.E.5", "4.E.6")
choices = st.fixed_dictionaries({}, optional={issue: st.sampled_from(ISSUES[issue].choices) for issue in issues})
dutchmen = st.builds(FlyingDutchmanMessage, power=power, candidates=st.lists(locations, max_size=2))


@given(
    st.builds(
        AdjudicateParams,
        phase=st.sampled_from(PHASES),
        units=units,
        orders=st.lists(st.builds(given_order_message, submitted, texts), max_size=5),
        order_sets=st.lists(
            st.builds(OrderSetMessage, power=power, order_set=st.integers(1, 3), mark=marks), max_size=2
        ),
        sets_in_sequence=st.booleans(),
        ruleset=st.builds(RulesetMessage, choices=choices),
        flying_dutchmen=st.lists(dutchmen, max_size=1),
        centers=st.dictionaries(power, st.lists(locations, max_size=1), max_size=3),
    )
)
def test_the_oddest_orders_are_adjudicated_or_refused(params):
    refusal = ""
    result = None
    try:
        result = BuiltinEngine().adjudicate(params)
    except EngineFailure as error:
        refusal = str(error)
    response = ask("adjudicate", params)
    if result is None:
        assert response["error"] == {"code": -32602, "message": refusal}
    else:
        assert len(response["result"]["orders"]) == len(params.orders)
        assert msgspec.convert(response["result"], AdjudicateResult) == result


def test_through_a_process_it_answers_as_it_does_without(monkeypatch):
    monkeypatch.setattr("datc.adapters.builtin.map_names", own_map_names)  # Without those that other tests added.
    requests = [request_of(case) for section in load_suite("datc-3.1").sections for case in section.cases[:4]]
    builtin = BuiltinEngine()
    with ProcessEngine(SERVER, PATIENT) as engine:
        assert engine.start() == builtin.start()
        for request in requests:
            assert engine.adjudicate(request) == builtin.adjudicate(request)
        nowhere = [UnitMessage(power="ITALY", type="A", location="ZZZ")]
        for one in (engine, builtin):
            with pytest.raises(UnsupportedError):
                _ = one.adjudicate(AdjudicateParams(map="atlantis", phase="movement", units=[]))
            with pytest.raises(EngineFailure, match="'ZZZ' is no location"):
                _ = one.adjudicate(AdjudicateParams(phase="movement", units=nowhere))


class TestRelay:
    """What is handed on to an engine comes back as it was said."""

    @pytest.mark.parametrize("number", [7, "seven", None, -1])
    def test_an_answer_comes_back_byte_for_byte_with_the_id_that_was_asked(self, number):
        said = b'{"later": [1.50, "\\u00e9"],  "units": []}'
        response = Response(jsonrpc="2.0", id=3, result=msgspec.Raw(said))
        answered = relay(rpc("anything", {}, number), Mock(**{"call.return_value": response}))
        assert said in answered
        assert msgspec.json.decode(answered)["id"] == number

    def test_an_error_comes_back_with_all_that_it_says(self):
        said = {"code": -32000, "message": "the board \u001b is on fire", "data": {"since": [1901, None]}}
        response = read_response(msgspec.json.encode({"jsonrpc": "2.0", "id": 3, "error": said}))
        engine = Mock(**{"call.return_value": response})
        assert msgspec.json.decode(relay(rpc("adjudicate", POSITION), engine))["error"] == said

    def test_a_request_of_several_lines_is_one_to_an_engine_that_reads_lines(self):
        body = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "adjudicate", "params": POSITION}, indent=2)
        with ProcessEngine(SERVER, PATIENT) as engine:
            assert relay(body.replace("\n", "\r\n").encode(), engine) == respond(body.encode())

    @pytest.mark.parametrize("body", [b"", b"not JSON", b"[]", b'{"jsonrpc":"2.0","id":1,"method":"x"}'])
    def test_what_is_no_request_is_not_handed_on(self, body):
        engine = Mock()
        assert relay(body, engine) == respond(body)
        engine.call.assert_not_called()

    @pytest.mark.parametrize(
        ("error", "message"),
        [
            (EngineFailure("gave no answer within 10 s"), "the engine gave no answer within 10 s"),
            (EngineGaveOutError("the engine broke down 3 times"), "the engine broke down 3 times"),
            (ZeroDivisionError("by zero"), "ZeroDivisionError: by zero"),
        ],
    )
    def test_where_there_is_no_answer_the_error_says_why(self, error, message):
        engine = Mock(**{"call.side_effect": error})
        answered = msgspec.json.decode(relay(rpc("adjudicate", POSITION), engine))
        assert answered == {"jsonrpc": "2.0", "id": 7, "error": {"code": -32603, "message": message}}


def read(line: bytes) -> None:
    """Read a line as both kinds of answer: whatever it is, only errors of the adapters come out, and fit to print."""
    for take in (read_initialize_result, partial(read_adjudicate_result, params=fakes.ask())):
        reason = ""
        try:
            _ = take(read_response(line))
        except (EngineFailure, UnsupportedError) as failure:
            reason = str(failure)
        assert reason.isprintable()
        assert len(reason) < 500


@given(st.binary())
@example(b'{"jsonrpc":"2.0","id":"\xff","result":{}}')
@example(b'{"jsonrpc":"2.0","id":1,"result":{"units":[{"power":"\xff","type":"A","location":"LON"}]}}')
@example(b'{"jsonrpc":"2.0","id":1,"result":{"units":[],"state":"\\ud800"}}')
@example(b'{"jsonrpc":"2.0","id":1,"result":{"protocol":' + b"9" * 5000 + b"}}")
@example(b'{"jsonrpc":"2.0","id":1,"result":{"protocol":12345678901234567890123,"engine":{"name":""}}}')
@example(b'{"jsonrpc":"2.0","id":1,"error":{"code":12345678901234567890123}}')
@example(b'{"jsonrpc":"2.0","id":1e999,"result":{}}')
@example(b'{"jsonrpc":"' + b"x" * 5000 + b'","id":1,"result":{}}')
def test_any_bytes_are_an_answer_or_a_failure(line):
    read(line)


@given(responses)
def test_any_response_is_an_answer_or_a_failure(response):
    read(msgspec.json.encode(response))


@given(responses, st.data())
def test_a_response_with_a_wrong_byte_is_an_answer_or_a_failure(response, data):
    line = bytearray(msgspec.json.encode(response))
    line[data.draw(st.integers(0, len(line) - 1))] = data.draw(st.integers(0, 255))
    read(bytes(line))


def test_fields_that_nobody_knows_are_left_alone():
    line = b'{"jsonrpc":"2.0","id":1,"result":{"units":[],"later":{"x":[1]}},"trace":"abc"}'
    assert read_adjudicate_result(read_response(line), fakes.ask()).units == []


@pytest.mark.parametrize("count", [0, 1, 2])
def test_order_results_are_one_for_each_order(count):
    result = {"units": [], "orders": [None] * count}
    response = read_response(msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "result": result}))
    wrong = pytest.raises(EngineFailure, match=f"^answered {count} order results to 1 orders$")
    with nullcontext() if count == 1 else wrong:
        assert read_adjudicate_result(response, fakes.ask()).orders == [None]
