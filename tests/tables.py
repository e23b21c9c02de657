"""The tables and figures of the documents: a test compares them with the data, or writes them with `DATC_RENEW` set."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

Rows = Sequence[Sequence[str]]

HEAD = 2
"""The lines of a table before its rows: the names of the columns, and how they are aligned."""


def rows_under(document: Path, title: str) -> Rows:
    """Read the cells of the table under a heading, without its head."""
    return _cells(document, title)[HEAD:]


def hold(document: Path, title: str, rows: Rows, head: Sequence[str] = ()) -> None:
    """Hold the table under a heading to these rows, or write it. With a head, hold the names of its columns, too."""
    if "DATC_RENEW" not in os.environ:
        assert rows_under(document, title) == rows
        assert not head or list(_cells(document, title)[0]) == [*head]
        return
    text = _text(document)
    section = _section(text, title)
    before, _, rest = section[2].partition("\n|")
    lines = f"|{rest}".splitlines()
    count = next((place for place, line in enumerate(lines) if not line.startswith("|")), len(lines))
    columns = [_line(head), _line(_alignment(lines[1], len(head)))] if head else lines[:HEAD]
    new = "\n".join([before, *columns, *map(_line, rows), *lines[count:]]) + "\n"
    _ = document.write_text(text[: section.start(2)] + new + text[section.end(2) :], encoding="utf-8")


def hold_figures(document: Path, sentence: str, *figures: object) -> None:
    """Hold the figures of a sentence to these, or write them.

    The sentence has `{}` where a figure is. It may be a part of one, and may be on several lines of the document.
    """
    text = _text(document)
    words = [re.escape(word).replace(re.escape("{}"), r"(\w+)") for word in sentence.split()]
    found = list(re.finditer(r"\s+".join(words), text))
    assert len(found) == 1, f"{document.name} has {len(found)} times: {sentence}"
    if "DATC_RENEW" not in os.environ:
        assert found[0].groups() == tuple(map(str, figures)), sentence
        return
    for group, figure in reversed([*enumerate(figures, start=1)]):
        text = f"{text[: found[0].start(group)]}{figure}{text[found[0].end(group) :]}"
    _ = document.write_text(text, encoding="utf-8")


def _cells(document: Path, title: str) -> Rows:
    lines = [line for line in _section(_text(document), title)[2].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _alignment(line: str, columns: int) -> list[str]:
    """Align as many columns as there are now: new ones as the last of them."""
    marks = [mark.strip() for mark in line.strip("|").split("|")]
    return [marks[min(column, len(marks) - 1)] for column in range(columns)]


def _text(document: Path) -> str:
    return document.read_text(encoding="utf-8")


def _section(text: str, title: str) -> re.Match[str]:
    (found,) = re.finditer(rf"^##+ ({re.escape(title)})\n(.*?)(?=^##|\Z)", text, re.DOTALL | re.MULTILINE)
    return found
