"""What an adjudication made of a position: the board after the phase, and the outcome of every order."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from .orders import Unit
from .position import Dislodged

Reason: TypeAlias = Literal[
    "bounced", "cut", "dislodged", "disrupted", "no-path", "illegal", "void", "ignored", "disbanded"
]
"""Why an order failed."""
REASONS: tuple[Reason, ...] = (
    "bounced",
    "cut",
    "dislodged",
    "disrupted",
    "no-path",
    "illegal",
    "void",
    "ignored",
    "disbanded",
)
"""Every `Reason`."""


class OrderResult(NamedTuple):
    """What came of an order: it failed for a reason, or succeeded (`None`)."""

    reason: Reason | None = None

    @property
    def outcome(self) -> Literal["succeeds", "fails"]:
        """The result as a word."""
        return "succeeds" if self.reason is None else "fails"


SUCCEEDED = OrderResult()
BOUNCED = OrderResult("bounced")
CUT = OrderResult("cut")
DISLODGED = OrderResult("dislodged")
DISRUPTED = OrderResult("disrupted")
NO_PATH = OrderResult("no-path")
ILLEGAL = OrderResult("illegal")
VOID = OrderResult("void")
IGNORED = OrderResult("ignored")


class Adjudication(NamedTuple):
    """The result of a phase."""

    units: tuple[Unit, ...]
    """What stands on the board afterwards, without the dislodged units."""
    dislodged: tuple[Dislodged, ...]
    """The units that a movement phase dislodged, with their retreats; a unit without one is listed too."""
    orders: tuple[OrderResult, ...]
    """One result for each order given, in the order given."""
    contested: frozenset[str] = frozenset()
    """The provinces left vacant by a standoff."""
