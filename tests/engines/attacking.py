"""An engine that attacks the reports of a run: `attacking.py ATTACK`, or behind HTTP. Standard library only.

Each attack makes the result of a request; what it leaves out is as it must be.
"""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Result: TypeAlias = dict[str, Any]
Attack: TypeAlias = Callable[[dict[str, Any]], Result]

MB = 1_000_000
COMMANDS = "::error::evil ##[error]evil ##vso[task.complete]evil ##teamcity[evil] section_start:1:evil"
"""What CI services take for commands."""


def right(request: Mapping[str, Any]) -> Result:
    """Say who it is, or that nothing moves."""
    if request["method"] == "initialize":
        return {"protocol": 1, "engine": {"name": "attacker", "version": "1"}}
    return {"units": request["params"].get("units", []), "dislodged": []}


def identifies(**fields: object) -> Attack:
    return lambda request: {"engine": {"name": "attacker", **fields}} if request["method"] == "initialize" else {}


def claims(**fields: object) -> Attack:
    return lambda request: {"capabilities": fields} if request["method"] == "initialize" else {}


def answers(**fields: object) -> Attack:
    return lambda request: fields if request["method"] == "adjudicate" else {}


def unit(power: str = "FRANCE", location: str = "PAR", **fields: object) -> Result:
    return {"power": power, "type": "A", "location": location, **fields}


def too_long(kind: str, most: int, place: str) -> str:
    return f"Expected `{kind}` of length <= {most} - at `$.{place}`"


TOO_LARGE: Mapping[str, tuple[Attack, str]] = {
    "units": (answers(units=[unit()] * 200_000), too_long("array", 75, "units")),
    "other-units": (
        answers(units=[unit(location=f"P{number}") for number in range(200_000)]),
        too_long("array", 75, "units"),
    ),
    "dislodged": (answers(dislodged=[unit()] * 200_000), too_long("array", 75, "dislodged")),
    "more-dislodged": (answers(dislodged=[unit()] * 70), "answered 70 dislodged units, but there are"),
    "retreats": (
        answers(dislodged=[unit(retreats=["PAR"] * 200_000)]),
        too_long("array", 75, "dislodged[0].retreats"),
    ),
    "orders": (answers(orders=[{"outcome": "succeeds"}] * 200_000), "answered 200000 order results to"),
    "powers": (answers(units=[unit("x" * 3 * MB)] * 2), too_long("str", 40, "units[0].power")),
    "locations": (
        answers(units=[unit(location="x" * 3 * MB)] * 2),
        too_long("str", 40, "units[0].location"),
    ),
    "attackers": (
        answers(dislodged=[unit(**{"from": "x" * MB})]),
        too_long("str", 40, "dislodged[0].from"),
    ),
}
"""Attacks in an answer, and what is said of each."""

TOO_LARGE_AT_START: Mapping[str, tuple[Attack, str]] = {
    "name": (identifies(name="x" * 15 * MB), too_long("str", 200, "engine.name")),
    "version": (identifies(version="x" * 15 * MB), too_long("str", 200, "engine.version")),
    "url": (identifies(url="http://x/" + "x" * 15 * MB), too_long("str", 2000, "engine.url")),
    "phases": (claims(phases=["x"] * MB), too_long("array", 20, "capabilities.phases")),
    "choices": (
        claims(choices={f"4.A.{number}": ["x"] for number in range(MB // 10)}),
        too_long("object", 100, "capabilities.choices"),
    ),
}
"""Attacks in the answer to `initialize`."""


def commands(request: Mapping[str, Any]) -> Result:
    """Put commands into a name and into units, each at the start of a line."""
    if request["method"] == "initialize":
        return {"engine": {"name": COMMANDS, "version": f"\n{COMMANDS}", "url": f"https://example.org/\n{COMMANDS}"}}
    return {"units": [unit("\n::error::evil\r\n##[error]evil"), unit(location="\n \u2028::error::evil")]}


ATTACKS: Mapping[str, Attack] = {
    "commands": commands,
    "state": answers(state="LARGE" * (MB // 5)),
    **{name: attack for name, (attack, _) in {**TOO_LARGE, **TOO_LARGE_AT_START}.items()},
}


def respond(attack: str, request: dict[str, Any]) -> Mapping[str, object]:
    """Answer a request, attacking."""
    return {"jsonrpc": "2.0", "id": request["id"], "result": {**right(request), **ATTACKS[attack](request)}}


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        _ = sys.stdout.write(json.dumps(respond(sys.argv[1], json.loads(line))) + "\n")
        _ = sys.stdout.flush()
