from __future__ import annotations

import msgspec

from datc.reports.json_report import render_json
from datc.reports.report import VERDICTS, Report


class ContractCase(msgspec.Struct):
    """What `--report json:PATH` promises of a case: written out once more, so that no field changes unnoticed."""

    id: str
    suite: str
    verdict: str
    choices: dict[str, list[str]]
    seconds: float
    expected: dict[str, object] | None
    answer: dict[str, object] | None
    reason: str


class ContractRuleset(msgspec.Struct):
    name: str
    choices: dict[str, str]


class Contract(msgspec.Struct):
    """What `--report json:PATH` promises. Every field must be there; there may be more."""

    format: int
    engine: dict[str, str]
    ruleset: ContractRuleset
    complete: bool
    compliant: bool
    summary: dict[str, int]
    cases: list[ContractCase]
    incomplete_reason: str


def test_it_keeps_the_contract(every_verdict: Report) -> None:
    data = _read(every_verdict)
    assert data.format == 1
    assert data.engine["name"] == "Mine"
    assert data.ruleset == ContractRuleset("datc-3.2", {"4.A.1": "all-routes", "4.A.2": "szykman"})
    assert (data.complete, data.compliant) == (False, False)
    assert data.summary == dict.fromkeys(VERDICTS, 1)
    assert [case.verdict for case in data.cases] == list(VERDICTS)
    assert (data.cases[0].id, data.cases[0].suite, data.cases[0].seconds) == ("6.F.1", "datc-3.2", 0.25)
    assert data.cases[0].choices == {"4.A.1": ["all-routes"]}
    assert data.cases[0].expected is not None
    assert data.cases[0].answer is not None
    assert data.cases[-1].answer is None


def test_it_leaves_out_no_field_at_its_default(empty: Report) -> None:
    data = _read(empty)
    assert data.cases == []
    assert data.incomplete_reason == ""


def test_it_reads_back_as_the_same_report(every_verdict: Report) -> None:
    assert msgspec.json.decode(render_json(every_verdict), type=Report) == every_verdict


def test_it_is_indented_text(every_verdict: Report) -> None:
    text = render_json(every_verdict).decode()
    assert text.startswith('{\n  "format": 1,\n')
    assert text.endswith("\n}\n")


def test_hostile_strings_are_replaced_and_otherwise_kept(hostile: Report) -> None:
    data = _read(hostile)
    assert data.engine["url"] == "javascript:alert(1)//\ufffd"
    assert data.cases[0].reason.startswith("<script>alert(1)</script> ]]> ")
    assert "\ufffd\ufffd[31m \ufffd \ufffd &amp;" in data.cases[0].reason
    assert len(data.cases) == len(VERDICTS)


def _read(report: Report) -> Contract:
    return msgspec.json.decode(render_json(report), type=Contract)
