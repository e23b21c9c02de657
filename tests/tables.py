"""The tables of the documents: a test holds each to what it computes, or writes it where `DATC_RENEW` is set."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

Rows = Sequence[Sequence[str]]


def rows_under(document: Path, title: str) -> Rows:
    """Read the cells of the table under a heading, without its head."""
    lines = [line for line in _section(_text(document), title)[2].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def hold(document: Path, title: str, rows: Rows) -> None:
    """Hold the table under a heading to these rows, or write it."""
    if "DATC_RENEW" not in os.environ:
        assert rows_under(document, title) == rows
        return
    text = _text(document)
    section = _section(text, title)
    head, _, rest = section[2].partition("\n|")
    lines = f"|{rest}".splitlines()
    count = next((place for place, line in enumerate(lines) if not line.startswith("|")), len(lines))
    table = [*lines[:2], *("| " + " | ".join(row) + " |" for row in rows), *lines[count:]]
    new = "\n".join([head, *table]) + "\n"
    _ = document.write_text(text[: section.start(2)] + new + text[section.end(2) :], encoding="utf-8")


def _text(document: Path) -> str:
    return document.read_text(encoding="utf-8")


def _section(text: str, title: str) -> re.Match[str]:
    (found,) = re.finditer(rf"^##+ ({re.escape(title)})\n(.*?)(?=^##|\Z)", text, re.DOTALL | re.MULTILINE)
    return found
