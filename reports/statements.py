"""What is said of an engine: that it has a bug or plays rule choices, and how well that stood its test.

Every command says it in these words; `harness/bugs` decides what is said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from ..cases.suite import CaseName

Strength: TypeAlias = Literal["confirmed", "only-when", "sometimes", "refuted", "untested"]
"""How well a statement stood its test. An untested one fits the answers that are known."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What experiments say of a statement."""

    strength: Strength
    asked: int = 0
    """Fresh positions on which the statement predicts another answer than the rules."""
    agreed: int = 0
    """Of these, those that were answered as it predicts."""
    as_rules: int = 0
    """Those that were answered as the rules have it."""
    flaky: bool = False
    """The same question, asked again, was answered otherwise."""
    only_when: tuple[str, ...] = ()
    """What has to be so in a position, all of it; what is asked are then such positions."""
    elsewhere_asked: int = 0
    """Other positions, on which the statement without its condition predicts another answer than the rules."""
    elsewhere_agreed: int = 0
    alike: tuple[str, ...] = ()
    """The other choices, of the same issue by their names, from which no position that was asked tells a choice; or
    what other bugs do of which the same condition is true."""
    contradicted: bool = False
    """Cases speak against choices that new positions would confirm."""

    @property
    def stands(self) -> bool:
        """Whether nothing that was asked speaks against the statement: it is confirmed, or was not tested."""
        return self.strength in ("confirmed", "untested")

    @property
    def tested(self) -> str:
        """Say how the statement stood its test: `"tested: 20 of 20 new positions agree"`."""
        if self.strength == "untested":
            return "not tested: its answers change when it is asked again" if self.flaky else "fitted, not tested"
        return f"tested: {self.agreement}{'; some answers change when it is asked again' * self.flaky}"

    @property
    def agreement(self) -> str:
        """Say of how many experiments the answers are as predicted, there and elsewhere."""
        elsewhere = f", elsewhere {self.elsewhere_agreed} of {self.elsewhere_asked}" if self.only_when else ""
        against = ", but cases speak against it" if self.contradicted else ""
        return f"{self.agreed} of {self.asked} new positions agree{elsewhere}{against}"


UNTESTED = Evidence(strength="untested")
UNSTABLE = Evidence(strength="untested", flaky=True)
"""What is known of an engine that answers the same question otherwise later: nothing new."""

_PLAYS: Mapping[Strength, tuple[str, str]] = {
    "confirmed": ("Plays", "seen in"),
    "only-when": ("Answers as under", "seen in"),
    "sometimes": ("Sometimes answers as under", "seen in"),
    "refuted": ("Does not play", "under which it would be right in"),
    "untested": ("May play", "under which it is right in"),
}
"""What is said before choices, and before the cases that show them."""


class Statement(NamedTuple):
    """What is said of an engine."""

    bug: str = ""
    """What an engine with a bug does: "counts at most one support for a unit"; empty if it is about choices."""
    choices: Mapping[str, str] = {}
    """The rule choices that the engine plays, by issue."""
    evidence: Evidence = UNTESTED

    def claim(self, quote: Callable[[str], str] = str) -> str:
        """Say it in a main clause without its end: `"Looks like an engine that sometimes cuts no support"`.

        `quote` marks what a stored report may hold.
        """
        if self.bug:
            return f"Looks like an engine that {self.predicate(quote)}"
        return f"{_PLAYS[self.evidence.strength][0]} {self._choices(quote)}{self._condition(quote)}"

    @property
    def seen(self) -> str:
        """What comes between the claim and the cases that show it."""
        return "seen in" if self.bug else _PLAYS[self.evidence.strength][1]

    def predicate(self, quote: Callable[[str], str] = str) -> str:
        """Say what the engine does: `"sometimes cuts no support"`, `"answers as under 4.A.2 = 1982"`."""
        sometimes = "sometimes " if self.evidence.strength == "sometimes" else ""
        return f"{sometimes}{self.does(quote)}{self._condition(quote)}"

    def does(self, quote: Callable[[str], str] = str) -> str:
        """Say what the engine does, whether always, sometimes or under a condition."""
        if self.bug:
            return ", or ".join(map(quote, (self.bug, *self.evidence.alike)))
        return f"answers as under {self._choices(quote)}"

    def _choices(self, quote: Callable[[str], str]) -> str:
        return " or ".join((choices_text(self.choices, quote), *map(quote, self.evidence.alike)))

    def _condition(self, quote: Callable[[str], str]) -> str:
        condition = " and ".join(self.evidence.only_when)
        return f", but only when {quote(condition)}" if condition else ""

    @property
    def refutation(self) -> str:
        """Say what looked like the cause of an answer, and is not."""
        if self.bug:
            return f"like an engine that {self.bug}, which it does not do"
        return f"right under {choices_text(self.choices)}, which it does not play"

    @property
    def doubt(self) -> str:
        """Say why choices that the cases leave are not those of the engine; empty if they stood their test."""
        if self.evidence.stands:
            return ""
        others = f", {self.evidence.as_rules} are as another choice has it" if self.evidence.as_rules else ""
        choices = " or ".join((" and ".join(self.choices.values()), *self.evidence.alike))
        if self.evidence.contradicted:
            return f"{choices} fits some cases, but others speak against it"
        return (
            f"{choices} fits the cases, but of {self.evidence.asked} new positions {self.evidence.agreed} agree{others}"
        )


def choices_text(choices: Mapping[str, str], quote: Callable[[str], str] = str) -> str:
    """Write rule choices: `"4.A.2 = 1982 and X.4 = grand-winner"`."""
    return " and ".join(quote(f"{issue} = {choice}") for issue, choice in choices.items())


class MutantData(msgspec.Struct, frozen=True, kw_only=True):
    """A mutant that wrong answers look like."""

    name: str
    sentence: str
    """What an engine with it does: "counts at most one support for a unit"."""
    cases: list[CaseName]
    """Those that show it: the mutant gives the same wrong answers."""
    against: list[CaseName] = []
    """Those that the mutant would fail and the engine does not."""
    evidence: Evidence | None = None
    """What new positions say of it; `None` where it was not tested."""

    @property
    def statement(self) -> Statement:
        return Statement(self.sentence, evidence=self.evidence or UNTESTED)


class TestedChoices(msgspec.Struct, frozen=True, kw_only=True):
    """Choices under which wrong answers would be right, and whether the engine plays them."""

    choices: dict[str, str]
    cases: list[CaseName]
    """Those whose answers would be right."""
    evidence: Evidence

    @property
    def statement(self) -> Statement:
        return Statement(choices=self.choices, evidence=self.evidence)


class MissingPart(msgspec.Struct, frozen=True, kw_only=True):
    """A whole part of the rules that the engine lacks, as new positions show."""

    name: str
    sentence: str
    """What an engine without it does: "carries out no convoy"."""
    topic: str
    """What of the rules it is of: "convoys"."""
    cases: list[CaseName]
    """Those that rest on it and are not passed."""
    explained: list[CaseName]
    """Of these, those that the reference engine without it answers in the same way."""
    hollow: list[CaseName] = []
    """Those that have such orders and pass all the same, because nothing comes of these orders: they show nothing."""
    asked: int
    """How many of the cases that were answered rest on it."""
    evidence: Evidence

    @property
    def statement(self) -> Statement:
        return Statement(self.sentence, evidence=self.evidence)

    @property
    def count(self) -> str:
        """How many of the cases that rest on it are not passed: "of 24 cases about convoys 22 are not passed"."""
        about = f"of {self.asked} case{'s' * (self.asked != 1)} about {self.topic}"
        return f"{about} {len(self.cases)} {'is' if len(self.cases) == 1 else 'are'} not passed"

    @property
    def note(self) -> str:
        """What is to be known of a case that is passed all the same."""
        return f"it passes also with an engine that {self.sentence}, as this one does: it shows nothing of {self.topic}"
