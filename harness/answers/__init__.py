"""What an engine answers: checked, normalised, and compared in one place.

`diff_answers` is the only comparison in the project. Every command, report and page filters and renders its facts.
"""

from .answer import Answer, AnswerOrFailure, Failure, OrderOutcome, PhaseInput, answer_of, read_answer
from .differences import (
    ExpectedAnswer,
    ExpectedDislodgement,
    diff_answers,
    expect_answer,
    group_alike,
    not_given,
    same_answer,
    same_words,
)
from .facts import (
    BOARD_KINDS,
    IMPOSSIBLE_KINDS,
    WORD_KINDS,
    Fact,
    FactKind,
    Fate,
    board_facts,
    fact_text,
    fact_texts,
    fate_of,
    unit_text,
)
from .impossible import find_impossible

__all__ = [
    "BOARD_KINDS",
    "IMPOSSIBLE_KINDS",
    "WORD_KINDS",
    "Answer",
    "AnswerOrFailure",
    "ExpectedAnswer",
    "ExpectedDislodgement",
    "Fact",
    "FactKind",
    "Failure",
    "Fate",
    "OrderOutcome",
    "PhaseInput",
    "answer_of",
    "board_facts",
    "diff_answers",
    "expect_answer",
    "fact_text",
    "fact_texts",
    "fate_of",
    "find_impossible",
    "group_alike",
    "not_given",
    "read_answer",
    "same_answer",
    "same_words",
    "unit_text",
]
