"""The rules of Diplomacy: board, orders, notation, rulesets and adjudication.

>>> from datc.reference_engine import GivenOrder, adjudicate, read_order, start_position
>>> orders = [GivenOrder("RUSSIA", read_order("F Sev - Black Sea").order)]
>>> adjudicate(start_position(), orders).orders[0].outcome
'succeeds'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .adjudication import adjudicate, adjudicate_all
    from .board import Board, OrderedUnit, Unit, UnitType, province_code
    from .errors import DatcCheckError, NotationError, PositionError, RulesetError
    from .game import Turn, legal_orders
    from .maps import standard_board
    from .notation import read_order, write_order
    from .order_sets import Submission, Submitted
    from .orders import (
        Build,
        Convoy,
        Disband,
        GivenOrder,
        Hold,
        Move,
        Order,
        Phase,
        Remove,
        Retreat,
        SupportHold,
        SupportMove,
        Waive,
    )
    from .position import Adjudication, Dislodged, OrderResult, Position, Reason, start_position
    from .procedures import PROCEDURES, Procedure, find_procedure
    from .rulesets import DATC_3_1, DATC_3_2, EVERY_ISSUE, ISSUES, Ruleset, ruleset

__all__ = [
    "DATC_3_1",
    "DATC_3_2",
    "EVERY_ISSUE",
    "ISSUES",
    "PROCEDURES",
    "Adjudication",
    "Board",
    "Build",
    "Convoy",
    "DatcCheckError",
    "Disband",
    "Dislodged",
    "GivenOrder",
    "Hold",
    "Move",
    "NotationError",
    "Order",
    "OrderResult",
    "OrderedUnit",
    "Phase",
    "Position",
    "PositionError",
    "Procedure",
    "Reason",
    "Remove",
    "Retreat",
    "Ruleset",
    "RulesetError",
    "Submission",
    "Submitted",
    "SupportHold",
    "SupportMove",
    "Turn",
    "Unit",
    "UnitType",
    "Waive",
    "adjudicate",
    "adjudicate_all",
    "find_procedure",
    "legal_orders",
    "province_code",
    "read_order",
    "ruleset",
    "standard_board",
    "start_position",
    "write_order",
]

if not TYPE_CHECKING:
    from .lazy import lazy_names

    __getattr__, __dir__ = lazy_names(
        __name__, __all__, "errors board orders rulesets maps position notation order_sets adjudication procedures game"
    )
