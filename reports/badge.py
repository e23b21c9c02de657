"""The report as a badge: a small flat SVG for a README. It needs no fonts and loads nothing."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import cast

from .report import Report
from .text import one_line, printable_struct
from .wording import claim

_HEIGHT = 20
_RADIUS = 3
_MARGIN = 6
_LONGEST_LABEL = 24


def badge_state(report: Report) -> tuple[str, str]:
    """Say in two or three words how a run went, and give a colour, on which white has a contrast of 4.5 or more."""
    passed, declared = report.summary["passed"], report.summary["declared"]
    if not report.complete:
        return "unfinished", "#5c5c66"
    if report.compliant and declared:
        word = "compliant" if claim(report).kind == "for" else f"{passed} passed"
        return f"{word}, {declared} declared", "#1d5fa8"
    if report.compliant:
        return f"{passed} passed", "#1a7434"
    if declared and passed + declared == len(report.cases):
        return f"{passed} passed, {declared} declared", "#9a4a00"
    wrong = report.summary["failed"] or report.summary["error"]
    return f"{passed}/{len(report.cases)}", "#b3261e" if wrong else "#9a4a00"


def render_badge(report: Report) -> bytes:
    """Render a report as an SVG badge in UTF-8. Its label is the document, if all cases are of one."""
    report = printable_struct(report)
    suites = [*{case.suite for case in report.cases}]
    label = one_line(suites[0].replace("datc-", "DATC "), _LONGEST_LABEL) if len(suites) == 1 else "DATC"
    message, colour = badge_state(report)
    left, right = _text_width(label) + 2 * _MARGIN, _text_width(message) + 2 * _MARGIN
    said = f"{label}: {message}"
    size = {"width": f"{left + right}", "height": f"{_HEIGHT}"}
    svg = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", **size, "role": "img", "aria-label": said})
    ET.SubElement(svg, "title").text = said
    _ = ET.SubElement(svg, "path", {"fill": "#464650", "d": _half(0, left, -_RADIUS)})
    _ = ET.SubElement(svg, "path", {"fill": colour, "d": _half(left + right, -right, _RADIUS)})
    font = {"font-family": "Verdana,DejaVu Sans,Geneva,sans-serif", "font-size": "11", "text-anchor": "middle"}
    texts = ET.SubElement(svg, "g", {"fill": "#ffffff", "aria-hidden": "true", **font})
    for text, middle in ((label, left / 2), (message, left + right / 2)):
        place = {"x": f"{middle:g}", "y": "14", "textLength": str(_text_width(text))}
        ET.SubElement(texts, "text", place).text = text
    return cast("bytes", ET.tostring(svg, encoding="utf-8")) + b"\n"


def _half(edge: int, width: int, turn: int) -> str:
    """Draw one half from its outer edge, whose corners are round, to where the halves meet."""
    radius, sides = abs(turn), _HEIGHT - 2 * abs(turn)
    arc = f"a{radius} {radius} 0 0 {1 if turn < 0 else 0}"
    corners = f"{arc} {turn} -{radius}v-{sides}{arc} {-turn} -{radius}"
    return f"M{edge + width} {_HEIGHT}H{edge - turn}{corners}H{edge + width}z"


def _text_width(text: str) -> int:
    """Guess how wide a text is in Verdana of 11 pixels; the image stretches it to just that."""
    return round(sum(map(_letter_width, text)))


def _letter_width(letter: str) -> float:
    if letter in "ijlfrtI.,:;'|!/ ":
        return 4.3
    if letter in "mwMW":
        return 10.5
    if letter.isascii():
        return 7.7 if letter.isupper() else 6.9
    return 11
