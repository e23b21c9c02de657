"""Plain English: the words that the project does not use, the plain ones to use instead, and short sentences."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from .conftest import ROOT
from .test_docs import PAGES

FLOORS = ("reference_engine", "cases", "adapters", "reports", "harness")
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
    r"otherwise than": "differently from, not as",
    r"would end otherwise": "that another choice would change",
    r"still tells? something": "can still add something",
    r"beginning of a bridge": "a bridge, a first version",
    r"hangs? on": "depends on",
    r"anew": "again",
    r"(?:come|comes) to the same": "has the same result",
    r"keeps? nobody waiting": "does not delay others",
    r"as it was told": "as configured",
}
"""A pattern of whole words, and what to write instead. As a key of JSON `mend` stays: the smoke test's report has it,
and its fields are a contract."""
PLAIN_PAGES = {
    r"t(?:ell|ells|old) (?:\w+ ){0,3}apart": "distinguish",
    r"(?:is|are) said": "who says it: the report says, the output has",
    r"stands? (?:before|beside|between)": "is before, beside, between",
    r"asks it the DATC": "runs the DATC cases on it",
    r"issues? parts?": "issue separates",
    r"(?:held|holds?) (?:it|them|each|the engine|an engine) to": "compare with",
    r"of its own accord|of themselves": "by itself",
    r"all the same": "still",
    r"the same afterwards": "then the same",
    r"unless told otherwise": "by default",
    r"but for": "except",
}
"""More of them, for the pages and the help: what people read first."""


def compiled(words: dict[str, str]) -> dict[re.Pattern[str], str]:
    """Find whole words, also where they are on two lines; not the keys of JSON."""
    return {
        re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])(?!\"\s*:)".replace(" ", r"\s+"), re.IGNORECASE): plain
        for pattern, plain in words.items()
    }


BANNED = compiled(PLAIN)
BANNED_ON_PAGES = compiled(PLAIN | PLAIN_PAGES)

MOST_WORDS = 30
"""Of one sentence."""
MOST_WORDS_ON_AVERAGE = 17
"""Of the sentences of one page. Newspapers have about 20; many of our readers learned English later."""


def complain(texts: Iterable[tuple[Path, int, str]], banned: dict[re.Pattern[str], str]) -> None:
    """Fail if a text, of a file from a line on, has a banned word, and say what to write instead."""
    found = [
        f"{file.relative_to(ROOT)}:{line + text.count(chr(10), 0, word.start())}: {word[0]!r}: write {plain!r}"
        for file, line, text in texts
        for words, plain in banned.items()
        for word in words.finditer(text)
    ]
    assert found == [], "\n".join(found)


def texts_of(file: Path) -> Iterator[tuple[Path, int, str]]:
    """The docstrings and the messages of a module, each with its line: every string literal that has a blank."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search(r"\s", node.value):
            yield file, node.lineno, node.value


@pytest.mark.parametrize("floor", [*FLOORS, "docs/generate"])
def test_docstrings_and_messages_have_plain_words(floor: str) -> None:
    files = sorted((ROOT / floor).rglob("*.py"))
    assert files
    complain((text for file in files for text in texts_of(file)), BANNED)


FILES = [
    *PAGES,
    *(file for pattern in ("adapters/engines/*/*.md", "*/*/README.md") for file in sorted(ROOT.glob(pattern))),
]


def test_the_pages_and_the_help_have_plain_words() -> None:
    complain(
        ((file, 1, prose(file.read_text("utf-8"))) for file in [*FILES, ROOT / "harness" / "cli" / "help.txt"]),
        BANNED_ON_PAGES,
    )


def prose(markdown: str) -> str:
    """The text of a page without its blocks of code, on the same lines."""
    return re.sub(r"^```.*?^```$", lambda block: "\n" * block[0].count("\n"), markdown, flags=re.DOTALL | re.MULTILINE)


def sentences(markdown: str) -> Iterator[str]:
    """The sentences of paragraphs and lists. Tables and headings have none; a piece of code counts as a word."""
    depth = 0
    for token in MarkdownIt().enable("table").parse(markdown):
        if token.type in {"heading_open", "heading_close", "table_open", "table_close"}:
            depth += token.nesting
        if token.type == "inline" and depth == 0:
            pieces = ("Code" if piece.type == "code_inline" else piece.content or " " for piece in token.children or ())
            text = "".join(pieces)
            yield from (each for each in re.split(r"(?<=[.?!:;])\s+(?=[^a-z])|(?<=:)\s+", text) if each.strip())


def words_of(sentence: str) -> int:
    return sum(re.search(r"\w", word) is not None for word in sentence.split())


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_sentences_are_short(file: Path) -> None:
    shown = {sentence: words_of(sentence) for sentence in sentences(file.read_text("utf-8"))}
    too_long = [f"{count} words: {sentence}" for sentence, count in shown.items() if count > MOST_WORDS]
    assert too_long == [], "\n".join(too_long)
    assert sum(shown.values()) <= MOST_WORDS_ON_AVERAGE * len(shown)
