"""The disputable issues of DATC chapter 4, the choices of each, and rulesets: one choice for every issue.

Issues have their numbers in DATC 3.1. The id of a question that is new in a later edition begins with the edition.

Choices have names of their own, since their letters differ between the editions of the DATC. The order of the choices
is that of the documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from .errors import RulesetError, nearest


class Issue(NamedTuple):
    """A question that the rulebooks leave open or answer differently (DATC chapter 4)."""

    id: str
    title: str
    choices: tuple[str, ...]


_UNIT_DESIGNATION = "invalid *valid valid-unless-correct-order"

_TABLE: tuple[tuple[str, str, str], ...] = (
    ("4.A.1", "Multi-route convoy disruption", "any-route *all-routes"),
    ("4.A.2", "Convoy disruption paradoxes", "1971 1982 2000 all-hold *szykman dptg alexander"),
    (
        "4.A.3",
        "Convoying to an adjacent province",
        "1971-convoy-always 1971-opposite 1971-opposite-undisrupted 1982-totality *2000-no-fallback"
        + " 2000-fallback-unordered 2000-fallback-disrupted dptg-explicit alexander",
    ),
    ("4.A.4", "Support cut on attack on itself via convoy", "*not-cut cut"),
    ("4.A.5", "Retreat when dislodged by convoy", "no-retreat-to-origin *retreat-to-origin"),
    ("4.A.6", "Convoy path specification", "*ignored allowed required"),
    ("4.A.7", "Avoiding a head-to-head battle to bounce a unit", "never-effect *head-to-head-only"),
    ("v3.2-4.A.4", "The origin of the convoyed attack", "*starting-position brannan"),
    ("4.B.1", "Omitted coast in a move order, two coasts possible", "*fail default-coast"),
    ("4.B.2", "Omitted coast in a move order, one coast possible", "*only-possible default-coast fail"),
    ("4.B.3", "Move order to an impossible coast", "ignore-coast *illegal"),
    (
        "4.B.4",
        "Coast specification in a support order",
        "required default-coast own-or-single *optional-must-match ignored",
    ),
    ("4.B.5", "Wrong coast of an ordered or supported unit", "fail *ignore"),
    ("4.B.6", "Unknown or irrelevant coasts", "fail *ignore"),
    ("4.B.7", "Coast specification in a build order", "*fail default-coast"),
    ("4.C.1", "Missing unit designation", _UNIT_DESIGNATION),
    ("4.C.2", "Wrong unit designation", _UNIT_DESIGNATION),
    ("4.C.3", "Missing unit designation in a build order", "fail army-inland *army-inland-fleet-if-coast"),
    ("4.C.4", "Building a fleet in a land area", "*fail army"),
    ("4.C.5", "Missing nationality in a support order", _UNIT_DESIGNATION),
    ("4.C.6", "Wrong nationality in a support order", _UNIT_DESIGNATION),
    (
        "4.D.1",
        "Multiple order sets with defined order",
        "combine combine-unless-replaced *latest-unless-extended latest",
    ),
    ("4.D.2", "Multiple order sets with undefined order", "hold-all *combine"),
    ("4.D.3", "Multiple orders to the same unit", "first last *illegal-hold"),
    ("4.D.4", "Too many build orders", "none *first-legal last-legal"),
    ("4.D.5", "Multiple build orders for one province", "none *first last"),
    ("4.D.6", "Too many disband orders", "civil-disorder *first-legal last-legal"),
    ("4.D.7", "Waiving builds", "*allowed not-allowed"),
    (
        "4.D.8",
        "Removing a unit in civil disorder",
        "1971-convoy-one-move 1971-own-fleets 1971-any-fleets dptg 1971-all-abilities 2000-country *2023 alexander",
    ),
    ("4.D.9", "Receiving hold support in civil disorder", "fails *succeeds"),
    ("4.E.1", "Illegal orders", "any-writing any-board-space possible-some-situation *possible-now alexander"),
    ("4.E.2", "Poorly written orders", "spelling-only *individual set set-matching"),
    ("4.E.3", "Implicit orders", "allowed *not-allowed"),
    ("4.E.4", "Perpetual orders", "allowed *not-allowed"),
    ("4.E.5", "Proxy orders", "proxy-notified proxy-in-orders *not-allowed"),
    ("4.E.6", "Flying Dutchman", "play-on *datc alexander"),
    ("X.1", "Foreign fleets where own fleets suffice", "*all-matching countrymen-preferred"),
    ("X.2", "What a convoy route is", "simple-path *minimal-path"),
    ("X.3", "Convoy order of a fleet that is never needed", "*illegal-if-unnecessary legal-if-on-any-route"),
    ("X.4", "Support against one's own unit, with rival attackers", "*per-comparison grand-winner"),
    ("X.5", "Support by one's own side in a head-to-head battle", "*attack-vs-defend raw-count"),
    ("X.6", "What a convoying fleet is in the paradox rule of 1982", "ordered *matched routed"),
    ("X.7", "Paradox rule against dislodgement", "*paradox-rule-wins dislodge-rule-wins"),
    ("X.8", "Beleaguered convoying fleet", "*safe beleaguered-disrupts"),
    ("X.9", "When a convoy is disrupted", "*fleet-dislodged outnumbered"),
    ("X.10", "Effect of a disrupted convoy at the destination", "*none still-attacks"),
    ("X.11", "Cutting the support of one's own power", "*never allowed"),
    ("X.12", "Loser of a head-to-head battle against a third unit", "*no-effect tie-only"),
    ("X.15", "Hold support for an army without its convoy", "*no yes"),
    ("X.17", "Alphabetical order of spaces", "*map-name dptg-list"),
    ("X.22", "Backup rule for a paradox that the rule leaves without an answer", "*szykman all-hold"),
)
"""The number of each issue, its title and its choices; a star marks the one that the DATC, version 3.1, prefers."""

ISSUES: Mapping[str, Issue] = {
    number: Issue(number, title, tuple(choices.replace("*", "").split())) for number, title, choices in _TABLE
}
"""Every issue of DATC chapter 4 by its number."""

MAP_ISSUES: Mapping[str, Issue] = {
    issue.id: issue
    for issue in (
        Issue("canal.permits", "Which unit lets foreign fleets pass a canal", ("unit", "fleet")),
        Issue("canal.stays", "How long the unit at a canal has to stay", ("turn", "beginning")),
        Issue("railway.opens", "Which moves of foreign units open a railway", ("any-move", "move-off-the-line")),
    )
}
"""What sources answer differently on maps that have it, by the field of the map that has the choice in force.

A ruleset need not settle it: the choice is then that of the map (`Board.choices`).
"""

EVERY_ISSUE: Mapping[str, Issue] = {**ISSUES, **MAP_ISSUES}
"""The issues of DATC chapter 4, and those of some maps."""


@dataclass(frozen=True)
class Ruleset:
    """One choice for every issue of chapter 4. It can be hashed and compared; `with_choices` makes another from it."""

    name: str
    settled: tuple[tuple[str, str], ...]
    """The issues and their choices, in the order of `EVERY_ISSUE`. Make a ruleset with `ruleset()` instead."""
    coasts: tuple[tuple[str, str], ...] = (("BUL", "EC"), ("SPA", "NC"), ("STP", "NC"))
    """The default coast of each province with two, for the choices `default-coast`: no document names them."""

    @cached_property
    def default_coasts(self) -> Mapping[str, str]:
        """The default coast of each province with two."""
        return dict(self.coasts)

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.settled, self.coasts))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def choices(self) -> Mapping[str, str]:
        """The choice for each issue."""
        return dict(self.settled)

    def with_choices(self, choices: Mapping[str, str]) -> Ruleset:
        """The same ruleset, but for these choices. Raises `RulesetError` for one that does not exist."""
        return ruleset(self.name, {**self.choices, **choices}, self.default_coasts)


def check_choice(issue: str, choice: str) -> None:
    """Raise `RulesetError` for an issue that does not exist, or a choice that it does not have."""
    if issue not in EVERY_ISSUE:
        raise RulesetError(f"there is no issue {issue!r}{nearest(issue, list(EVERY_ISSUE))}")
    if choice not in EVERY_ISSUE[issue].choices:
        raise RulesetError(f"issue {issue} has no choice {choice!r}{nearest(choice, EVERY_ISSUE[issue].choices)}")


def ruleset(name: str, choices: Mapping[str, str], default_coasts: Mapping[str, str] | None = None) -> Ruleset:
    """Make a ruleset from a choice for every issue.

    Args:
        name: Its name.
        choices: The choice for each issue, by number; of `MAP_ISSUES` only those that are not as on the map.
        default_coasts: The default coast of each province with two; by default those of `DATC_3_1`.

    Raises:
        RulesetError: An issue or a choice is unknown, or an issue is left open.
    """
    for issue, choice in choices.items():
        check_choice(issue, choice)
    open_issues = [issue for issue in ISSUES if issue not in choices]
    if open_issues:
        raise RulesetError(f"ruleset {name!r} leaves open {', '.join(open_issues)}")
    settled = tuple((issue, choices[issue]) for issue in EVERY_ISSUE if issue in choices)
    if default_coasts is None:
        return Ruleset(name, settled)
    return Ruleset(name, settled, tuple(sorted(default_coasts.items())))


DATC_3_1: Ruleset = ruleset(
    "datc-3.1",
    {number: choice[1:] for number, _, choices in _TABLE for choice in choices.split() if choice.startswith("*")},
)
"""The preferences of the author of the DATC, version 3.1."""
DATC_3_2: Ruleset = ruleset("datc-3.2", {**DATC_3_1.choices, "4.C.3": "army-inland", "4.D.3": "first"})
"""Those of version 3.2, which are played where nothing else is said."""
