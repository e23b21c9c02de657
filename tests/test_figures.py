"""The figures of the README are those of the data; `DATC_RENEW=1` writes them."""

from pathlib import Path

from datc.adapters import bridge_names, find_bridge
from datc.cases import USUAL_EDITION, load_suite, ruleset_names, suite_names
from datc.harness.runner import read_expected

from .tables import hold, hold_figures

README = Path(__file__).parents[1] / "README.md"
VERDICTS = ("passed", "deviated", "failed", "error", "unsupported")


def test_the_readme_counts_cases_rulesets_and_bridges():
    suites = [load_suite(name) for name in suite_names()]
    cases = sum(len(suite.cases) for suite in suites)
    hold_figures(README, "over {} in {} [suites]", cases // 50 * 50, len(suites))
    hold_figures(README, "under each of {} rulesets", len(ruleset_names()))
    hold_figures(README, "There are bridges to {} engines.", len(bridge_names()))


def test_the_readme_has_the_verdicts_of_each_bridge():
    """As the tests of the bridges see them in a run."""
    shown = []
    for name in bridge_names():
        bridge = find_bridge(name)
        table, expected = bridge.table, read_expected(bridge)
        link = f"[{table.engine.partition(' (')[0]}](adapters/engines/{name}/) {table.version}, {table.language}"
        verdicts = [expected.row(case)[0] for case in load_suite(USUAL_EDITION).cases]
        shown.append([f"`datc-check run {name}`", link, *(str(verdicts.count(each) or "") for each in VERDICTS)])
    hold(README, "Engines that people use", shown)
