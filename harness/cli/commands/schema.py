"""`datc-check schema`: JSON Schemas of all that commands print as JSON, of case files and of the protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, Literal

import click
import msgspec

from ....adapters import protocol_schema
from ....adapters.protocol import EngineIdentity
from ....cases import case_file_schema
from ....cases.map_diff import Border, Difference
from ....cases.maps import map_file_schema
from ....cases.tables import CaseTable, json_schema
from ....reports import EngineData, InferenceReport, Report, RulesetData, Verdict
from ....reports.comparison import Kind
from ....reports.preferences import PreferencesPage
from ....reports.report import FORMAT, FactData, RestartData
from ....reports.statements import Evidence, MissingPart, MutantData, TestedChoices
from ...explain.case import CaseExplanation
from ...history.history import HistoryData
from ...run.gate import CHANGE_TITLES
from ...run.next import NextReport
from ...run.smoke import Check
from ...search.disagreement import CauseKind
from ...search.findings import Finding
from ...search.hunt import Status
from ..command import Command, Options, echo_json

_NUMBERS = count(1)


def _table(fields: str, **types: Any) -> Any:  # noqa: ANN401 - a type that is made here
    """Make the type of a JSON object: the fields that hold texts by their names, the others with their types."""
    return msgspec.defstruct(
        f"Table{next(_NUMBERS)}", [*((name, str) for name in fields.split()), *types.items()], kw_only=True
    )


_NAMES, _TEXTS = list[str], dict[str, str]
_PAIR = _table("", engines=tuple[int, int], alike=int, both=int)
_COMPARED = {"kind": Kind, "verdicts": list[Verdict | None], "groups": list[list[int]], "silent": list[int]}
_CHANGES = list[_table("key title", before=Verdict, after=Verdict)]
_SHOWN_CASE = [("format", Literal[1]), ("type", Literal["case-table"]), ("suite", str)]
_CAUSE: Mapping[str, Any] = {
    "kind": CauseKind,
    "id": str,
    "rules": _NAMES,
    "broken_rule": str,
    "choices": dict[str, _NAMES],
    "evidence": Evidence,
    "refuted": list[_table("cause", evidence=Evidence)],
    "differences": _NAMES,
}
_EXAMPLE = {**_CAUSE, "question": _NAMES}
_RECORDED = _table("found_in phase", facts=list[FactData], **dict.fromkeys(("units", "orders", "said"), list[Any]))
_SET_UP = _table("name version", source=str | None, ready=bool, at=str | None)
_BRIDGE = _table("name engine version language licence url home", ready=bool, missing=_NAMES, set_up=list[_SET_UP])
_ENGINE = _table("name", command=_NAMES | None, url=str | None)
_PROVINCE = _table("code name kind", coasts=_NAMES, center=bool, home=str | None, army=_NAMES, fleet=dict[str, _NAMES])
_END = {"complete": bool, "incomplete_reason": str}
_CONTRACTS: Mapping[str, Any] = {
    "report": Report,
    "comparison": {
        "engines": list[EngineData],
        "rulesets": _NAMES,
        "complete": list[bool],
        "restarts": list[list[RestartData]],
        "answered": list[int],
        "agreements": list[_PAIR],
        "groups": list[list[int]],
        "issues": dict[str, list[_NAMES]],
        "contradictions": list[list[_NAMES]],
        "cases": list[_table("case", odd_one_out=int | None, **_COMPARED)],
    },
    "changes": {
        "worse": bool,
        **{kind: _NAMES if kind.startswith("only") else _CHANGES for kind in CHANGE_TITLES},
        "unfinished": str,
    },
    "inference": InferenceReport,
    "preferences": PreferencesPage,
    "doctor": {
        "engine": str,
        **_END,
        "failed": _NAMES,
        "looks_like": list[MutantData],
        "tested_choices": list[TestedChoices],
        "missing_parts": list[MissingPart],
        "unexplained": _NAMES,
    },
    "mutants": {"mutants": dict[str, _table("sentence", noticed_by=_NAMES)], "unnoticed": _NAMES},
    "next": NextReport,
    "hunt": {
        "engines": _NAMES,
        "ruleset": str,
        **dict.fromkeys(("seed", "positions", "unsupported", "disagreements"), int),
        "answered": list[int],
        "sources": dict[str, int],
        "complete": bool,
        "trouble": str,
        "seconds": dict[str, float],
        "causes": list[_table("engine cause", positions=int, smallest=Finding | None, **_EXAMPLE)],
    },
    "again": {
        **dict.fromkeys(("engine", "store", "ruleset", "trouble"), str),
        "complete": bool,
        **dict.fromkeys(("gone", "remaining", "changed", "not_asked"), int),
        "causes": list[_table("cause now", status=Status, asked=int, wrong=int, example=Finding | None, **_EXAMPLE)],
    },
    "replay": {
        "archives": _NAMES,
        "engine": str | None,
        "against": Literal["archive", "reference"],
        "ruleset": RulesetData,
        "inferred": dict[str, _NAMES],
        "complete": bool,
        "trouble": str,
        "games": int,
        "phases": dict[str, dict[str, int]],
        "skipped": dict[str, int],
        "unreadable": int,
        "problems": _NAMES,
        "recorded_twice": _NAMES,
        "other_board_than_before": _table("", count=int, phases=_NAMES),
        "causes": list[
            _table(
                "differs cause", phases=dict[str, int], games=int, places=_NAMES, smallest=_RECORDED | None, **_CAUSE
            )
        ],
    },
    "explanation": {"explanations": list[CaseExplanation]},
    "history": HistoryData,
    "bisection": {
        "case": str,
        "before": Verdict,
        "after": Verdict,
        "changed_by": list[_table("label title", identity=_NAMES)],
        "asked": int,
        "of": int,
    },
    "engines": {"bridges": list[_BRIDGE], "engines": list[_ENGINE]},
    "check": {"engine": EngineIdentity | None, **_END, "checks": list[Check]},
    "cases": {"cases": list[_table("id suite title", issues=_NAMES)]},
    "case-table": msgspec.defstruct("ShownCase", _SHOWN_CASE, bases=(CaseTable,), frozen=True, kw_only=True),
    "suites": {"suites": list[_table("suite", cases=int, problems=list[_table("file case field message")])]},
    "coverage": {"issues": list[_table("id", choices=_NAMES)], "gaps": list[_table("issue one other")]},
    "rulesets": {"rulesets": list[_table("name title")]},
    "ruleset": {"name": str, "choices": _TEXTS},
    "rulesets-diff": {"left": str, "right": str, "issues": dict[str, tuple[str, str]]},
    "maps": {"maps": list[_table("map title")]},
    "maps-check": {"maps": list[_table("map", problems=list[_table("file case field message")])]},
    "maps-diff": {
        "left": str,
        "right": str,
        "in_play": bool,
        "codes": _TEXTS,
        "differences": list[Difference],
        "missing": list[Border],
        "too_many": list[Border],
    },
    "board": {"map": str, "powers": _TEXTS, "provinces": list[_PROVINCE]},
}
"""What is printed as JSON, by its `type`: a struct, or its fields behind `format` and `type`."""


def contract_schema(kind: str) -> dict[str, object]:
    """Make the JSON Schema of what is printed as JSON with this `type`."""
    of = _CONTRACTS[kind]
    if isinstance(of, dict):
        of = _table("", format=Literal[1], type=Literal[kind], **of)
    return json_schema(of, kind, FORMAT)


_SCHEMAS: Mapping[str, Callable[[str], dict[str, object]]] = {
    **dict.fromkeys(_CONTRACTS, contract_schema),
    "protocol": lambda _: protocol_schema(),
    "case": lambda _: case_file_schema(),
    "map": lambda _: map_file_schema(),
}


@click.command("schema", cls=Command)
@click.argument("kind", metavar="NAME", type=click.Choice([*_SCHEMAS]))
def schema_command(options: Options) -> None:
    r"""Print a JSON Schema, for editors, authors of engines, and programs that read JSON.

    NAME is the `type` of what a command prints with --json, `report` for that of a run; `protocol` for the messages to
    an engine, `case` for a case file, or `map` for a map file. Its $id has the number of the contract: what fits it
    fits it in every later version with that number.

    \b
    datc-check schema report
    datc-check schema protocol
    datc-check schema case > case.schema.json
    """
    echo_json(_SCHEMAS[options.kind](options.kind))
