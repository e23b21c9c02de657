"""What a command found: built once, then shown as terminal text, JSON, Markdown or a page.

A command makes `Findings` and hands them over:

    Findings(
        data=report,  # the JSON contract of the command: a msgspec struct, or plain data
        parts=[
            Part(["my-engine 1.0: 164 cases asked, 2 failed"]),
            Part(["Looks like an engine that cuts no support:", Line("seen in 6.D.1, 6.D.2", indent=2)]),
        ],
        why="2 cases failed.",
    )

A text may be what an engine said: the renderers make it printable and escape it, so the code that builds findings does
neither.

There is one renderer for each format: `terminal_text` here, `json_report.render_json_findings`,
`markdown.render_markdown_findings` and `html.render_html_findings`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from ..reference_engine.errors import printable

DataT_co = TypeVar("DataT_co", covariant=True)

_NARROWEST, _WIDEST = 40, 100
"""Lines are no shorter, however narrow the terminal, and no longer than can be read."""


class Line(NamedTuple):
    """A text of one line, which is broken where the terminal ends."""

    text: str
    indent: int = 0
    """Columns before it."""
    hanging: int = -1
    """Columns before what does not fit on the first line; -1 is two more than `indent`."""
    unbroken: bool = False
    """It is never broken: a command to copy, or a row that is already aligned."""


class Items(NamedTuple):
    """A list: indented in a terminal, with bullets elsewhere."""

    texts: Sequence[str]


class Table(NamedTuple):
    """Rows of cells."""

    rows: Sequence[Sequence[str]]
    head: Sequence[str] = ()
    right: Collection[int] = ()
    """The columns that are aligned to the right: numbers."""
    sentences: bool = False
    """Its cells are too long for columns: a terminal shows each row as `first: second`, and the rest below."""


class Board(NamedTuple):
    """A drawing as an SVG element, which only pages show."""

    svg: str


class Details(NamedTuple):
    """Lines that pages fold away, and that a terminal shows below a blank line."""

    lines: Sequence[str | Line]


Block: TypeAlias = str | Line | Items | Table | Board | Details
"""What a part is made of; a string is a line that is not indented."""


@dataclass(frozen=True)
class Part:
    """What belongs together; in a terminal a blank line separates it from the next part."""

    blocks: Sequence[Block]
    title: str = ""
    level: int = 2
    """The rank of the title: 1 for the name of what is shown, which others may have written; 2 for our own words."""


@dataclass(frozen=True)
class Findings(Generic[DataT_co]):
    """What a command found."""

    data: DataT_co
    """What its JSON has: a msgspec struct, or plain data."""
    parts: Sequence[Part]
    why: str = ""
    """Why the command fails, in a line or a few; empty where it does not. `--quiet` shows this alone."""


def contract(kind: str, **content: object) -> dict[str, object]:
    """Make the JSON of a command: the number and the name of its contract, whose schema `schema NAME` prints, first."""
    return {"format": 1, "type": kind, **content}


def terminal_width() -> int:
    """How many columns there are to fill: those of the terminal or of `$COLUMNS`, 80 where the output is piped."""
    from shutil import get_terminal_size  # As `textwrap`, it takes long to import.

    return max(_NARROWEST, min(get_terminal_size().columns, _WIDEST))


def terminal_text(parts: Iterable[Part]) -> str:
    """Lay parts out for a terminal, with a blank line between two of them."""
    shown = ([*laid_out(filter(None, [part.title])), *chain.from_iterable(map(_rows, part.blocks))] for part in parts)
    return "\n\n".join("\n".join(rows).removeprefix("\n") for rows in shown if rows)


def laid_out(lines: Iterable[str | Line]) -> list[str]:
    """Break lines where the terminal ends."""
    rows: list[str] = []
    for line in lines:
        text, indent, hanging, unbroken = Line(line) if isinstance(line, str) else line
        if unbroken or not text:
            rows.append((" " * indent + printable(text)).rstrip())
        else:
            hanging = indent + 2 if hanging < 0 else hanging
            rows += wrapped(printable(text), indent=indent, hanging=hanging, break_words=False)
    return rows


def wrapped(text: str, *, indent: int = 0, hanging: int, break_words: bool = True) -> list[str]:
    """Break a text into lines for a terminal; those behind the first are indented as `hanging` says."""
    from textwrap import wrap

    return wrap(
        text,
        terminal_width() - 2,
        initial_indent=" " * indent,
        subsequent_indent=" " * hanging,
        break_long_words=break_words,
        break_on_hyphens=False,
    )


def _rows(block: Block) -> Sequence[str]:
    match block:
        case Items():
            return laid_out(Line(text, 2) for text in block.texts)
        case Table() if block.sentences:
            lines: list[Line] = []
            for first, second, *rest in block.rows:
                lines += [Line(f"{first}: {second}", 2, 6), *(Line(cell, 6) for cell in rest if cell)]
            return laid_out(lines)
        case Table():
            return aligned(block)
        case Details():
            return ["", *laid_out(block.lines)]
        case Board():
            return []
        case _:
            return laid_out([block])


def aligned(table: Table) -> list[str]:
    """Write the rows of a table one below the other, the head first if it has one."""
    rows = [[printable(cell) for cell in row] for row in (*([table.head] if table.head else ()), *table.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if column in table.right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
