"""The root of all errors of the project, drawn once, and the errors of this floor.

    DatcCheckError
    +- ReferenceEngineError      here
    |  +- NotationError
    |  |  +- AmbiguousNameError
    |  +- PositionError
    |  +- ProcessError
    |  +- RulesetError
    |  |  +- UnplayedChoiceError
    |  +- UnknownProcedureError
    +- CasesError                cases/errors.py: a suite, a case or a ruleset
    +- AdapterError              adapters/errors.py: an engine
    +- StoredRunError            reports/errors.py
    +- HarnessError              harness/errors.py: the config and the command line; each room derives its own

Each says what is wrong and, where it can, what would be right.
"""

from __future__ import annotations

from collections.abc import Sequence


def printable(text: str) -> str:
    """Replace every character of a text, such as an engine's answer, that a terminal would not show as itself."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


_MOST_TO_LIST = 60
"""More words than these help nobody who meant none of them."""


def nearest(word: str, known: Sequence[str]) -> str:
    """Return the end of a message on an unknown word: the known word that is near it, or all that are known."""
    from difflib import get_close_matches  # Here, since it takes long to import.

    spellings = {name.casefold(): name for name in known}
    close = get_close_matches(word.casefold(), spellings, n=1)
    if close:
        return f": did you mean {spellings[close[0]]!r}?"
    if len(known) > _MOST_TO_LIST:
        return f": it is one of {len(known)}, from {known[0]} to {known[-1]}"
    return f": it is {', '.join(known)}"


class DatcCheckError(Exception):
    """An error that is raised on purpose: `str(error)` is one message for a person."""


class ReferenceEngineError(DatcCheckError):
    """The root of all errors of the reference engine."""


class PositionError(ReferenceEngineError):
    """What was given is not a position on the board, such as two units in one province."""


class RulesetError(ReferenceEngineError):
    """A ruleset names an issue or a choice that does not exist."""


class UnplayedChoiceError(RulesetError):
    """The choice exists, but this engine does not play it."""


class UnknownProcedureError(ReferenceEngineError):
    """There is no procedure of that name."""


class ProcessError(ReferenceEngineError):
    """A process that shares the work ended before it was done."""


class NotationError(ReferenceEngineError):
    """A text is no order.

    Args:
        text: The whole order.
        column: The place in it that could not be read, from 0.
        problem: What is wrong there.
    """

    def __init__(self, text: str, column: int, problem: str) -> None:
        super().__init__(text, column, problem)
        self.text: str = text
        self.column: int = column
        self.problem: str = problem

    def __str__(self) -> str:
        return f"{self.problem} (column {self.column + 1})\n  {printable(self.text)}\n  {' ' * self.column}^"


class AmbiguousNameError(NotationError):
    """A name in an order could mean several provinces.

    Args:
        text: The whole order.
        column: Where the name begins, from 0.
        end: Where it ends.
        codes: The provinces that it could mean.
    """

    def __init__(self, text: str, column: int, end: int, codes: tuple[str, ...]) -> None:
        super().__init__(text, column, f"{text[column:end]!r} could be {' or '.join(codes)}")
        self.end: int = end
        self.codes: tuple[str, ...] = codes
