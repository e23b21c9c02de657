"""The rules of the DATC that an answer can break: what an engine does that breaks each, and where to read it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from ...reference_engine import Board, standard_board
from ...reference_engine.toml import loads
from ...reports.vocabulary import Names, listed


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an answer that breaks a rule does, as in `rules.toml`."""

    sentence: str
    """`"The engine …"`, in any position."""
    section: str
    """Where the DATC has the rule."""
    example: str = ""
    """In one."""


@cache
def _rules() -> Mapping[str, Rule]:
    """Read the rules by their keys."""
    text = Path(__file__).with_name("rules.toml").read_text(encoding="utf-8")
    return msgspec.convert(loads(text), dict[str, Rule])


_SPECIAL = frozenset({"own-support+", "convoyed-swap-", "swap+", "several", "foreign+", "border+", "via+", "name+"})


def rule_of(key: str, board: Board | None = None) -> Rule:
    """Return a rule by its key, behind whose colon the provinces of a board may be that it is about."""
    name, _, places = key.partition(":")
    rule = _rules()[name]
    names = Names(board or standard_board()).places(places.split("/"))
    return replace(rule, sentence=rule.sentence.format(places=names)) if places else rule


def with_sections(texts: Iterable[tuple[str, Iterable[str]]]) -> str:
    """Put where the DATC has its rules behind each sentence, which breaks those of some keys."""
    return ", or ".join(
        f"{text} (DATC {listed(dict.fromkeys(rule_of(key).section for key in keys))})" for text, keys in texts
    )


def blame_text(keys: Iterable[str], board: Board | None = None) -> str:
    """Say what breaks the rules of one of these keys: `"counts a support that is cut (DATC 5.B.2)"`."""
    sets = [each.split() for each in keys]
    return with_sections((listed(rule_of(key, board).sentence for key in each), each) for each in sets)


def rank_of(key: str) -> tuple[int, ...]:
    """Return the place of the rules of a key among all, for an order that is always the same."""
    ranks = list(_rules())
    return tuple(ranks.index(each.partition(":")[0]) for each in key.split())


def how_special(key: str) -> int:
    """Say how much the rules of a key are to be preferred to others that explain as much.

    That an order is not followed says no more than that it fails; a border that an engine does not know is seen where
    several other rules would have to be broken.
    """
    names = {each.partition(":")[0] for each in key.split()}
    special = int(not names.isdisjoint(_SPECIAL)) + ("foreign+" in names) - ("no-border-" in names)
    return special - (len(names) - 1) - 2 * ("order-" in names)
