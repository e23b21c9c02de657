"""Writes which mutants each case of the project notices, for `datc-check next` and what a run says of failures.

    python benchmarks/needs.py

Run it again when cases or mutants are added or changed: it takes four minutes on two cores.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache

from datc.cases import Case, load_ruleset, load_suite, ruleset_names, suite_names
from datc.harness.bugs.topics import (
    ELSEWHERE_FILE,
    KNOWN_MUTANTS,
    NEEDS_FILE,
    decides_alike,
    find_needs,
    rules_of_suite,
)


def main() -> None:
    """Write both tables, a case a line, so that changes can be read."""
    cases = _cases()
    with ProcessPoolExecutor() as pool:
        needs, elsewhere = zip(*pool.map(_needs, range(len(cases)), chunksize=4), strict=True)
    rows: dict[str, list[str]] = {name: [] for name in suite_names()}
    for case, own in zip(cases, needs, strict=True):
        rows[case.suite].append(f"  {json.dumps(case.id)}: {json.dumps(own)}")
    suites = [f" {json.dumps(name)}: {{\n{_lines(each)}\n }}" for name, each in rows.items()]
    _ = NEEDS_FILE.write_text(f"{{\n{_lines(suites)}\n}}\n", "utf-8")
    others = [
        f" {json.dumps(case.key)}: {json.dumps(more)}" for case, more in zip(cases, elsewhere, strict=True) if more
    ]
    _ = ELSEWHERE_FILE.write_text(f"{{\n{_lines(others)}\n}}\n", "utf-8")


@cache
def _cases() -> Sequence[Case]:
    return [case for name in suite_names() for case in load_suite(name).cases]


def _lines(rows: Sequence[str]) -> str:
    return ",\n".join(rows)


def _needs(number: int) -> tuple[Sequence[str], Sequence[str]]:
    """Find what a case notices under the rules of its suite, and what only under others that decide it alike."""
    case = _cases()[number]
    own = find_needs(case, rules_of_suite(case.suite))
    others = [load_ruleset(name).ruleset() for name in ruleset_names()]
    left = [name for name in KNOWN_MUTANTS if name not in own]
    more = {name for other in others if decides_alike(case, other) for name in find_needs(case, other, left)}
    return own, [name for name in left if name in more]


if __name__ == "__main__":
    main()
