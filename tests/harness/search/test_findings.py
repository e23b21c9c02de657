"""What docs/findings.md says of engines is what they answer."""

import random
import re
from pathlib import Path

import pytest

from datc.adapters import open_engine, parse_engine_spec
from datc.harness.play.differential import agree
from datc.harness.play.engine import EngineAdjudicator
from datc.reference_engine import DATC_3_1

from .adjudicators import REFERENCE, position_of, says

PAGE = Path(__file__).parents[3] / "docs" / "findings.md"
FINDING = re.compile(
    r"<!-- finding (?P<engine>\w+)(?:, (?P<orders>\w+) orders)? -->\n```text\n(?P<text>.*?)```", re.DOTALL
)
FINDINGS = [match.groupdict() for match in FINDING.finditer(PAGE.read_text(encoding="utf-8"))]
SHUFFLES = 40


def test_every_position_of_the_page_is_asked():
    assert len(FINDINGS) == PAGE.read_text(encoding="utf-8").count("```text") >= 12


@pytest.mark.parametrize("engine", sorted({finding["engine"] for finding in FINDINGS}))
def test_the_engine_answers_as_the_page_says(ready_bridge, engine):
    _ = ready_bridge(engine)
    spec = parse_engine_spec(engine, {})
    with open_engine(spec, spec.limits()) as opened:
        adjudicator = EngineAdjudicator(opened, opened.start().capabilities, DATC_3_1)
        for finding in (finding for finding in FINDINGS if finding["engine"] == engine):
            ordered = position_of(*finding["text"].splitlines())
            expected, orders = says(REFERENCE, ordered), ordered.orders
            assert len(ordered.units) <= 7
            if finding["orders"] is None:
                assert not agree(expected, says(adjudicator, ordered)), finding["text"]
                continue
            rng = random.Random(1)
            shuffled = [tuple(rng.sample(orders, len(orders))) for _ in range(SHUFFLES)]
            answers = [says(adjudicator, ordered._replace(orders=orders)) for orders in shuffled]
            assert len({str([one.answer for one in played]) for played in answers}) > 1
            wrong = sum(not agree(expected, answer) for answer in answers)
            assert finding["orders"] != "some" or SHUFFLES // 4 < wrong < SHUFFLES * 3 // 4
