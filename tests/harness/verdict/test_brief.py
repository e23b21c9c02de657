"""Brief data of cases: the same verdicts, and of a case that passes nothing else."""

import msgspec

from datc.cases import load_ruleset, load_suite
from datc.harness.diagnosis.mutants import find_mutant
from datc.harness.session import ReferenceAdjudicator
from datc.harness.verdict import Rules, ask_case


def test_brief_data_have_the_same_verdicts_and_leave_out_only_what_passing_cases_say():
    adjudicator = ReferenceAdjudicator(load_ruleset("1971").ruleset(), find_mutant("hold-support-not-cut").procedure)
    rules = Rules(load_ruleset("datc-3.2").ruleset(), {"6.A.*": "passes all the same", "6.F.*": "declared"})
    verdicts = set()
    for case in load_suite("datc-3.2").cases:
        full, brief = (
            msgspec.structs.replace(ask_case(adjudicator, case, rules, brief=each), seconds=0) for each in (False, True)
        )
        verdicts.add(full.verdict)
        if full.verdict == "passed":
            assert (brief.verdict, brief.notes, brief.phases, brief.choices) == ("passed", full.notes, [], {})
        else:
            assert brief == full
    assert verdicts == {"passed", "deviated", "declared", "failed"}
