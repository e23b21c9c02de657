"""The reference engine with one bug, as an engine over stdio: `buggy.py BUG`."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NoReturn

import msgspec

from datc.adapters.builtin import Reference, serve
from datc.adapters.protocol import (
    AdjudicateParams,
    AdjudicateResult,
    GivenOrderMessage,
    MoveMessage,
)
from datc.cases import load_suite
from datc.reference_engine import DATC_3_1


class Buggy(Reference, frozen=True):
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
        asked.append(params)
        if self.bug in _FORGETS:
            forgets, kind = _FORGETS[self.bug]
            if forgets(params):
                params = msgspec.structs.replace(params, orders=[_unread(each, kind) for each in params.orders])
        if self.bug == "tyrolia":
            params = msgspec.structs.replace(params, orders=list(map(_to_tyrolia, params.orders)))
        answer = super().adjudicate(params)
        if self.bug == "mixed-up":  # It retreats what its last movement dislodged, of whichever game.
            if params.phase == "retreat" and {unit.location for unit in params.dislodged} != dislodged:
                return AdjudicateResult(units=params.units)
            dislodged.clear()
            dislodged.update(unit.location for unit in answer.dislodged or [])
        return answer


@cache
def _places_of_6d() -> set[str]:
    """The places of the cases in section 6.D; only the engine that is fitted to them loads the suite."""
    cases = [case for case in load_suite("datc-3.2").cases if case.section == "6.D"]
    return {unit.location for case in cases if (position := case.phases[0].position) for unit in position.units}


asked: list[AdjudicateParams] = []
dislodged: set[str] = set()
_FORGETS: Mapping[str, tuple[Callable[[AdjudicateParams], bool], str]] = {
    "state": (lambda _: len(asked) >= 50, "support"),
    "flaky": (lambda _: len(asked) % 7 == 0, "support"),
    "after-moves": (lambda _: any(_is_a(order, "move") for each in asked[-2:-1] for order in each.orders), "support"),
    "autumn": (lambda params: params.season == "autumn", "convoy"),
    "late-builds": (lambda params: params.year >= 1905, "build"),
    "crowded": (lambda params: len(params.units) > 22, "move"),
    "listed": (
        lambda params: len(params.units) > 1 and params.units[0].location > params.units[1].location,
        "support",
    ),
    "fitted": (lambda params: not {unit.location for unit in params.units} <= _places_of_6d(), "support"),
}
"""When an engine forgets which kind of orders."""


def _unread(order: GivenOrderMessage, kind: str) -> GivenOrderMessage:
    return GivenOrderMessage(power=order.power, text="") if _is_a(order, kind) else order


def _to_tyrolia(order: GivenOrderMessage) -> GivenOrderMessage:
    """Read `TYS` as Tyrolia."""
    if isinstance(order.order, MoveMessage) and order.text.endswith("- TYS"):
        return msgspec.structs.replace(order, order=msgspec.structs.replace(order.order, to="TYR"))
    return order


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
