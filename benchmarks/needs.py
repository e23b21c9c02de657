"""Writes which mutants each case of the project notices, for the stages of `datc-check next`.

    python benchmarks/needs.py > harness/bugs/needs.json

Run it again when cases or mutants are added or changed: it takes two minutes.
"""

from __future__ import annotations

import json

from datc.cases import load_ruleset, load_suite, suite_names
from datc.harness.bugs.topics import find_needs


def main() -> None:
    """Print the table, a case a line, so that changes can be read."""
    suites = [f" {json.dumps(name)}: {_table(name)}" for name in suite_names()]
    print("{", ",\n".join(suites), "}", sep="\n")


def _table(suite: str) -> str:
    loaded = load_suite(suite)
    ruleset = load_ruleset(loaded.ruleset).ruleset()
    rows = [f"  {json.dumps(case.id)}: {json.dumps(find_needs(case, ruleset))}" for case in loaded.cases]
    return "\n".join(["{", ",\n".join(rows), " }"])


if __name__ == "__main__":
    main()
