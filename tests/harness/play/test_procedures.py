"""The other procedures against all suites: where one does not pass, `docs/procedures.md` says why."""

import pytest

from datc.cases import load_ruleset, load_suite, suite_names

from ...builtin import ask_builtin

ALL_CASES = [case for name in suite_names() for case in load_suite(name).cases]


OTHER_WORDS = {("decisions", "datc-3.2", f"6.F.{number}") for number in (16, 17, 18, 23, 24, 27)}
"""Paradoxes in which 3.2 calls a convoy disrupted whose fleet stands: 2.4 lets the move of the army fail instead."""


@pytest.mark.parametrize(("procedure", "ruleset"), [("guess", "datc-3.1"), ("decisions", "datc-2.4")])
def test_it_passes_every_case_under_the_ruleset_of_its_document(procedure, ruleset):
    rules = load_ruleset(ruleset).ruleset()
    for case in ALL_CASES:
        found = ask_builtin(case, rules, procedure)
        told = found.board_verdict if (procedure, case.suite, case.id) in OTHER_WORDS else found.verdict
        assert told == "passed", (case.suite, case.id, found.reason, found.phases)
