"""Holds what is said of an engine to fresh positions, and shows how often it was right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from random import Random
from typing import Literal, NamedTuple, TypeAlias, final

from datc.cases import load_ruleset
from datc.cases.suite import USUAL_EDITION
from datc.harness.bugs.confirm import Hypothesis, system
from datc.harness.bugs.experiment import Claim, Experiment, drawn_at_random, find_experiments
from datc.harness.bugs.learned_condition import draw_trials
from datc.harness.bugs.small import phase_of, small_experiments
from datc.harness.bugs.topics import KNOWN_MUTANTS
from datc.harness.play.answer import Answer, PhaseInput
from datc.harness.play.differential import ask
from datc.harness.play.session import Adjudicator
from datc.harness.search.disagreement import find_contradiction
from datc.harness.search.relations import UNSTABLE, first_positions, moves_everywhere
from datc.reference_engine import ISSUES, Ruleset, standard_board

Truth: TypeAlias = Literal["true", "half", "wrong"]
_BEST: Sequence[Truth] = ("true", "half", "wrong")
_MOST_TRIED = 20_000
"""Positions that are looked at for those on which a condition holds."""

RULES = load_ruleset(USUAL_EDITION).ruleset()
"""What every engine is asked to play."""
FRESH = 100
_OF_A_SIBLING = 40
_OF_COASTS = 5
"""So many times more positions are looked for where those are chosen that spread over coasts."""
_OF_A_RELATION = 300
"""Random positions of which a relation is asked, beside those that every engine is asked of it first."""
_ALWAYS, _SOMETIMES = (0.9, 0.4), (0.4, 0.1)
"""The shares of positions from which a statement is true, and from which it is half true."""
_IN_THE_WAY = 0.2
GOALS = {"confirmed": 0.98, "only-when": 0.9, "sometimes": 0.8}
"""The share of the statements of each strength that is to be true."""
MOST_WRONG = 0.01


class Said(NamedTuple):
    """A statement about an engine."""

    strength: str
    """`confirmed`, `only-when`, `sometimes`, `refuted`; `relation` where it is of something that changes an answer."""
    statement: str
    truth: Truth


def other_choices() -> Iterator[tuple[str, str]]:
    """Yield each choice of each issue that an engine is not asked to play."""
    for issue in ISSUES.values():
        yield from ((issue.id, choice) for choice in issue.choices if choice != RULES.choices[issue.id])


def truth_of(
    engine: Adjudicator,
    hypothesis: Hypothesis,
    rules: Ruleset,
    only_when: Sequence[str] = (),
    *,
    sometimes: bool = False,
) -> Truth:
    """Hold the statement that an engine plays choices, or is like a mutant, to other positions than those of its test.

    They are those on which that predicts another answer than `rules`. With a condition, the
    engine has to answer as predicted where it holds, and not where it does not. Small positions count alone where
    other bugs make a fifth of its answers fit neither.
    """
    levels = _SOMETIMES if sometimes else _ALWAYS
    claim = Claim(system(hypothesis, rules), system((), rules))
    if not only_when:
        answered = [(one, ask(engine, one.ordered)) for one in _fresh(claim, FRESH)]
        right = [one.is_as(one.predicted, answer) for one, answer in answered]
        neither = sum(
            not agreed and not one.is_as(one.by_rules, answer)
            for agreed, (one, answer) in zip(right, answered, strict=True)
        )
        if isinstance(hypothesis, str) and neither >= _IN_THE_WAY * len(answered):
            phase = phase_of(KNOWN_MUTANTS[hypothesis].procedure)
            small = small_experiments(claim, (), phase, seed=99)
            right = [one.is_as(one.predicted, ask(engine, one.ordered)) for one in small] or right
        return _truth(right, levels)
    held: list[bool] = []
    elsewhere: list[bool] = []
    for trial in islice(draw_trials(Random("truth"), claim, set()), _MOST_TRIED):
        inside = trial.features.issuperset(only_when)
        if len(held if inside else elsewhere) < FRESH:
            as_predicted = trial.answer_of(engine) is True
            (held if inside else elsewhere).append(as_predicted is inside)
        if min(len(held), len(elsewhere)) >= FRESH:
            break
    found = (_truth(held), _truth(elsewhere))
    return next(each for each in reversed(_BEST) if each in found)


def truth_of_either(
    engine: Adjudicator,
    names: Sequence[str],
    rules: Ruleset,
    only_when: Sequence[str] = (),
    *,
    sometimes: bool = False,
) -> Truth:
    """Find how true "A or B" is, of mutants: one of them has to be."""
    found = [truth_of(engine, name, rules, only_when, sometimes=sometimes) for name in names]
    return next(each for each in _BEST if each in found)


def truth_of_choices(
    engine: Adjudicator,
    rules: Ruleset,
    choices: Mapping[str, str],
    *,
    sometimes: bool = False,
) -> Truth:
    """Hold the statement that an engine plays choices to positions that tell each from the other choices of its issue.

    Each counts in which it answers as the choice or as the other one. They must be true apart from `rules`, too.
    """
    said = tuple(sorted(choices.items()))
    levels = _SOMETIMES if sometimes else _ALWAYS
    found = [truth_of(engine, said, rules, sometimes=sometimes)]
    for issue, choice in choices.items():
        for sibling in ISSUES[issue].choices:
            if sibling not in (choice, rules.choices[issue]):
                other = tuple(sorted({**choices, issue: sibling}.items()))
                fresh = _fresh(Claim(system(said, rules), system(other, rules)), _OF_A_SIBLING)
                answers = [(one, ask(engine, one.ordered)) for one in fresh]
                mine = [one.is_as(one.predicted, answer) for one, answer in answers]
                theirs = [one.is_as(one.by_rules, answer) for one, answer in answers]
                found.append(_truth([a for a, b in zip(mine, theirs, strict=True) if a != b], levels))
    return next(each for each in reversed(_BEST) if each in found)


@lru_cache(maxsize=512)
def _fresh(claim: Claim, count: int) -> Sequence[Experiment]:
    """Find positions for a claim, which are the same for each engine of which it is made.

    Where most are about a province with two coasts, each such province counts as much as the others, as far as it can.
    """
    found = find_experiments(claim, count=count, seed=99)
    if 2 * sum(map(bool, map(_coasts_of, found))) < len(found):
        return found
    turns, ranked = Counter[frozenset[str]](), list[tuple[int, Experiment]]()
    for one in find_experiments(claim, count=_OF_COASTS * count, seed=99):
        ranked.append((turns[_coasts_of(one)], one))
        turns[_coasts_of(one)] += 1
    return [one for _, one in sorted(ranked, key=lambda each: each[0])][:count]


def _coasts_of(one: Experiment) -> frozenset[str]:
    """The provinces with two coasts that an experiment concerns."""
    return one.concerned & {province.code for province in standard_board().provinces if province.coasts}


@final
class _Anew(Adjudicator):
    """An engine that is started again for each request, and so remembers none."""

    def __init__(self, start: Callable[[], Adjudicator]) -> None:
        self.name = "anew"
        self._start = start

    def ask(self, asked: PhaseInput) -> Answer:
        return self._start().ask(asked)


def truth_of_relation(start: Callable[[], Adjudicator], relation: str) -> Truth:
    """Find out whether there is a position in which something changes an answer that should not.

    That an engine remembers earlier requests must not be the reason, but where that is what is said.
    """
    drawn = islice(drawn_at_random(Random("truth")), _OF_A_RELATION)
    for salt, ordered in enumerate((*first_positions(), *moves_everywhere(), *drawn)):
        engine = start() if relation in UNSTABLE else _Anew(start)
        if find_contradiction(engine, ordered, RULES, relation, salt) is not None:
            return "true"
    return "wrong"


def counted(said: Iterable[Said]) -> str:
    """Return how many statements of each strength are true, half true and wrong."""
    counts = Counter((each.strength, each.truth) for each in said)
    return ", ".join(f"{count} {strength} {truth}" for (strength, truth), count in counts.items())


def print_goals(said: Sequence[Said]) -> None:
    """Print a table of how often statements of each strength are true."""
    print("| strength | statements | true | half | wrong | true, of all | goal |")
    print("|:--|--:|--:|--:|--:|--:|--:|")
    for strength in (*GOALS, "relation", "refuted"):
        counts = Counter(each.truth for each in said if each.strength == strength)
        if total := counts.total():
            goal = f"{GOALS[strength]:.0%}" if strength in GOALS else ""
            row = (total, counts["true"], counts["half"], counts["wrong"], f"{counts['true'] / total:.1%}", goal)
            print(f"| {strength} | {' | '.join(map(str, row))} |")
    wrong = sum(each.truth == "wrong" for each in said)
    print(f"wrong: {wrong} of {len(said)} ({wrong / max(1, len(said)):.1%}, goal {MOST_WRONG:.0%})", flush=True)


def _truth(right: Sequence[bool], levels: tuple[float, float] = _ALWAYS) -> Truth:
    share = sum(right) / len(right) if right else 1.0
    return "true" if share >= levels[0] else "half" if share >= levels[1] else "wrong"
