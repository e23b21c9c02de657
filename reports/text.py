"""Make what others wrote fit to be shown. An engine may put anything into a string."""

from __future__ import annotations

import re

import msgspec

from .report import Report

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

_UNPRINTABLE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for tab and newline
    "\u202a-\u202e\u2066-\u2069"  # what turns the direction of the text around it
    "\ud800-\udfff\ufffe\uffff"  # no characters: UTF-8 cannot hold the first, nor XML any
    "]"
)


def printable(text: str) -> str:
    """Replace every character that a report cannot hold or that would garble it. Tabs and newlines stay."""
    return _UNPRINTABLE.sub(REPLACEMENT, text.replace("\r\n", "\n"))


def printable_report(report: Report) -> Report:
    """Make every string of a report printable, so that no renderer can forget one."""
    return msgspec.convert(_printable_data(msgspec.to_builtins(report)), Report)


def _printable_data(data: object) -> object:
    match data:
        case str():
            return printable(data)
        case list():
            return [_printable_data(item) for item in data]
        case dict():
            return {_printable_data(key): _printable_data(value) for key, value in data.items()}
        case _:
            return data
