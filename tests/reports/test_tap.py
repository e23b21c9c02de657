from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

import msgspec

from datc.reports.junit import render_tap
from datc.reports.report import VERDICTS, Report
from datc.reports.text import one_line, printable

from .samples import HOSTILE

POINT = re.compile(
    r"(?P<not>not )?ok (?P<number>\d+) - (?P<description>(?:[^\\#\n]|\\[\\#])*?)"
    r"(?: # (?P<directive>TODO|SKIP) (?P<reason>(?:[^\\#\n]|\\[\\#])*))?"
)


@dataclass
class Point:
    ok: bool
    description: str
    directive: str | None
    reason: str
    verdict: str = "passed"
    at: str = ""
    details: list[str] = field(default_factory=list)

    @property
    def stands_against_the_engine(self) -> bool:
        return not self.ok and self.directive != "TODO"


@dataclass
class Document:
    plan: int
    points: list[Point]
    bail_out: str | None


def test_each_verdict_has_its_test_point(every_verdict: Report) -> None:
    document = parse(every_verdict)
    assert [(point.verdict, point.ok, point.directive) for point in document.points] == [
        ("passed", True, None),
        ("deviated", False, None),
        ("failed", False, None),
        ("declared", False, "TODO"),
        ("unsupported", False, None),
        ("error", False, None),
        ("not-run", False, None),
    ]
    assert document.points[3].reason == "it is declared"
    assert document.points[0].description == "6.F.1 A case that is passed"
    assert "    A London should be in BEL, and is in LON" in document.points[2].details


def test_an_unfinished_run_bails_out(every_verdict: Report, passing: Report) -> None:
    assert parse(every_verdict).bail_out == "the engine gave out"
    assert parse(passing).bail_out is None
    assert not any(point.stands_against_the_engine for point in parse(passing).points)


def test_a_run_of_no_case_is_skipped(empty: Report) -> None:
    assert render_tap(empty).decode().split("\n")[1] == "1..0 # SKIP no case was run"


def test_a_point_says_where_its_case_is(passing: Report) -> None:
    placed = msgspec.structs.replace(passing.cases[1], suite="house", file="house/1.toml", line=12)
    assert parse(msgspec.structs.replace(passing, cases=[placed])).points[0].at == "house/1.toml:12"


def test_hostile_strings_come_back_as_they_were_and_forge_nothing(hostile: Report) -> None:
    document = parse(hostile)
    said = one_line(printable(HOSTILE))
    assert [point.verdict for point in document.points] == list(VERDICTS)
    for number, point in enumerate(document.points, start=1):
        assert point.description == f"6.A.{number} {said}"
        assert point.reason == (said if point.directive else "")
        assert not point.details or one_line(point.details[0]) == said
    assert document.bail_out == said


def parse(report: Report) -> Document:
    """Read TAP 14 as far as it is used, and nothing else: any other line is an error."""
    text = render_tap(report).decode()
    assert text.splitlines() == text.split("\n")[:-1]
    version, plan, *lines = text.splitlines()
    assert version == "TAP version 14"
    document = Document(int(plan.split()[0].removeprefix("1..")), [], None)
    while lines:
        line = lines.pop(0)
        if line.startswith("Bail out! "):
            document.bail_out = line.removeprefix("Bail out! ")
            assert not lines
        elif not line.startswith("# "):
            match = POINT.fullmatch(line)
            assert match, line
            document.points.append(_point(match))
            assert int(match["number"]) == len(document.points)
            if lines and lines[0] == "  ---":
                end = lines.index("  ...")
                _read_yaml(document.points[-1], lines[1:end])
                del lines[: end + 1]
    assert document.plan == len(document.points)
    return document


def _point(match: re.Match[str]) -> Point:
    return Point(
        not match["not"], _unescape(match["description"]), match["directive"], _unescape(match["reason"] or "")
    )


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _read_yaml(point: Point, lines: list[str]) -> None:
    """Read the YAML of a diagnostic: plain words, and double quotes as JSON has them."""
    verdict = lines.pop(0)
    point.verdict = verdict.removeprefix("  verdict: ")
    assert point.verdict in VERDICTS
    if lines[0].startswith("  at: "):
        point.at = json.loads(lines.pop(0).removeprefix("  at: "))
    assert lines.pop(0) == "  details:"
    for line in lines:
        assert line.startswith("    - ")
        point.details.append(json.loads(line.removeprefix("    - ")))
