"""The reference engine with one bug, as an engine over stdio: `buggy.py BUG`."""

from __future__ import annotations

import os
import sys

import msgspec

from datc.adapters.builtin import Reference
from datc.adapters.protocol import AdjudicateParams, AdjudicateResult, GivenOrderMessage
from datc.adapters.server import serve
from datc.reference_engine import DATC_3_1


class Buggy(Reference):
    """Answers as the reference, but for its bug."""

    bug: str = ""

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        if self.bug == "crash" and any("SIL" in order.text for order in params.orders):
            os._exit(3)
        if self.bug == "border":
            params = msgspec.structs.replace(params, orders=list(map(_without_border, params.orders)))
        return super().adjudicate(params)


def _without_border(order: GivenOrderMessage) -> GivenOrderMessage:
    """Forget that Galicia borders Silesia."""
    if order.text in ("A GAL - SIL", "A SIL - GAL"):
        return GivenOrderMessage(power=order.power, text=order.text.replace(" - ", " H # "))
    return order


def main() -> None:
    """Serve until the input ends."""
    engine = Buggy(DATC_3_1)
    object.__setattr__(engine, "bug", sys.argv[1])
    serve(sys.stdin.buffer, sys.stdout.buffer, engine)


if __name__ == "__main__":
    main()
