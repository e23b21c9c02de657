"""What CI services take for a command in the output of a step, and how each kind of text is kept from being one.

An engine may say such a thing. Files need none of this: they are read by what knows their format.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

Inert: TypeAlias = Callable[[str], str]
"""Breaks the commands in what is printed."""

AT_THE_START = ("::",)
"""What begins a command at the start of a line, after blanks too: GitHub Actions."""
ANYWHERE = ("##[", "##vso[", "##teamcity[", "section_start:", "section_end:")
"""What begins one anywhere in a line: GitHub Actions and Azure Pipelines, Azure Pipelines, TeamCity, and GitLab."""

_LINE_START = r"(?:^|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029])\s*"
_COMMAND = re.compile(
    f"{_LINE_START}(?:{'|'.join(map(re.escape, AT_THE_START))})|{'|'.join(map(re.escape, ANYWHERE))}", re.IGNORECASE
)


def inert(text: str) -> str:
    """Break the commands in a text of people: a blank comes before their last character."""
    return _COMMAND.sub(lambda found: f"{found[0][:-1]} {found[0][-1]}", text)


def inert_json(text: str) -> str:
    """Break the commands in JSON, which stays the same value: their last character is escaped.

    It is in a string: no two colons, and none of the other letters, are outside of one.
    """
    return _COMMAND.sub(lambda found: f"{found[0][:-1]}\\u{ord(found[0][-1]):04x}", text)


def inert_markup(text: str) -> str:
    """Break the commands in HTML, SVG or other XML, which says the same: their last character is a reference."""
    return _COMMAND.sub(lambda found: f"{found[0][:-1]}&#{ord(found[0][-1])};", text)
