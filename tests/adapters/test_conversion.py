import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from datc.adapters import AdjudicateParams, AdjudicateResult, conversion, protocol, protocol_schema
from datc.adapters.builtin import BuiltinEngine, Reference
from datc.cases import load_suite
from datc.reference_engine import DATC_3_1, DATC_3_2, Submitted, adjudicate, orders
from datc.reference_engine.board import OrderedUnit
from datc.reference_engine.orders import PHASES, Order, Phase

from ..strategies import any_order, locations, situations
from .fakes import request_of

CASES = load_suite("datc-3.1").cases
LON, NTH, YOR = OrderedUnit("LON", "A"), OrderedUnit("NTH", "F", "ENGLAND"), OrderedUnit("YOR")
OF_NTH = {"location": "NTH", "type": "F", "power": "ENGLAND"}
OF_EACH_KIND: tuple[tuple[Order, Mapping[str, Any]], ...] = (
    (orders.Hold(LON), {"type": "hold"}),
    (orders.Move(LON, "BEL"), {"type": "move", "to": "BEL", "via_convoy": False}),
    (orders.Move(LON, "BEL", True, ("NTH",)), {"type": "move", "to": "BEL", "via_convoy": True, "path": ["NTH"]}),  # noqa: FBT003
    (orders.SupportHold(LON, NTH), {"type": "support", "supported": OF_NTH}),
    (orders.SupportMove(LON, NTH, "BEL"), {"type": "support", "supported": OF_NTH, "to": "BEL"}),
    (orders.Convoy(LON, YOR, "NWY"), {"type": "convoy", "convoyed": {"location": "YOR"}, "to": "NWY"}),
    (orders.Retreat(LON, "WAL"), {"type": "retreat", "to": "WAL"}),
    (orders.Disband(LON), {"type": "disband"}),
    (orders.Build(LON), {"type": "build"}),
    (orders.Remove(LON), {"type": "remove"}),
)


def submitted(message: protocol.GivenOrderMessage, phase: Phase) -> Submitted:
    """Read an order as a request has it."""
    return conversion.read_submission(AdjudicateParams(phase=phase, units=[], orders=[message])).writings[0]


@cache
def schema_of(kind: str) -> Any:
    return Draft202012Validator({**protocol_schema(), "$ref": f"#/$defs/{kind}"})


def fits(kind: str, message: object) -> bool:
    """Whether a message, as it is sent, fits the schema that the project ships."""
    return schema_of(kind).is_valid(json.loads(msgspec.json.encode(message)))


@pytest.mark.parametrize(("order", "fields"), OF_EACH_KIND)
def test_an_order_of_each_kind_has_the_documented_form(order, fields):
    assert json.loads(msgspec.json.encode(conversion.order_message(order))) == {
        **fields,
        "unit": {"location": "LON", "type": "A"},
    }
    assert conversion.read_order_message(conversion.order_message(order)) == order


def test_a_waived_build_has_no_unit():
    assert json.loads(msgspec.json.encode(conversion.order_message(orders.Waive()))) == {"type": "waive"}


@given(any_order(locations | st.text(max_size=5)), st.sampled_from(PHASES), st.text(max_size=40))
def test_every_order_fits_the_schema_and_survives_the_way_through_json(order, phase, text):
    sent = msgspec.json.encode(conversion.given_order_message(Submitted("ENGLAND", order), text))
    message = msgspec.json.decode(sent, type=protocol.GivenOrderMessage)
    assert fits("AdjudicateParams", AdjudicateParams(phase=phase, units=[], orders=[message]))
    assert message.order is not None
    assert conversion.read_order_message(message.order) == order
    assert submitted(message, phase) == Submitted("ENGLAND", order)


def test_an_order_that_was_not_read_has_only_its_text():
    message = conversion.given_order_message(Submitted("ITALY", None), "A Rome dances")
    assert json.loads(msgspec.json.encode(message)) == {"power": "ITALY", "text": "A Rome dances"}


@pytest.mark.parametrize(
    ("text", "phase", "order"),
    [
        ("A London - Belgium", "movement", orders.Move(LON, "BEL")),
        ("A London - Wales", "retreat", orders.Retreat(LON, "WAL")),
        ("Build A London", "adjustment", orders.Build(LON)),
        ("", "movement", None),
        ("A London - Atlantis", "movement", orders.Move(LON, "Atlantis")),
        ("A Lon - Wa", "movement", orders.Unclear((orders.Move(LON, "WAL"), orders.Move(LON, "WAR")))),
        ("A London proxy to France", "movement", orders.Proxy(LON, "FRANCE")),
        ("\0\ud800\x1b[31m", "movement", None),
    ],
)
def test_an_order_without_its_structure_is_read_from_its_text(text, phase, order):
    assert submitted(protocol.GivenOrderMessage(power="ENGLAND", text=text), phase) == Submitted("ENGLAND", order)


@given(st.text(max_size=400), st.sampled_from(PHASES))
def test_any_text_is_an_order_or_none(text, phase):
    assert submitted(protocol.GivenOrderMessage(power="ENGLAND", text=text), phase).power == "ENGLAND"


def test_the_structure_wins_over_the_text():
    message = conversion.given_order_message(Submitted("ENGLAND", orders.Hold(LON)), "A London - Belgium")
    assert submitted(message, "movement").writing == orders.Hold(LON)


def test_an_order_that_nobody_can_read_is_illegal():
    units = [protocol.UnitMessage(power="ENGLAND", type="A", location="LON")]
    texts = ("A London dances", "", "A London - Belgium - - Holland")
    orders = [protocol.GivenOrderMessage(power="ENGLAND", text=text) for text in texts]
    result = BuiltinEngine().adjudicate(AdjudicateParams(phase="movement", units=units, orders=orders))
    assert result.units == units
    assert result.orders == [protocol.OrderResultMessage(outcome="fails", reason="illegal")] * 3


def test_every_case_and_its_answer_fit_the_schema_and_the_text_alone_is_as_good_as_the_structure():
    engine = BuiltinEngine()
    for case in CASES:
        request = request_of(case)
        texts = [replace(order, order=None) for order in request.orders]
        structures = [replace(order, text="") if order.order else order for order in request.orders]
        answer = engine.adjudicate(request)
        assert engine.adjudicate(replace(request, orders=texts)) == answer, case.id
        assert engine.adjudicate(replace(request, orders=structures)) == answer, case.id
        assert fits("AdjudicateParams", request)
        assert fits("AdjudicateResult", answer)


@given(situations(most=12))
def test_every_position_and_answer_survive_the_way_through_json(situation):
    position, orders = situation
    adjudication = adjudicate(position, orders)
    answer = conversion.result_message(adjudication, "movement")
    assert fits("AdjudicateResult", answer)
    assert msgspec.json.decode(msgspec.json.encode(answer), type=AdjudicateResult) == answer
    request = AdjudicateParams(phase="retreat", units=answer.units, dislodged=answer.dislodged or [])
    assert fits("AdjudicateParams", request)
    read = conversion.read_position(msgspec.json.decode(msgspec.json.encode(request), type=AdjudicateParams))
    assert read.units == adjudication.units
    assert read.dislodged == adjudication.dislodged


CAN = protocol.Capabilities(phases=["movement"], maps=["standard"], orders=["text"], choices={"4.A.2": ["szykman"]})


@pytest.mark.parametrize(
    "message",
    [
        protocol.InitializeParams(protocol=1, harness=protocol.Harness(name="datc-check", version="1")),
        protocol.InitializeResult(protocol=1, engine=protocol.EngineIdentity(name="mine"), capabilities=CAN),
        Reference().identity(),
        protocol.ErrorMessage(code=-32601, message="no adjustment phase"),
        AdjudicateResult(units=[], orders=[None], state=msgspec.Raw(b'{"any":[null]}')),
        AdjudicateParams(phase="retreat", units=[], state=msgspec.Raw(b"7")),
    ],
)
def test_the_other_messages_fit_the_schema(message):
    assert fits(type(message).__name__, message)


WITHOUT_UNIT = {"phase": "movement", "units": [], "orders": [{"power": "ITALY", "order": {"type": "hold"}}]}


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("InitializeResult", {"protocol": 1}),
        ("InitializeResult", {"protocol": "1", "engine": {"name": "mine"}}),
        ("AdjudicateResult", {}),
        ("AdjudicateResult", {"units": {}}),
        ("AdjudicateResult", {"units": [{"power": "ITALY", "type": "X", "location": "ROM"}]}),
        ("AdjudicateResult", {"units": [], "orders": [{"outcome": "perhaps"}]}),
        ("AdjudicateResult", {"units": [], "orders": [{"outcome": "fails", "reason": "tired"}]}),
        ("AdjudicateResult", {"units": [], "dislodged": [{"power": "ITALY"}]}),
        ("AdjudicateParams", {"units": []}),
        ("AdjudicateParams", {"phase": "lunch", "units": []}),
        ("AdjudicateParams", {**WITHOUT_UNIT, "orders": [{"power": "ITALY", "order": {"type": "dance"}}]}),
        ("AdjudicateParams", WITHOUT_UNIT),
        ("ErrorMessage", {"message": "no code"}),
    ],
)
def test_the_schema_and_the_reader_refuse_the_same(kind, message):
    assert not fits(kind, message)
    with pytest.raises(msgspec.ValidationError):
        _ = msgspec.convert(message, getattr(protocol, kind))


def test_a_ruleset_is_read_by_its_name_and_its_choices():
    assert conversion.read_ruleset(conversion.ruleset_message(DATC_3_1)) == DATC_3_1
    assert conversion.read_ruleset(protocol.RulesetMessage()) == DATC_3_2
    mine = DATC_3_2.with_choices({"4.A.1": "any-route"})
    assert conversion.read_ruleset(conversion.ruleset_message(mine)).choices == mine.choices
    read = conversion.read_ruleset(protocol.RulesetMessage(name="house rules", choices={"4.A.1": "any-route"}))
    assert (read.name, read.choices) == ("house rules", mine.choices)
