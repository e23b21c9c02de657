"""The rules of Diplomacy: board, orders, notation, rulesets and adjudication.

>>> from datc.reference_engine import GivenOrder, adjudicate, read_order, start_position
>>> orders = [GivenOrder("RUSSIA", read_order("F Sev - Black Sea").order)]
>>> adjudicate(start_position(), orders).orders[0].outcome
'succeeds'
"""

from .adjudication import adjudicate
from .batches import adjudicate_all
from .board import Board, Power, Province, province_code, standard_board
from .errors import (
    AmbiguousNameError,
    DatcCheckError,
    NotationError,
    PositionError,
    ProcessError,
    ReferenceEngineError,
    RulesetError,
    UnknownProcedureError,
    UnplayedChoiceError,
    nearest,
    printable,
)
from .notation import Reading, read_location, read_order, read_unit, read_writing, write_order
from .orders import (
    PHASES,
    Build,
    Convoy,
    Disband,
    GivenOrder,
    Hold,
    Move,
    Order,
    Phase,
    Proxy,
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
    Unclear,
    Waive,
    Writing,
)
from .position import REASONS, Adjudication, Dislodged, FlyingDutchman, OrderResult, Position, Reason, start_position
from .procedures import EQUATIONS, PROCEDURES, AdjudicatePhase, Procedure, find_procedure
from .retreats import open_retreats
from .rulesets import DATC_3_1, DATC_3_2, ISSUES, Issue, Ruleset, check_choice, ruleset
from .submissions import Mark, Submission, Submitted
from .units import OrderedUnit, Unit, UnitType

__all__ = [
    "DATC_3_1",
    "DATC_3_2",
    "EQUATIONS",
    "ISSUES",
    "PHASES",
    "PROCEDURES",
    "REASONS",
    "AdjudicatePhase",
    "Adjudication",
    "AmbiguousNameError",
    "Board",
    "Build",
    "Convoy",
    "DatcCheckError",
    "Disband",
    "Dislodged",
    "FlyingDutchman",
    "GivenOrder",
    "Hold",
    "Issue",
    "Mark",
    "Move",
    "NotationError",
    "Order",
    "OrderResult",
    "OrderedUnit",
    "Phase",
    "Position",
    "PositionError",
    "Power",
    "Procedure",
    "ProcessError",
    "Province",
    "Proxy",
    "Reading",
    "Reason",
    "ReferenceEngineError",
    "Remove",
    "Retreat",
    "Ruleset",
    "RulesetError",
    "Submission",
    "Submitted",
    "SupportHold",
    "SupportMove",
    "Unclear",
    "Unit",
    "UnitType",
    "UnknownProcedureError",
    "UnplayedChoiceError",
    "Waive",
    "Writing",
    "adjudicate",
    "adjudicate_all",
    "check_choice",
    "find_procedure",
    "nearest",
    "open_retreats",
    "printable",
    "province_code",
    "read_location",
    "read_order",
    "read_unit",
    "read_writing",
    "ruleset",
    "standard_board",
    "start_position",
    "write_order",
]
