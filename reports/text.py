"""Make what others wrote fit to be shown: an engine may put anything into a string.

It may say what CI services take for a command in the output of a step. Files need no escape from that: they are read
by what knows their format.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

if TYPE_CHECKING:  # Boards are drawn where there is no msgspec.
    import msgspec

StructT = TypeVar("StructT", bound="msgspec.Struct")

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
"""All but tab and newline."""
_TURNING = r"\u202a-\u202e\u2066-\u2069"
"""What turns the direction of the text around it."""
_NO_CHARACTERS = r"\ud800-\udfff\ufffe\uffff"
"""Surrogates, which UTF-8 cannot hold, and what XML cannot."""
_UNPRINTABLE = re.compile(f"[{_CONTROLS}{_TURNING}{_NO_CHARACTERS}]")
_ESCAPED = re.compile(r"\\[ubfr]")
"""Escapes in JSON, which stand for what may have to be changed."""


def printable(text: str) -> str:
    """Replace every character that a report cannot hold or that would garble it. Tabs and newlines stay."""
    return _UNPRINTABLE.sub(REPLACEMENT, text.replace("\r\n", "\n"))


def one_line(text: str, limit: int = 0) -> str:
    """Put a text on one line, whatever breaks lines; cut it where a limit is given."""
    line = " ".join(text.split())
    return f"{line[: limit - 1]}…" if 0 < limit < len(line) else line


def listed(texts: Sequence[str], most: int) -> str:
    """List texts, and count those beyond the first so many: "a, b and 3 more"."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def id_ranges(ids: Sequence[str]) -> str:
    """List ids of cases, three or more that follow each other as a range: "6.A.1 to 6.A.4, 6.B.2, 6.B.3"."""
    runs: list[list[str]] = []
    following = ""
    for each in ids:
        if runs and each == following:
            runs[-1].append(each)
        else:
            runs.append([each])
        start, _, number = each.rpartition(".")
        following = f"{start}.{int(number) + 1}" if number.isdecimal() and number.isascii() else ""
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(run) for run in runs)


LOG_LINES = 40
"""So many lines of a log are in a report."""


def shortened(lines: Sequence[str], most: int) -> list[str]:
    """Leave out the middle of many lines, such as those of a log, and say in its place how many there were."""
    if len(lines) <= most:
        return [*lines]
    first = most // 2
    return [*lines[:first], f"… {len(lines) - most} more lines …", *lines[len(lines) - (most - first) :]]


def indented_json(data: object) -> bytes:
    """Write data as indented JSON in UTF-8, with a newline at its end."""
    import msgspec

    return msgspec.json.format(msgspec.json.encode(data), indent=2) + b"\n"


def printable_struct(struct: StructT) -> StructT:
    """Make every string of a report, or of a part of one, printable, so that no renderer can forget one."""
    import msgspec

    try:
        text = msgspec.json.encode(struct).decode()
        if _UNPRINTABLE.search(text) is None and _ESCAPED.search(text) is None:
            return struct
    except UnicodeEncodeError:  # A surrogate.
        pass
    return msgspec.convert(_printable_data(cast("object", msgspec.to_builtins(struct))), type(struct))


def _printable_data(data: object) -> object:
    if isinstance(data, str):
        return printable(data)
    if isinstance(data, list):
        return [_printable_data(item) for item in cast("list[object]", data)]
    if isinstance(data, dict):
        items = cast("dict[object, object]", data).items()
        return {_printable_data(key): _printable_data(value) for key, value in items}
    return data


CiEscape: TypeAlias = Callable[[str], str]
"""Breaks what a CI service would take for a command in what a step prints."""

AT_THE_START = ("::",)
"""What begins a command at the start of a line, after blanks too: GitHub Actions."""
ANYWHERE = ("##[", "##vso[", "##teamcity[", "section_start:", "section_end:")
"""What begins one anywhere in a line: GitHub Actions and Azure Pipelines, Azure Pipelines, TeamCity, and GitLab."""

_LINE_START = r"(?:^|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029])\s*"
_COMMAND = re.compile(
    f"{_LINE_START}(?:{'|'.join(map(re.escape, AT_THE_START))})|{'|'.join(map(re.escape, ANYWHERE))}", re.IGNORECASE
)


def ci_escape(text: str) -> str:
    """Break the commands in a text of people: a blank comes before their last character."""
    return _COMMAND.sub(lambda found: f"{found[0][:-1]} {found[0][-1]}", text)


def ci_escape_json(text: str) -> str:
    """Break the commands in JSON, which stays the same value: their last character is escaped.

    It is in a string: no two colons, and none of the other letters, are outside of one.
    """
    return _COMMAND.sub(lambda found: f"{found[0][:-1]}\\u{ord(found[0][-1]):04x}", text)


def ci_escape_markup(text: str) -> str:
    """Break the commands in HTML, SVG or other XML, which says the same: their last character is a reference."""
    return _COMMAND.sub(lambda found: f"{found[0][:-1]}&#{ord(found[0][-1])};", text)
