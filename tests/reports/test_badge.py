import xml.etree.ElementTree as ET

import pytest
from msgspec.structs import replace

from datc.reports.badge import badge_state, render_badge
from datc.reports.boardmap.style import contrast
from datc.reports.report import Report, Verdict

from . import samples

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("verdicts", "message"),
    [
        (["passed"] * 3, "3 passed"),
        (["passed", "declared", "declared"], "1 passed, 2 declared"),
        (["passed", "declared", "failed"], "1/3"),
        (["passed", "deviated"], "1/2"),
        (["unsupported"], "0/1"),
    ],
)
def test_it_says_how_the_run_went(verdicts: list[Verdict], message: str) -> None:
    report = samples.report([samples.case(number, verdict) for number, verdict in enumerate(verdicts)])
    svg = _parse(report)
    assert svg.get("aria-label") == f"DATC 3.2: {message}"
    assert svg.findtext(f"{SVG}title") == f"DATC 3.2: {message}"
    assert [text.text for text in svg.iter(f"{SVG}text")] == ["DATC 3.2", message]


def test_an_unfinished_run_is_never_a_success_and_a_bug_of_another_colour_than_a_deviation(passing: Report) -> None:
    assert badge_state(replace(passing, complete=False, compliant=False))[0] == "unfinished"
    states = [badge_state(samples.report([samples.case(1, verdict)])) for verdict in ("passed", "deviated", "failed")]
    assert len({colour for _, colour in states}) == 3


@pytest.mark.parametrize("verdict", ["passed", "declared", "deviated", "failed"])
def test_white_on_the_colours_has_enough_contrast(verdict: Verdict) -> None:
    for path in _parse(samples.report([samples.case(1, verdict)])).iter(f"{SVG}path"):
        assert contrast("#ffffff", path.get("fill", "")) > 4.5


def test_suites_give_the_label(passing: Report) -> None:
    ours = [replace(case, suite="house rules") for case in passing.cases]
    assert _label(replace(passing, cases=ours)) == "house rules"
    assert _label(replace(passing, cases=[*ours, *passing.cases])) == "DATC"
    assert _label(replace(passing, cases=[])) == "DATC"


def test_hostile_strings_forge_nothing(hostile: Report) -> None:
    cases = [replace(case, suite=samples.HOSTILE) for case in hostile.cases]
    svg = _parse(replace(hostile, cases=cases))
    assert {element.tag for element in svg.iter()} == {f"{SVG}{tag}" for tag in ("svg", "title", "path", "g", "text")}
    assert len(_label(replace(hostile, cases=cases))) == 24
    assert int(svg.get("width", "")) < 400
    assert not [name for element in svg.iter() for name in element.attrib if name.startswith("on") or "href" in name]


def _label(report: Report) -> str:
    return next(_parse(report).iter(f"{SVG}text")).text or ""


def _parse(report: Report) -> ET.Element:
    return ET.fromstring(render_badge(report))
