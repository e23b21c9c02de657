"""The report as JSON, the contract for other programs."""

from __future__ import annotations

import msgspec

from .report import Report
from .text import printable_report


def render_json(report: Report) -> bytes:
    """Render a report as indented JSON in UTF-8."""
    return msgspec.json.format(msgspec.json.encode(printable_report(report)), indent=2) + b"\n"
