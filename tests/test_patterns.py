"""No regular expression that looks through foreign text takes a time that grows with the square of its length."""

import ast
import importlib
import re
import sys
from collections.abc import Iterator

import pytest

from datc.harness.search.archives import text_games
from datc.harness.search.archives.records import ArchiveError
from datc.reference_engine import NotationError

from .conftest import ROOT

parser = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
LOOKS_THROUGH = r"\b{}\s*\.(?:search|subn?|split|findall|finditer)\("
UNNAMED = re.compile(LOOKS_THROUGH.format("re") + r"""(?P<pattern>r?b?(?:"[^"\n]*"|'[^'\n]*'))(?P<rest>.*)""")
OF_SHORT_TEXTS = {"_CHANGING": "the reason of a failure is cut"}
"""Patterns that are not linear, and why that is no harm."""


def patterns() -> Iterator[tuple[str, re.Pattern]]:
    """Give each pattern of a module that is searched in texts; one that is only matched begins at one place."""
    for folder in ("adapters", "cases", "harness", "reference_engine", "reports"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            text, parts = file.read_text("utf-8"), file.relative_to(ROOT).with_suffix("").parts
            names = re.findall(r"^(_?[A-Z_]+) = re\.compile\(", text, re.MULTILINE)
            searched = [name for name in names if re.search(LOOKS_THROUGH.format(name), text)]
            if searched and "engines" not in parts:
                module = importlib.import_module(".".join(("datc", *parts)))
                yield from ((f"{'/'.join(parts)} {name}", getattr(module, name)) for name in searched)
            for call in UNNAMED.finditer(text):
                flags = re.MULTILINE if "MULTILINE" in call["rest"] else 0
                yield f"{'/'.join(parts)} {call['pattern']}", re.compile(ast.literal_eval(call["pattern"]), flags)


def begins_endlessly(items, flags: int) -> bool:
    """Whether it may find any number of characters, and fail behind them, at each of these characters again."""
    for op, argument in items:
        name = str(op)
        if name == "BRANCH":
            return any(begins_endlessly(each, flags) for each in argument[1])
        if name == "SUBPATTERN":
            return begins_endlessly(argument[3], flags)
        if name == "AT" and str(argument) == "AT_BEGINNING" and flags & re.MULTILINE:
            follows = list(items)[1:]
            return begins_endlessly(follows, flags) and any(may_be_newline(each) for each in follows[:1])
        return len(items) > 1 and name in ("MAX_REPEAT", "MIN_REPEAT") and argument[1] is parser.MAXREPEAT
    return False


def may_be_newline(item) -> bool:
    ((op, argument),) = item[1][2]
    if str(op) != "IN":
        return True
    (first, kind), *_ = argument
    return str(first) != "NEGATE" and "SPACE" in str(kind)


@pytest.mark.attack
@pytest.mark.parametrize(("name", "pattern"), [each for each in patterns() if "paste/" not in each[0]])
def test_a_pattern_that_is_searched_for_does_not_begin_endlessly(name, pattern):
    tree = parser.parse(pattern.pattern, pattern.flags)
    assert not begins_endlessly(tree, pattern.flags) or name.split()[-1] in OF_SHORT_TEXTS


@pytest.mark.attack
def test_a_unit_is_looked_for_in_few_words(monkeypatch):
    """A line of an archive may have a hundred thousand words."""

    tried: list[str] = []

    def refuse(text):
        tried.append(text)
        raise NotationError(text, 0, "no unit")

    monkeypatch.setattr(text_games, "read_unit", refuse)
    with pytest.raises(ArchiveError):
        _ = text_games._unit("FRANCE", "x " * 10_000)
    assert len(tried) + len(max(tried, key=len).split()) < 30
