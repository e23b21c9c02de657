"""Make what others wrote fit to be shown. An engine may put anything into a string."""

from __future__ import annotations

import re
from typing import cast

import msgspec

from .report import Report

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
"""All but tab and newline."""
_TURNING = r"\u202a-\u202e\u2066-\u2069"
"""What turns the direction of the text around it."""
_NO_CHARACTERS = r"\ud800-\udfff\ufffe\uffff"
"""Surrogates, which UTF-8 cannot hold, and what XML cannot."""
_UNPRINTABLE = re.compile(f"[{_CONTROLS}{_TURNING}{_NO_CHARACTERS}]")


def printable(text: str) -> str:
    """Replace every character that a report cannot hold or that would garble it. Tabs and newlines stay."""
    return _UNPRINTABLE.sub(REPLACEMENT, text.replace("\r\n", "\n"))


def printable_report(report: Report) -> Report:
    """Make every string of a report printable, so that no renderer can forget one."""
    data = cast("object", msgspec.to_builtins(report))
    return msgspec.convert(_printable_data(data), Report)


def _printable_data(data: object) -> object:
    if isinstance(data, str):
        return printable(data)
    if isinstance(data, list):
        return [_printable_data(item) for item in cast("list[object]", data)]
    if isinstance(data, dict):
        items = cast("dict[object, object]", data).items()
        return {_printable_data(key): _printable_data(value) for key, value in items}
    return data
