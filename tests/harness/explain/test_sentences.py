"""Each sentence of `datc-check explain` about a movement phase, held to a position in which it is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given

from datc.harness.cli.group import cli
from datc.harness.explain.movement import explain_orders
from datc.harness.explain.words import unit_words
from datc.reference_engine import DATC_3_1, write_order
from datc.reference_engine.explanation import explain_movement
from datc.reference_engine.toml import loads

from ...strategies import Situation, situations


def explained(orders: str, *options: str) -> str:
    done = CliRunner().invoke(cli, ["explain", "-", "--ruleset", "datc-3.2", *options], input=orders)
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def choice(text: str) -> tuple[str, ...]:
    return tuple(part for each in text.split() for part in ("--choice", each))


POSITIONS = loads(Path(__file__).with_name("sentences.toml").read_text("utf-8"))["position"]


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position["says"][0])
def test_the_sentences_about_a_position(position) -> None:
    told = explained(position["orders"], *choice(position.get("choices", "")))
    assert [sentence for sentence in position["says"] if sentence not in told] == []


_DISLODGED = re.compile(r"([AF] [\w. ()]+?) is dislodged")


@given(situations())
def test_sentences_say_of_generated_positions_what_happened_there(situation: Situation) -> None:
    position, orders = situation
    explained = explain_movement(position, orders, DATC_3_1)
    dislodged = {unit_words(entry.unit) for entry in explained.adjudication.dislodged}
    texts = [write_order(order, "names") if order is not None else "?" for _, order in orders]
    for order in explain_orders(explained, texts):
        assert order.sentences or order.reason is None
        assert {name for sentence in order.sentences for name in _DISLODGED.findall(sentence)} <= dislodged
        said = [sentence.partition(" ")[0] for sentence in order.sentences]
        assert ("cut" in said) == (order.reason == "cut")
        assert "void:" not in said or order.reason == "void"
        if order.reason == "bounced":
            assert any(sentence.startswith(("strength", "no attack")) for sentence in order.sentences)
        if order.reason in {"no-path", "disrupted"}:
            assert not any(sentence.startswith(("path:", "strength")) for sentence in order.sentences)
