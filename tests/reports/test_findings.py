"""Findings in a terminal, in Markdown and as a page: the same words, from the same parts."""

import json

import pytest

from datc.reports.findings import Board, Details, Findings, Items, Line, Part, Table, terminal_text
from datc.reports.formats import renderers

HOSTILE = "\x1b[31m<b>`|"
PARTS = [
    Part([Items([HOSTILE])], f"Case {HOSTILE}", level=1),
    Part([Table([("6.A.1", "5", HOSTILE), ("6.A.10", "12", "")], ("case", "count", "why"), right={1})], "Counts"),
    Part([Table([("datc-3.2", "A Paris stays", "as 1982")], ("rules", "outcome", "why"), sentences=True)]),
    Part([]),
    Part(
        [Line("seen in 6.A.1", 2), Board("<svg></svg>"), Details(["1. A Paris moves", Line("it succeeds", 2)])], "Why"
    ),
]
FINDINGS = Findings({"format": 1, "said": HOSTILE}, PARTS)


def test_a_terminal_shows_parts_below_each_other():
    assert terminal_text(PARTS) == (
        "Case \ufffd[31m<b>`|\n  \ufffd[31m<b>`|\n\n"
        "Counts\ncase    count  why\n6.A.1       5  \ufffd[31m<b>`|\n6.A.10     12\n\n"
        "  datc-3.2: A Paris stays\n      as 1982\n\n"
        "Why\n  seen in 6.A.1\n\n1. A Paris moves\n  it succeeds"
    )


def test_only_what_may_be_broken_is_broken(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    words = "word " * 12
    broken, whole = terminal_text([Part([Line(words, 2, 6)]), Part([Line(words, 2, unbroken=True)])]).split("\n\n")
    assert [len(row) - len(row.lstrip()) for row in broken.splitlines()] == [2, 6]
    assert whole == f"  {words}".rstrip()


@pytest.mark.parametrize("name", ["markdown", "html"])
def test_other_formats_have_every_word_and_escape_it(name):
    shown = renderers("findings")[name](FINDINGS).decode()
    for text in ("Counts", "6.A.10", "12", "A Paris stays", "seen in 6.A.1", "it succeeds"):
        assert text in shown
    assert "\x1b" not in shown
    assert ("&lt;b&gt;`|" if name == "html" else "`` \ufffd[31m<b>`\\| ``") in shown
    assert ("<svg>" in shown) == (name == "html")


def test_json_has_the_data():
    shown = renderers("findings")["json"](FINDINGS)
    assert json.loads(shown) == {"format": 1, "said": HOSTILE}
