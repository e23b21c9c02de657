"""A small game, written by hand, and what can be false in it."""

import copy
import json
from typing import Any


def _units(text):
    """The units of a text such as `FRANCE A PAR, ITALY A ROM`."""
    return [unit.split() for unit in text.split(", ")]


UNITS = _units("AUSTRIA A TYR, FRANCE A MAR, FRANCE A PAR, GERMANY A BOH, GERMANY A MUN")
AFTER = _units("FRANCE A BUR, FRANCE A MAR, GERMANY A BOH, GERMANY A TYR")
RETREATED = [["AUSTRIA", "A", "VIE"], *AFTER]
OPEN = ["PIE", "TRI", "VEN", "VIE"]
CENTERS = {"AUSTRIA": ["VIE"], "FRANCE": ["PAR"], "GERMANY": ["BER", "KIE", "MUN"]}
ADJUSTED = _units("AUSTRIA A VIE, FRANCE A BUR, GERMANY A BER, GERMANY A BOH, GERMANY A TYR")
MOVEMENT = {
    "phase": "movement",
    "units": UNITS,
    "orders": [
        ["AUSTRIA", "A TYR H"],
        ["FRANCE", "A MAR S A PAR - BUR"],
        ["FRANCE", "A PAR - BUR"],
        ["GERMANY", "A BOH S A MUN - TYR"],
        ["GERMANY", "A MUN - TYR"],
    ],
    "after_units": AFTER,
    "after_dislodged": {"TYR": {"power": "AUSTRIA", "type": "A", "retreats": OPEN}},
    "outcomes": ["fails", "succeeds", "succeeds", "succeeds", "succeeds"],
}
RETREAT = {
    "phase": "retreat",
    "units": AFTER,
    "dislodged": {"TYR": {"power": "AUSTRIA", "type": "A", "retreats": None}},
    "orders": [["AUSTRIA", "A TYR R VIE"]],
    "after_units": RETREATED,
}
ADJUSTMENT = {
    "phase": "adjustment",
    "units": RETREATED,
    "centers": CENTERS,
    "orders": [["GERMANY", "A BER B"], ["FRANCE", "A MAR D"]],
    "after_units": ADJUSTED,
}
VIA = {
    "phase": "movement",
    "units": _units("FRANCE A MAR, ITALY A ROM"),
    "orders": [["FRANCE", "A MAR - SPA VIA"], ["ITALY", "A ROM H"]],
    "after_units": _units("FRANCE A SPA, ITALY A ROM"),
    "after_dislodged": {},
}
"""It walks, as under 4.A.3 with a fall-back."""


def game(name: str = "g/1") -> list[dict[str, Any]]:
    """The phases of an autumn that is right."""
    phases = [("F1901M", MOVEMENT), ("F1901R", RETREAT), ("W1901A", ADJUSTMENT)]
    return [{"id": f"{name}/{phase}", **copy.deepcopy(line)} for phase, line in phases]


def many(count, *, via=True):
    """So many games, each with or without a movement that another ruleset explains."""
    walks = [[{"id": f"v/{number}/S1901M", **VIA}] if via else [] for number in range(count)]
    return [line for number in range(count) for line in (*walks[number], *game(f"g/{number}"))]


def write(path, lines):
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    _ = path.write_text(text + "\n", encoding="utf-8")
    return path


def _change(at, old, new=""):
    """Put other units, or none, in the place of one after a phase."""

    def change(phases):
        phases[at]["after_units"].remove(old.split())
        phases[at]["after_units"] += _units(new) if new else []

    return change


def _retreats(retreats):
    def change(phases):
        phases[0]["after_dislodged"]["TYR"]["retreats"] = retreats

    return change


def _lose(phases):
    phases[0]["after_dislodged"] = {}


def _dislodge_two(phases):
    _change(0, "FRANCE A MAR")(phases)
    phases[0]["after_dislodged"]["MAR"] = {"power": "FRANCE", "type": "A", "retreats": ["GAS"]}


def _fail(phases):
    phases[0]["outcomes"][1] = "fails"


CHANGED = """
a unit is lost | 0 | FRANCE A BUR | | France A Burgundy should be on the board, but is not
a unit is elsewhere | 0 | FRANCE A BUR | FRANCE A PAR | France A Paris should not be on the board, but is
a unit from nowhere | 0 | FRANCE A BUR | FRANCE A BUR, ITALY A ROM | impossible board: Italy A Rome comes from nowhere
two units in one province | 0 | FRANCE A BUR | FRANCE A MAR | impossible board: France A Marseilles is listed 2 times
a retreat that is made | 1 | AUSTRIA A VIE | AUSTRIA A TRI | Austria A Trieste should not be on the board, but is
a build | 2 | GERMANY A BER | | Germany A Berlin should be on the board, but is not
a removal | 2 | FRANCE A BUR | FRANCE A MAR | France A Marseilles should not be on the board, but is
"""
"""Units that are replaced by others after a phase."""
FALSE = {
    **{
        what: (int(at), _change(int(at), old, new), sentence)
        for what, at, old, new, sentence in (map(str.strip, row.split("|")) for row in CHANGED.strip().splitlines())
    },
    "a dislodged unit is not said to be one": (0, _lose, "Austria A Tyrolia should be dislodged, but is not"),
    "a unit is dislodged that is not": (0, _dislodge_two, "France A Marseilles should not be dislodged, but is"),
    "a retreat too many": (0, _retreats([*OPEN, "MUN"]), "the unit dislodged from Tyrolia may not retreat to Munich"),
    "a retreat too few": (0, _retreats(OPEN[:3]), "the unit dislodged from Tyrolia may retreat to Vienna"),
    "an outcome": (0, _fail, "'A Marseilles Supports A Paris - Burgundy' succeeds, but the archive says that it fails"),
}
"""What is false: in which phase, how it gets there, and a sentence that says so."""
