"""JUnit XML and TAP: what test tools read."""

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from datc.reports.junit import render_junit, render_tap
from datc.reports.report import VERDICTS, Report
from datc.reports.text import one_line, printable, printable_struct

from .samples import HOSTILE


def test_each_verdict_has_its_outcome(every_verdict: Report) -> None:
    tests = _tests(every_verdict)
    outcomes = {case.verdict: [child.tag for child in tests[case.id]] for case in every_verdict.cases}
    assert outcomes == {
        "passed": [],
        "deviated": ["failure"],
        "failed": ["failure"],
        "declared": ["skipped"],
        "unsupported": ["failure"],
        "error": ["error"],
        "not-run": ["error"],
    }
    for case in every_verdict.cases[1:]:
        assert tests[case.id][0].get("message") == case.reason
        assert tests[case.id][0].get("type") == case.verdict


def test_a_test_has_the_names_and_time_of_its_case(every_verdict: Report) -> None:
    test = _tests(every_verdict)["6.F.1"]
    assert test.attrib == {"classname": "datc-3_2.6_F", "name": "6.F.1 A case that is passed", "time": "0.250"}


def test_a_failure_says_what_was_ordered_expected_and_got(every_verdict: Report) -> None:
    text = _tests(every_verdict)["6.F.3"][0].text
    assert text is not None
    assert text.splitlines() == [
        "spring 1901, movement phase",
        "  orders:",
        "    ENGLAND: A London - Belgium (expected succeeds, got fails, because no-path)",
        "    ENGLAND: F North Sea Convoys A London - Belgium",
        "    FRANCE: F English Channel Hold",
        "  expected:",
        "    ENGLAND A BEL",
        "    ENGLAND F NTH",
        "    dislodged: FRANCE F ENG",
        "  got:",
        "    ENGLAND A LON",
        "    ENGLAND F NTH",
        "    dislodged: FRANCE F ENG from MAO",
        "  differences:",
        "    A London should be in BEL, and is in LON",
        "  why the expected outcome is right:",
        "    England's A London moves to Belgium: path: F North Sea.",
    ]


def test_the_counts_are_those_of_the_elements(every_verdict: Report, passing: Report, hostile: Report) -> None:
    for report in (every_verdict, passing, hostile):
        root = _parse(report)
        for element in (root, *root.iter("testsuite")):
            counts = {name: int(element.get(name, "")) for name in ("tests", "failures", "errors", "skipped")}
            assert counts == {
                "tests": len(list(element.iter("testcase"))),
                "failures": len(list(element.iter("failure"))),
                "errors": len(list(element.iter("error"))),
                "skipped": len(list(element.iter("skipped"))),
            }


def test_a_finished_run_has_one_suite_a_section_and_a_test_a_case(passing: Report) -> None:
    root = _parse(passing)
    assert root.tag == "testsuites"
    assert [(suite.get("name"), suite.get("tests"), suite.get("time")) for suite in root] == [
        ("datc-3.2 6.F", "2", "0.500")
    ]
    assert (root.get("failures"), root.get("errors"), root.get("time")) == ("0", "0", "2.500")


def test_each_suite_says_what_ran(passing: Report) -> None:
    for suite in _parse(passing).iter("testsuite"):
        properties = {item.get("name"): item.get("value") for item in suite.iter("property")}
        assert properties == {"engine": "Mine", "engine-version": "2.0", "ruleset": "datc-3.2", "complete": "true"}


def test_an_unfinished_run_is_never_a_success(passing: Report) -> None:
    unfinished = replace(passing, complete=False, incomplete_reason="interrupted")
    root = _parse(unfinished)
    errors = [error.get("message") for error in root[0].iter("error")]
    assert errors == ["interrupted"]
    assert root.get("errors") == "1"


def test_hostile_strings_forge_nothing(hostile: Report) -> None:
    root = _parse(hostile)
    assert {element.tag for element in root.iter()} == {
        "testsuites",
        "testsuite",
        "properties",
        "property",
        "testcase",
        "failure",
        "error",
        "skipped",
    }
    reason = printable_struct(hostile).cases[2].reason
    failure = _tests(hostile)["6.A.3"][0]
    assert len(_tests(hostile)) == len(VERDICTS)
    assert failure.get("message") == reason
    assert failure.text is not None
    assert reason in failure.text


@pytest.mark.parametrize("code", [*range(0x20), *range(0x7F, 0xA0), 0xD800, 0xDFFF, 0xFFFE, 0xFFFF, 0x202E])
def test_every_unprintable_character_is_replaced(code: int) -> None:
    expected = chr(code) if chr(code) in "\t\n" else "\ufffd"
    assert printable(f"a{chr(code)}b") == f"a{expected}b"


@pytest.mark.parametrize("text", ["Süd-Öst ✓ 日本 \U0001f600", "a\tb\nc", "\ufffd\ue000\U0010ffff"])
def test_every_other_character_stays(text: str) -> None:
    assert printable(text) == text


def test_a_line_may_end_as_on_windows() -> None:
    assert printable("a\r\nb") == "a\nb"


def _parse(report: Report) -> ET.Element:
    return ET.fromstring(render_junit(report))


def _tests(report: Report) -> dict[str, ET.Element]:
    tests = {test.get("name", "").partition(" ")[0]: test for test in _parse(report).iter("testcase")}
    return {name: test for name, test in tests.items() if name.startswith("6.")}


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
    placed = replace(passing.cases[1], suite="house", file="house/1.toml", line=12)
    assert parse(replace(passing, cases=[placed])).points[0].at == "house/1.toml:12"


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
