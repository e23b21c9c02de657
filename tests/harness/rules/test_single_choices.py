"""One choice changed at a time: just the cases whose expectations name it may change, and they pass."""

import pytest

from datc.cases import load_suite, suite_names
from datc.reference_engine import DATC_3_1, ISSUES

from ...builtin import ask_builtin

CASES = [case for name in suite_names() for case in load_suite(name).cases]


@pytest.mark.parametrize("issue", ISSUES.values(), ids=lambda issue: issue.id)
def test_only_the_cases_that_name_the_choice_change(issue):
    for choice in issue.choices:
        ruleset = DATC_3_1.with_choices({issue.id: choice})
        for case in CASES:
            found = ask_builtin(case, ruleset)
            # Where no expectation names the issue the default one holds, and so nothing may have changed.
            open_case = found.verdict == "not-run" and issue.id in case.deciding_issues
            assert found.verdict == "passed" or open_case, (choice, case.id, found.reason, found.phases)
