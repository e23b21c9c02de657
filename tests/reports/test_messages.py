"""The request and the answer that a reader can copy from a page are messages of the protocol."""

from __future__ import annotations

import msgspec

from datc.adapters.protocol import AdjudicateParams, AdjudicateResult, OrderResultMessage
from datc.reports.messages import answer_text, request_text

from . import samples


def test_the_request_is_one_of_the_protocol() -> None:
    report = samples.every_verdict()
    (phase,) = report.cases[2].phases
    orders = [msgspec.structs.replace(order, place="set 2") for order in phase.orders]
    again = msgspec.structs.replace(phase, orders=[*orders[:1], *phase.orders[1:]])
    params = msgspec.json.decode(request_text(again, report.ruleset).unescape(), type=AdjudicateParams)
    assert (params.phase, params.season, params.year) == ("movement", "spring", 1901)
    assert params.ruleset.choices == report.ruleset.choices
    assert [(unit.power, unit.type, unit.location) for unit in params.units][2] == ("FRANCE", "F", "ENG")
    assert [order.text for order in params.orders] == [order.text for order in phase.orders]
    assert [order.order_set for order in params.orders] == [2, 1, 1]


def test_the_answer_is_one_of_the_protocol_with_null_for_an_order_without_an_outcome() -> None:
    (phase,) = samples.every_verdict().cases[2].phases
    assert phase.answer is not None
    result = msgspec.json.decode(answer_text(phase.answer, phase).unescape(), type=AdjudicateResult)
    assert result.orders == [OrderResultMessage(outcome="fails", reason="no-path"), None, None]
    assert result.dislodged is not None
    assert (result.dislodged[0].from_, result.dislodged[0].retreats) == ("MAO", ["IRI", "WAL"])
