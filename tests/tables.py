"""The tables and figures of the documents: a test compares them with the data, or writes them with `DATC_RENEW` set."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

HEAD = 2
"""The lines of a table before its rows: the names of the columns, and how they are aligned."""


def hold(document: Path, title: str, rows: Sequence[Sequence[str]]) -> None:
    """Compare the rows of the table under a heading with these, or write them."""
    text = document.read_text(encoding="utf-8")
    (section,) = re.finditer(rf"^##+ {re.escape(title)}\n(.*?)(?=^##|\Z)", text, re.DOTALL | re.MULTILINE)
    lines = section[1].splitlines()
    table = [place for place, line in enumerate(lines) if line.startswith("|")][HEAD:]
    if "DATC_RENEW" not in os.environ:
        assert [_cells(lines[place]) for place in table] == rows
        return
    lines[table[0] : table[-1] + 1] = [f"| {' | '.join(cells)} |" for cells in rows]
    new = "\n".join(lines) + "\n" * (len(section[1]) - len(section[1].rstrip("\n")))
    _ = document.write_text(text[: section.start(1)] + new + text[section.end(1) :], encoding="utf-8")


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def hold_figures(document: Path, sentence: str, *figures: object) -> None:
    """Compare the figures of a sentence with these, or write them.

    The sentence has `{}` where a figure is. It may be a part of one, and may be on several lines of the document.
    """
    text = document.read_text(encoding="utf-8")
    words = [re.escape(word).replace(re.escape("{}"), r"(\w+)") for word in sentence.split()]
    (found,) = re.finditer(r"\s+".join(words), text)
    if "DATC_RENEW" not in os.environ:
        assert found.groups() == tuple(map(str, figures)), sentence
        return
    for group, figure in reversed([*enumerate(figures, start=1)]):
        text = f"{text[: found.start(group)]}{figure}{text[found.end(group) :]}"
    _ = document.write_text(text, encoding="utf-8")
