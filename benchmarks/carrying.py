"""How many cases of DATC 3.2 each map holds, and that the reference engine passes them under every ruleset.

    python benchmarks/carrying.py [MAP]...

Prints a line a map: the cases that were carried, the seconds that this took, in how many of (case, ruleset) the
reference engine does not answer as expected, boards and words, and each case that the map cannot hold, with the reason.
"""

from __future__ import annotations

import sys
import time

from datc.cases import load_ruleset, load_suite, ruleset_names
from datc.harness.play.carry import carried_cases
from datc.harness.play.case_verdicts import ask_case
from datc.harness.play.session import ReferenceAdjudicator
from datc.harness.play.verdict import Rules
from datc.reference_engine import DATC_3_2
from datc.reference_engine.maps import own_map_names


def measure(name: str) -> None:
    """Carry the cases to a map, and ask the reference engine each under every ruleset."""
    cases = load_suite("datc-3.2").cases
    began = time.perf_counter()
    found = carried_cases(cases, name, 1, 0, DATC_3_2)
    seconds = time.perf_counter() - began
    asked = wrong = 0
    for ruleset in [load_ruleset(each).ruleset() for each in ruleset_names()]:
        for case in found.cases:
            data = ask_case(ReferenceAdjudicator(ruleset), case, Rules(ruleset))
            asked += 1
            wrong += data.verdict != "passed" or bool(data.notes) or any(phase.not_given for phase in data.phases)
    count = f"{len(found.cases)} of {len(cases)} cases in {seconds:.1f} s"
    print(f"{name}: {count}; the reference engine differs in {wrong} of {asked}", flush=True)
    for case, why in found.not_carried:
        print(f"  {case.id}: {why}")


if __name__ == "__main__":
    for map_name in sys.argv[1:] or own_map_names():
        measure(map_name)
