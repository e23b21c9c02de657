"""The disputable issues and the rulesets, as the documents have them: each cell with its source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from ..reference_engine import Ruleset, ruleset
from ..reference_engine.errors import nearest
from ..reference_engine.toml import loads
from .errors import UnknownRulesetError

_HERE = Path(__file__).parent


class ChoiceText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[[issue.choice]]`: one way to settle an issue, in a sentence for players."""

    key: str
    text: str
    source: str
    datc_3_2: str = ""
    """Its letter in that edition, where it has one."""
    datc_3_1: str = ""
    datc_2_4: str = ""


class IssueText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[[issue]]`: a question that the documents leave open or answer differently."""

    id: str
    title: str
    question: str
    choice: list[ChoiceText]
    in_datc_3_2: str = ""
    """Where DATC 3.2 has this question, if not under the same number."""

    @property
    def chapter(self) -> str:
        """The part of the DATC that it belongs to, whichever edition its id names: "4.A"; "X" if it has no number."""
        return self.id.rpartition("-")[2].rpartition(".")[0]

    @property
    def numbering(self) -> str:
        """Say in a sentence where DATC 3.2 has this question; nothing if under the same number."""
        return f"In DATC 3.2 this is {self.in_datc_3_2}." if self.in_datc_3_2 else ""

    @property
    def full_question(self) -> str:
        """The question, with where DATC 3.2 has it."""
        return f"{self.question} {self.numbering}".rstrip()

    def sentence(self, choice: str) -> str:
        """Say in a sentence for players what a choice is; nothing of one that is not known."""
        return next((known.text for known in self.choice if known.key == choice), "")


class Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a rule text says on an issue, and where; or what is played where it says nothing."""

    choice: str
    basis: Literal["stated", "ambiguous", "silent", "cannot-arise"]
    source: str


class RulesetText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of `rulesets/`."""

    name: str
    title: str
    choices: dict[str, Cell]
    note: str = ""
    default_coasts: dict[str, str] = {}

    @property
    def short_title(self) -> str:
        """Its title without the years and what else is said of it: "Rulebook of 1971"."""
        return self.title.partition(" (")[0].partition(":")[0]

    def ruleset(self) -> Ruleset:
        """The ruleset as the engine plays it. Raises `RulesetError` for a choice that does not exist."""
        return ruleset(self.name, {issue: cell.choice for issue, cell in self.choices.items()}, self.default_coasts)

    def differing(self, other: RulesetText) -> list[str]:
        """The issues that another ruleset settles differently."""
        return [issue for issue, cell in self.choices.items() if cell.choice != other.choices[issue].choice]


class SiteText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[[site]]` of `sites.toml`: what a site publishes of the rules that it plays."""

    name: str
    source: str
    """The address of its page."""
    note: str
    choices: dict[str, str]


@cache
def load_sites() -> Sequence[SiteText]:
    """Load what sites publish of their rules."""
    content = loads(_HERE.joinpath("sites.toml").read_text(encoding="utf-8"))
    return msgspec.convert(content["site"], list[SiteText])


@cache
def load_issues() -> Mapping[str, IssueText]:
    """All issues by number, in the order of the documents."""
    return _read_issues("issues.toml")


@cache
def load_map_issues() -> Mapping[str, IssueText]:
    """The issues that only some maps have (`Board.choices`), by id."""
    return _read_issues("map_issues.toml")


def _read_issues(file: str) -> Mapping[str, IssueText]:
    content = loads(_HERE.joinpath(file).read_text(encoding="utf-8"))
    return {issue.id: issue for issue in msgspec.convert(content["issue"], list[IssueText])}


@cache
def ruleset_names() -> tuple[str, ...]:
    """Name the rulesets that come with the project."""
    return tuple(sorted(file.stem for file in _HERE.joinpath("rulesets").glob("*.toml")))


@cache
def load_ruleset(name: str) -> RulesetText:
    """Load one of `ruleset_names()` with its sources. Raises `UnknownRulesetError`, which suggests the nearest name."""
    if name not in ruleset_names():
        raise UnknownRulesetError(f"there is no ruleset {name!r}{nearest(name, ruleset_names())}")
    text = _HERE.joinpath("rulesets", f"{name}.toml").read_text(encoding="utf-8")
    return msgspec.convert(loads(text), RulesetText)
