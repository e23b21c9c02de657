"""Orders as values."""

from __future__ import annotations

import pickle

import pytest

from datc.reference_engine import Convoy, Hold, Move, OrderedUnit, Waive
from datc.reference_engine.orders import Proxy, Unclear

ARMY, FLEET = OrderedUnit("LON", "A"), OrderedUnit("NTH", "F")


@pytest.mark.parametrize(
    "written",
    [
        Move(ARMY, "NWY", via_convoy=True, path=("NTH",)),
        Convoy(FLEET, ARMY, "NWY"),
        Waive(),
        Proxy(ARMY, "FRANCE"),
        Unclear((Hold(ARMY), Hold(FLEET))),
    ],
)
def test_what_is_written_can_be_sent_to_another_process(written: object) -> None:
    assert pickle.loads(pickle.dumps(written)) == written  # noqa: S301 - made a line above
