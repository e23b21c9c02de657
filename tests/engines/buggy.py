"""The reference engine with one bug, as an engine over stdio: `buggy.py BUG`."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import msgspec

from datc.adapters.builtin import Reference, serve
from datc.adapters.protocol import AdjudicateParams, AdjudicateResult, GivenOrderMessage
from datc.reference_engine import DATC_3_1


@dataclass(frozen=True)
class Buggy(Reference):
    """Answers as the reference, but for its bug."""

    bug: str = ""

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        if self.bug == "crash" and any("SIL" in order.text for order in params.orders):
            os._exit(3)
        if self.bug == "silent" and any(_is_a(order, "support", "convoy") for order in params.orders):
            os._exit(3)  # Crashes in two ways, and says nothing.
        if self.bug == "loud":  # Crashes in two ways, and says which.
            moves = [order for order in params.orders if _is_a(order, "move")]
            if len(moves) != len({order.text.rpartition(" ")[2] for order in moves}):
                _fail(f"File /opt/engine-{os.getpid()}/board.py, line {len(moves)}: KeyError: {moves[0].text!r}")
            if any(_is_a(order, "convoy") for order in params.orders):
                _fail(f"IndexError: no route {len(moves)} of 0x{id(moves):x}")
        if self.bug == "first-come":
            params = msgspec.structs.replace(params, orders=_first_come(params.orders))
        if self.bug == "border":
            params = msgspec.structs.replace(params, orders=list(map(_without_border, params.orders)))
        return super().adjudicate(params)


def _is_a(order: GivenOrderMessage, *kinds: str) -> bool:
    return order.order is not None and str(order.order.__struct_config__.tag).startswith(kinds)


def _fail(text: str) -> NoReturn:
    _ = sys.stderr.write(f"Traceback (most recent call last):\n{text}\n")
    _ = sys.stderr.flush()
    os._exit(1)


def _first_come(orders: Sequence[GivenOrderMessage]) -> list[GivenOrderMessage]:
    """Forget all moves to a province but the first."""
    seen: set[str] = set()
    kept: list[GivenOrderMessage] = []
    for order in orders:
        to = order.text.rpartition(" ")[2] if _is_a(order, "move") else ""
        kept.append(
            GivenOrderMessage(power=order.power, text=order.text.partition(" - ")[0] + " H") if to in seen else order
        )
        seen |= {to} - {""}
    return kept


def _without_border(order: GivenOrderMessage) -> GivenOrderMessage:
    """Forget that Galicia borders Silesia."""
    if order.text in ("A GAL - SIL", "A SIL - GAL"):
        return GivenOrderMessage(power=order.power, text=order.text.replace(" - ", " H # "))
    return order


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer, Buggy(DATC_3_1, bug=sys.argv[1]))
