"""The request and the answer that a reader can copy from a page are messages of the protocol."""

from __future__ import annotations

import msgspec

from datc.adapters.conversion import read_submission
from datc.adapters.protocol import AdjudicateParams, AdjudicateResult, OrderResultMessage
from datc.cases import load_suite
from datc.harness.play.report_data import order_set_data
from datc.reports.html_cases import answer_text, request_text
from datc.reports.report import OrderData, PhaseData

from . import samples


def params_of(phase: PhaseData) -> AdjudicateParams:
    return msgspec.json.decode(request_text(phase, samples.every_verdict().ruleset).unescape(), type=AdjudicateParams)


def test_the_request_is_one_of_the_protocol() -> None:
    (phase,) = samples.every_verdict().cases[2].phases
    params = params_of(phase)
    assert (params.phase, params.season, params.year) == ("movement", "spring", 1901)
    assert params.ruleset.choices == samples.every_verdict().ruleset.choices
    assert [(unit.power, unit.type, unit.location) for unit in params.units][2] == ("FRANCE", "F", "ENG")
    assert [order.text for order in params.orders] == [order.text for order in phase.orders]


def test_the_request_has_the_order_sets_of_a_case() -> None:
    (sample,) = samples.every_verdict().cases[2].phases
    phases = [phase for case in load_suite("extended").cases for phase in case.phases]
    assert any(phase.marks for phase in phases)
    assert not all(phase.in_sequence for phase in phases)
    for phase in phases:
        orders = [
            OrderData(power=each.power, text=each.text, order_set=order_set_data(phase, each)) for each in phase.orders
        ]
        submission = read_submission(params_of(msgspec.structs.replace(sample, orders=orders)))
        assert (submission.marks, submission.in_sequence) == (phase.marks, phase.in_sequence)
        for said, order in zip(submission.writings, phase.orders, strict=True):
            assert said.order_set == order.submitted.order_set
            assert said.beforehand == order.submitted.beforehand


def test_the_answer_is_one_of_the_protocol_with_null_for_an_order_without_an_outcome() -> None:
    (phase,) = samples.every_verdict().cases[2].phases
    assert phase.answer is not None
    result = msgspec.json.decode(answer_text(phase.answer, phase).unescape(), type=AdjudicateResult)
    assert result.orders == [OrderResultMessage(outcome="fails", reason="no-path"), None, None]
    assert result.dislodged is not None
    assert (result.dislodged[0].from_, result.dislodged[0].retreats) == ("MAO", ["IRI", "WAL"])
