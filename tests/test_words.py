"""The words that the project does not use in what it says, and the plain ones to use instead."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FLOORS = ("reference_engine", "cases", "adapters", "reports", "harness")
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
PLAIN = {
    r"lest": "so that … not",
    r"whoever": "anyone who",
    r"of old": "earlier, old",
    r"what (?:became|becomes) of": "the result of, what happens to",
    r"is told": "gets, receives, knows",
    r"hands? over": "gives, passes, sends",
    r"comes? to its verdict": "gets its verdict",
    r"mend(?:ed|s|ing)?": "fix, failed check",
    r"gave out|gives? out": "stopped responding",
    r"nobody wrote": "generated (positions)",
    r"(?:is|are) none": "there is no …",
    r"(?:deliberate|known) fault": "mutant, deliberate mistake, known bug",
    r"cancelled": "illegal, void, stopped",
    r"right under no choice": "wrong under every rule choice: a bug",
    r"made small": "shrunk",
}
"""A pattern of whole words, and what to write instead. As a key of JSON `mend` stays: the smoke test's report has it,
and its fields are a contract."""
BANNED = {
    re.compile(rf"(?<![\w-])(?:{words})(?![\w-])(?!\"\s*:)".replace(" ", r"\s+"), re.IGNORECASE): plain
    for words, plain in PLAIN.items()
}


def complaints(text: str, file: str, first_line: int = 1) -> Iterator[str]:
    """Say where a text has a banned word, and what to write instead; words may stand on two lines."""
    for words, plain in BANNED.items():
        for found in words.finditer(text):
            line = first_line + text.count("\n", 0, found.start())
            yield f"{file}:{line}: {found[0]!r}: write {plain!r}"


def texts_of(file: Path) -> Iterator[tuple[str, int]]:
    """The docstrings and the messages of a module, each with its line: every string literal that has a blank."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search(r"\s", node.value):
            yield node.value, node.lineno


@pytest.mark.parametrize("floor", FLOORS)
def test_docstrings_and_messages_have_plain_words(floor: str) -> None:
    files = sorted((ROOT / floor).rglob("*.py"))
    assert files
    found = [
        complaint
        for file in files
        for text, line in texts_of(file)
        for complaint in complaints(text, str(file.relative_to(ROOT)), line)
    ]
    assert found == [], "\n".join(found)


def test_the_pages_have_plain_words() -> None:
    files = [*sorted((ROOT / "docs").glob("*.md")), *(ROOT / page for page in PAGES)]
    found = [each for file in files for each in complaints(file.read_text("utf-8"), str(file.relative_to(ROOT)))]
    assert found == [], "\n".join(found)


def test_the_help_has_plain_words() -> None:
    """The help of each command is made of docstrings; this is the one of them all, as it is printed."""
    command = [str(Path(sys.executable).with_name("datc-check")), "--help"]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert list(complaints(printed, "datc-check --help")) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It asks whoever\nis told.", ["a.md:1: 'whoever': write 'anyone who'", "a.md:2: 'is told': write"]),
        ("positions that nobody\n    wrote", ["a.md:1: 'nobody\\n    wrote': write"]),
        ('{"mend": []}', []),
        ("it gave outcomes", []),
        ("a recommended molestation", []),
    ],
)
def test_banned_words_are_found(text: str, found: list[str]) -> None:
    given = list(complaints(text, "a.md"))
    assert len(given) == len(found)
    assert all(one.startswith(other) for one, other in zip(given, found, strict=True))
