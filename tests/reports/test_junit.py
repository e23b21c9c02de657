"""JUnit XML and TAP: what test tools read."""

import json
import re
import xml.etree.ElementTree as ET
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from datc.reports.junit import render_junit, render_tap
from datc.reports.report import VERDICTS, Report
from datc.reports.text import one_line, printable, printable_struct
from datc.reports.wording import describe_phase

from .samples import HOSTILE, report


def test_each_verdict_has_its_outcome(every_verdict: Report) -> None:
    tests = _tests(every_verdict)
    assert {case.verdict: [child.tag for child in tests[case.id]] for case in every_verdict.cases} == {
        "passed": [],
        "deviated": ["failure"],
        "failed": ["failure"],
        "declared": ["skipped"],
        "unsupported": ["failure"],
        "error": ["error"],
        "not-run": ["error"],
    }
    for case in every_verdict.cases[1:]:
        assert tests[case.id][0].attrib == {"message": case.reason, "type": case.verdict}
    assert tests["6.F.1"].attrib == {
        "classname": "datc-3_2.6_F",
        "name": "6.F.1 A case that is passed",
        "time": "0.250",
    }


def test_a_failure_says_all_that_is_known_of_each_phase(every_verdict: Report) -> None:
    (phase,) = every_verdict.cases[2].phases
    assert (_tests(every_verdict)["6.F.3"][0].text or "").splitlines() == [*describe_phase(phase)]


@pytest.mark.parametrize("name", ["every_verdict", "passing", "hostile"])
def test_the_counts_are_those_of_the_elements(name: str, request: pytest.FixtureRequest) -> None:
    root = _parse(request.getfixturevalue(name))
    for element in (root, *root.iter("testsuite")):
        for count, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert element.get(count) == str(len(list(element.iter(tag))))


def test_a_finished_run_has_one_suite_a_section_that_says_what_ran(passing: Report) -> None:
    root = _parse(passing)
    (suite,) = root
    assert (root.tag, root.get("time")) == ("testsuites", "2.500")
    assert (suite.get("name"), suite.get("tests"), suite.get("time")) == ("datc-3.2 6.F", "2", "0.500")
    properties = {item.get("name"): item.get("value") for item in suite.iter("property")}
    assert properties == {"engine": "Mine", "engine-version": "2.0", "ruleset": "datc-3.2", "complete": "true"}


def test_an_unfinished_run_is_never_a_success(passing: Report) -> None:
    unfinished, _ = _parse(replace(passing, complete=False, incomplete_reason="interrupted"))
    assert [error.get("message") for error in unfinished.iter("error")] == ["interrupted"]


def test_hostile_strings_forge_nothing(hostile: Report) -> None:
    tags = {"testsuites", "testsuite", "properties", "property", "testcase", "failure", "error", "skipped"}
    assert {element.tag for element in _parse(hostile).iter()} == tags
    assert len(_tests(hostile)) == len(VERDICTS)
    reason = printable_struct(hostile).cases[2].reason
    failure = _tests(hostile)["6.A.3"][0]
    assert failure.get("message") == reason
    assert reason in (failure.text or "")


def test_every_unprintable_character_is_replaced() -> None:
    for code in (*range(0x20), *range(0x7F, 0xA0), 0xD800, 0xDFFF, 0xFFFE, 0xFFFF, 0x202E):
        expected = chr(code) if chr(code) in "\t\n" else "\ufffd"
        assert printable(f"a{chr(code)}b") == f"a{expected}b", code


def test_every_other_character_stays_and_a_line_may_end_as_on_windows() -> None:
    text = "Süd-Öst ✓ 日本 \U0001f600 a\tb\nc \ufffd\ue000\U0010ffff"
    assert printable(text) == text
    assert printable("a\r\nb") == "a\nb"


def _parse(report: Report) -> ET.Element:
    return ET.fromstring(render_junit(report))


def _tests(report: Report) -> dict[str, ET.Element]:
    tests = {test.get("name", "").partition(" ")[0]: test for test in _parse(report).iter("testcase")}
    return {name: test for name, test in tests.items() if name.startswith("6.")}


POINT = re.compile(
    r"(?P<ok>ok|not ok) (?P<number>\d+) - (?P<description>(?:[^\\#\n]|\\[\\#])*?)"
    r"(?: # (?P<directive>TODO|SKIP) (?P<reason>(?:[^\\#\n]|\\[\\#])*))?\n"
    r"(?:  ---\n  verdict: (?P<verdict>[a-z-]+)\n(?:  at: (?P<at>.*)\n)?"
    r"  details:\n(?P<details>(?:    - .*\n)*)  \.\.\.\n)?"
)


class Point(NamedTuple):
    ok: str
    description: str
    directive: str | None
    reason: str
    verdict: str
    at: str
    details: list[str]


def test_each_verdict_has_its_test_point(every_verdict: Report, passing: Report) -> None:
    points, bail_out = parse(every_verdict)
    assert [(point.verdict, point.ok, point.directive) for point in points] == [
        ("passed", "ok", None),
        ("deviated", "not ok", None),
        ("failed", "not ok", None),
        ("declared", "not ok", "TODO"),
        ("unsupported", "not ok", None),
        ("error", "not ok", None),
        ("not-run", "not ok", None),
    ]
    assert points[0].description == "6.F.1 A case that is passed"
    assert points[3].reason == "it is declared"
    assert "    A London should be in BEL, and is in LON" in points[2].details
    assert bail_out == "the engine gave out"
    assert parse(passing)[1] is None


def test_five_restarts_are_shown_and_the_others_counted(every_verdict: Report) -> None:
    lines = [f"# 6.F.{number}: broke on 6.F.{number}" for number in range(1, 6)]
    lines = ["# The process of the engine broke down 7 times:", *lines, "# and 2 more", "ok 1 - "]
    assert "\n".join(lines) in render_tap(every_verdict).decode()


def test_a_run_of_no_case_is_skipped_and_a_point_says_where_its_case_is(passing: Report) -> None:
    assert render_tap(report([])).decode().split("\n")[1] == "1..0 # SKIP no case was run"
    placed = replace(passing.cases[1], suite="house", file="house/1.toml", line=12)
    assert parse(replace(passing, cases=[placed]))[0][0].at == "house/1.toml:12"


def test_hostile_strings_come_back_as_they_were_and_forge_nothing(hostile: Report) -> None:
    points, bail_out = parse(hostile)
    said = one_line(printable(HOSTILE))
    assert [point.verdict for point in points] == list(VERDICTS)
    for number, point in enumerate(points, start=1):
        assert point.description == f"6.A.{number} {said}"
        assert point.reason == (said if point.directive else "")
        assert not point.details or one_line(point.details[0]) == said
    assert bail_out == said


def parse(report: Report) -> tuple[list[Point], str | None]:
    """Read TAP 14 as far as it is used, and nothing else: any other line is an error. Return why it bails out, too."""
    text = render_tap(report).decode()
    assert text.splitlines() == text.split("\n")[:-1]
    head = re.match(r"TAP version 14\n1\.\.(\d+)\n(# .*\n)+", text)
    assert head
    rest, points = text[head.end() :], list[Point]()
    while match := POINT.match(rest):
        description, reason = (re.sub(r"\\(.)", r"\1", match[name] or "") for name in ("description", "reason"))
        details = [json.loads(line.removeprefix("    - ")) for line in (match["details"] or "").splitlines()]
        at = json.loads(match["at"] or '""')
        verdict = match["verdict"] or "passed"
        points.append(Point(match["ok"], description, match["directive"], reason, verdict, at, details))
        assert int(match["number"]) == len(points)
        rest = rest[match.end() :]
    assert len(points) == int(head[1])
    end = re.fullmatch(r"Bail out! (.*)\n|", rest)
    assert end, rest
    return points, end[1]
