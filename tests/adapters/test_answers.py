from contextlib import nullcontext
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from datc.adapters import EngineFailure, UnsupportedError
from datc.adapters.engine import read_adjudicate_result, read_initialize_result, read_response

from .fakes import ask

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
units = st.just([{"power": "ENGLAND", "type": "A", "location": "LON"}])
results = st.fixed_dictionaries(
    {"units": units | json_values},
    optional={
        "dislodged": units | json_values,
        "orders": st.just([None]) | st.just([{"outcome": "fails", "reason": "bounced"}]) | json_values,
        "state": json_values,
        "protocol": st.just(1) | json_values,
        "engine": st.just({"name": "x"}) | json_values,
        "capabilities": st.just({"phases": ["movement"]}) | json_values,
    },
)
errors = st.fixed_dictionaries({}, optional={"code": st.integers() | json_values, "message": st.text() | json_values})
responses = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "id": st.integers() | json_values},
    optional={"result": results | json_values, "error": errors | json_values},
)


def read(line: bytes) -> None:
    """Read a line as both kinds of answer: whatever it is, only errors of the adapters come out, and fit to print."""
    for method in ("initialize", "adjudicate"):
        reason = ""
        try:
            response = read_response(line)
            _ = read_initialize_result(response) if method == "initialize" else read_adjudicate_result(response, ask())
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
    assert read_adjudicate_result(read_response(line), ask()).units == []


@pytest.mark.parametrize("count", [0, 1, 2])
def test_order_results_are_one_for_each_order(count):
    result = {"units": [], "orders": [None] * count}
    response = read_response(msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "result": result}))
    wrong = pytest.raises(EngineFailure, match=f"^answered {count} order results to 1 orders$")
    with nullcontext() if count == 1 else wrong:
        assert read_adjudicate_result(response, ask()).orders == [None]
