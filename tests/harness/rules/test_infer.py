"""Which choices an engine makes is found out from its answers alone."""

from collections.abc import Mapping
from random import Random

import click
import msgspec
import pytest
from click.testing import CliRunner

from datc.adapters import AdjudicateParams, AdjudicateResult, UnsupportedError
from datc.cases import Case, load_ruleset, load_suite, ruleset_names, suite_names
from datc.harness.cli.commands.compare import compare_command
from datc.harness.cli.commands.diagnose import infer_command
from datc.harness.play.verdict import Rules
from datc.harness.rules.infer import Conclusion, Constraint, conclude, everything, infer, propagate, tells_something
from datc.reference_engine import DATC_3_1, ISSUES, Ruleset

from ...builtin import random_ruleset
from ..play.altered import Altered

CASES = [case for name in suite_names() for case in load_suite(name).cases]
CASES_BY_ISSUE = {issue: [case for case in CASES if issue in case.deciding_issues] for issue in ISSUES}
RULES = Rules(DATC_3_1, {})


def inferred(engine: Altered) -> Conclusion:
    return infer(engine, engine.capabilities, CASES, RULES).conclusion


def check_found(ruleset: Ruleset, conclusion: Conclusion) -> None:
    """Assert that exactly those choices are found that give every case the outcome that the ruleset gives it."""
    assert conclusion.contradictions == ()
    assert conclusion.bugs == ()
    for issue, finding in conclusion.findings.items():
        assert ruleset.choices[issue] in finding.choices, issue
        for choice in set(ISSUES[issue].choices) - set(finding.choices):
            assert told_apart(issue, ruleset.choices, {**ruleset.choices, issue: choice}), (issue, choice)


def told_apart(issue: str, one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether some case has another outcome, the choice for one issue being another."""
    return any(
        left is not right and (left is None or right is None or not left.same_outcome(right))
        for case in CASES_BY_ISSUE[issue]
        for left, right in ((phase.expected(one), phase.expected(other)) for phase in case.phases)
    )


@pytest.mark.parametrize("name", ruleset_names())
def test_every_ruleset_is_recognised(name):
    ruleset = load_ruleset(name).ruleset()
    conclusion = inferred(Altered(ruleset=ruleset))
    check_found(ruleset, conclusion)
    for issue, finding in conclusion.findings.items():
        others = [choice for choice in finding.choices if choice != ruleset.choices[issue]]
        assert bool(others) == bool(finding.why_open)
        assert others or finding.proof


def test_random_rulesets_are_recognised():
    """Each choice of each issue is drawn."""
    rng = Random(6)
    rulesets = [random_ruleset(rng) for _ in range(40)]
    for issue in ISSUES.values():
        drawn = {ruleset.choices[issue.id] for ruleset in rulesets}
        assert drawn == {*issue.choices} or issue.id == "v3.2-4.A.4"
    for ruleset in rulesets:
        check_found(ruleset, inferred(Altered(ruleset=ruleset)))


def test_only_cases_that_tell_something_are_asked():
    engine = Altered(ruleset=DATC_3_1)
    conclusion = inferred(engine)
    assert conclusion.asked < len(CASES) / 2
    assert conclusion.asked <= len(engine.asked)
    assert not any(tells_something(case, everything()) for case in CASES if not case.deciding_issues)


def case(case_id: str) -> Case:
    return next(case for case in CASES if case.id == case_id)


def test_a_contradiction_is_set_aside_with_no_more_cases_than_it_takes():
    constraints = [
        Constraint(case("6.B.7"), ({"4.B.4": ("optional-must-match", "ignored")},)),
        Constraint(case("6.B.8"), ({"4.B.4": ("required",)},)),
        Constraint(case("6.B.9"), ({"4.B.4": ("required", "optional-must-match")},)),
        Constraint(case("6.B.10"), ({"4.B.5": ("ignore",)},)),
    ]
    conclusion = conclude(constraints)
    assert [[each.id for each in cases] for cases in conclusion.contradictions] == [["6.B.7", "6.B.8"]]
    assert conclusion.findings["4.B.4"].choices == ("required", "optional-must-match")
    assert "6.B.7, 6.B.8" in conclusion.findings["4.B.4"].why_open
    assert conclusion.findings["4.B.5"].choices == ("ignore",)
    assert conclusion.findings["4.B.5"].proof == (case("6.B.10"),)


def test_choices_that_only_fit_together_are_found_by_trying():
    """No case alone rules out a choice, but there is no ruleset for every pair of choices."""
    pair = ({"4.A.1": ("any-route",), "4.A.6": ("ignored",)}, {"4.A.1": ("all-routes",), "4.A.6": ("allowed",)})
    constraints = [
        Constraint(case("6.F.9"), pair),
        Constraint(case("6.F.9"), ({"4.A.1": ("any-route",), "4.A.6": ("ignored", "required")},)),
    ]
    found = conclude(constraints).findings
    assert (found["4.A.1"].choices, found["4.A.6"].choices) == (("any-route",), ("ignored",))


def test_what_was_left_out_before_is_not_looked_for_again():
    rng, narrowed = Random(4), 0
    cases = [each for each in CASES if len(each.deciding_issues) > 1]
    for _ in range(60):
        chosen = [(each, [one.choices for one in each.alternatives]) for each in rng.sample(cases, 12)]
        constraints = [Constraint(each, tuple(rng.sample(every, -(-len(every) // 2)))) for each, every in chosen]
        before = propagate(constraints, everything())
        for issue, choices in before.items() if before else ():
            changed = {**(before or {}), issue: choices[:1]}
            after = propagate(constraints, changed)
            assert propagate(constraints, changed, {issue}) == after
            narrowed += after != changed
    assert narrowed > 50


def losing_all_units(case_id: str) -> Altered:
    """An engine that loses all units in one case."""
    orders = [order.text for order in case(case_id).phases[0].orders]

    def change(params: AdjudicateParams, answer: AdjudicateResult) -> AdjudicateResult:
        lost = [order.text for order in params.orders] == orders
        return msgspec.structs.replace(answer, units=[]) if lost else answer

    return Altered(change, ruleset=DATC_3_1)


def test_what_is_right_under_no_ruleset_proves_nothing():
    conclusion = inferred(losing_all_units("6.G.13"))
    assert "6.G.13" in [case.id for case in conclusion.bugs]
    assert conclusion.contradictions == ()
    assert conclusion.findings["4.A.4"].choices == ISSUES["4.A.4"].choices
    assert "6.G.13" in conclusion.findings["4.A.4"].why_open
    assert conclusion.findings["4.B.1"].choices == ("fail",)


def test_an_engine_that_cannot_be_asked_leaves_it_open():
    def only_movement(params: AdjudicateParams, answer: AdjudicateResult) -> AdjudicateResult:
        if params.phase == "adjustment":
            raise UnsupportedError("no adjustments")
        return answer

    conclusion = inferred(Altered(only_movement, ruleset=DATC_3_1))
    assert conclusion.findings["4.D.8"].choices == ISSUES["4.D.8"].choices
    assert "does not support what would decide this: 6.J" in conclusion.findings["4.D.8"].why_open
    assert conclusion.unsupported


def test_every_case_can_be_asked_so_that_what_contradicts_shows():
    """One case is superfluous: asked no more than it takes, nobody sees that the engine is wrong there."""
    engine = losing_all_units("6.A.1")
    assert inferred(engine).bugs == ()
    found = infer(engine, engine.capabilities, CASES, RULES, every_case=True)
    assert [(case.suite, case.id) for case in found.conclusion.bugs] == [("datc-3.2", "6.A.1"), ("datc-3.1", "6.A.1")]
    assert found.conclusion.asked == len(found.cases) == len(CASES)
    verdicts = {case.id: case.verdict for case in found.cases if case.suite == "datc-3.1" and case.verdict != "passed"}
    assert verdicts == {"6.A.1": "failed"}


def test_a_case_tells_what_its_answer_leaves_of_each_issue():
    engine = Altered(ruleset=DATC_3_1.with_choices({"4.B.5": "fail"}))
    found = {case.id: case for case in infer(engine, engine.capabilities, CASES, RULES).cases}
    assert (found["6.B.10"].verdict, found["6.B.10"].choices) == ("deviated", {"4.B.5": ["fail"]})
    assert (found["6.B.12"].verdict, found["6.B.12"].choices) == ("passed", {"4.B.6": ["ignore"]})
    deviating = [case for case in found.values() if case.verdict == "deviated"]
    assert deviating
    assert all("right under" in case.reason and case.phases for case in deviating)


def run(command: click.Command, *arguments: str):
    return CliRunner().invoke(command, [*arguments])


def test_the_choices_are_written_as_a_table_of_the_config():
    settled = msgspec.toml.decode(run(infer_command, "builtin", "--ruleset", "dptg", "--toml").output)
    assert settled["choices"]["4.A.2"] == "dptg"


@pytest.mark.parametrize(
    ("command", "arguments", "written", "said"),
    [
        (infer_command, ["builtin", "--suite", "datc-3.1"], "### `datc-check reference engine", "cases asked"),
        (compare_command, ["builtin", "builtin", "--select", "6.B.1"], "### 2 engines", "They answer alike."),
    ],
)
def test_a_report_on_standard_output_leaves_the_terminal_the_rest(command, arguments, written, said):
    piped = run(command, *arguments, "--report", "markdown:-")
    assert piped.stdout.startswith(written)
    assert said in piped.stderr


def test_a_report_that_cannot_be_written_is_told():
    done = run(infer_command, "builtin", "--suite", "datc-2.4", "--report", "html:/dev/full")
    assert done.exit_code == 1
    assert "a report cannot be written" in done.output


def test_an_engine_that_does_not_start_answers_nothing_alike():
    done = run(compare_command, "builtin", "exec:/no/such/engine", "--select", "6.B")
    assert done.exit_code == 3
    assert "was not asked to the end" in done.output
    assert "They answer alike" not in done.output
