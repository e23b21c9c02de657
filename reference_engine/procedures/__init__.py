"""Other ways to adjudicate than the default one, each written from its document."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from ..errors import UnknownProcedureError, nearest
from ..procedure import Procedure

PROCEDURES: Mapping[str, str] = {
    "decisions": "DATC 2.4, chapter 5: eight types of decisions, and the smallest dependency list of a paradox",
    "guess": "DATC 3.1, section 5.F: the guess algorithm",
    "dpjudge": "the ten steps of the DPjudge",
    "dptg": "the twenty steps of the Diplomacy Player's Technical Guide, chapter VIII",
}
"""Their names, and what each is. Each is a module here, imported where it is asked for, with a `PROCEDURE`."""


def find_procedure(name: str) -> Procedure:
    """Look up a procedure by its name. Raises `UnknownProcedureError`."""
    if name not in PROCEDURES:
        raise UnknownProcedureError(f"there is no procedure {name!r}{nearest(name, tuple(PROCEDURES))}")
    procedure: Procedure = import_module(f".{name}", __package__).PROCEDURE
    return procedure
