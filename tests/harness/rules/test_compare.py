"""Where engines differ."""

import msgspec
import pytest

from datc.adapters import AdjudicateParams, AdjudicateResult, EngineFailure, EngineSpec
from datc.cases import load_suite, select_cases
from datc.harness.play.verdict import Rules
from datc.harness.rules.compare import compare
from datc.harness.run.runner import Run
from datc.reference_engine import DATC_3_1, Ruleset
from datc.reports import BoardData, Report, UnitData
from datc.reports.comparison import Agreement

from ..play.altered import Altered

CASES = select_cases(load_suite("datc-3.1").cases, ["6.B"])
LENIENT = DATC_3_1.with_choices({"4.B.4": "ignored"})
STRICT = DATC_3_1.with_choices({"4.B.4": "required", "4.B.6": "fail"})


def report(ruleset: Ruleset, silent_on: str = "nothing") -> Report:
    """Run the reference engine with rules of its own, silent on some orders."""

    def change(params: AdjudicateParams, answer: AdjudicateResult) -> AdjudicateResult:
        if any(silent_on in order.text for order in params.orders):
            raise EngineFailure("pardon?")
        return answer

    engine = Altered(change, ruleset=ruleset)
    return Run(engine, EngineSpec("fixed"), CASES, Rules(DATC_3_1, {})).to_the_end()


def test_three_engines():
    found = compare([report(DATC_3_1), report(LENIENT), report(STRICT)])
    assert len(found.cases) == len(CASES)
    by_key = {case.key: case for case in found.cases}
    lenient = by_key["datc-3.1/6.B.9"]
    assert (lenient.groups, lenient.odd_one_out) == (((0, 2), (1,)), 1)
    assert lenient.verdicts == ("passed", "deviated", "passed")
    strict = by_key["datc-3.1/6.B.12"]
    assert (strict.groups, strict.odd_one_out) == (((0, 1), (2,)), 2)
    assert by_key["datc-3.1/6.B.1"].groups == ((0, 1, 2),)
    assert by_key["datc-3.1/6.B.1"].odd_one_out is None
    assert {case.key.partition("/")[2] for case in found.differing} == {"6.B.7", "6.B.8", "6.B.9", "6.B.12", "6.B.15"}
    assert found.agreements[0, 1] == Agreement(len(CASES) - 1, len(CASES))
    inferred = {each.issue: [one or None for one in each.choices] for each in found.issues}
    assert inferred == {
        # With another choice for 4.B.1 the two strict ones cannot be told from that of 1971: its coast is never meant.
        "4.B.4": [("default-coast", "optional-must-match"), ("ignored",), ("required", "default-coast")],
        "4.B.6": [("ignore",), ("ignore",), ("fail",)],
    }
    assert [case.first.id for case in found.issues[1].evidence] == ["6.B.12"]
    assert not any(found.contradictions)
    assert found.groups == ((0,), (1,), (2,))


def test_who_says_nothing_agrees_with_nobody():
    found = compare([report(DATC_3_1), report(DATC_3_1, silent_on="Spain(nc)")])
    silent = [case for case in found.cases if case.groups == ((0,),)]
    assert silent
    assert all(case.verdicts == ("passed", "error") for case in silent)
    assert found.differing == ()
    assert found.agreements[0, 1] == Agreement(len(CASES) - len(silent), len(CASES) - len(silent))
    assert found.groups == ((0,), (1,))
    assert not found.alike
    assert found.issues == ()


def test_reports_read_back_compare_alike():
    run_now = report(LENIENT)
    stored = msgspec.json.decode(msgspec.json.encode(run_now), type=Report)
    found = compare([run_now, stored])
    assert (found.groups, found.differing, found.issues) == (((0, 1),), (), ())
    against = compare([report(DATC_3_1), stored])
    assert {each.issue: each.choices[1] for each in against.issues} == {"4.B.4": ("ignored",)}


@pytest.mark.parametrize(
    "change",
    [
        {"orders": []},
        {"answer": BoardData(units=[UnitData(power="x", type="x", location="x")])},
        {"answer": BoardData(units=[UnitData(power="x", type="A", location="x")])},
    ],
)
def test_a_stored_run_of_other_cases_or_with_nonsense_in_it_shows_no_choices(change):
    """A case may have changed since, and a file may hold anything."""
    found = report(LENIENT)
    cases = [
        msgspec.structs.replace(case, phases=[msgspec.structs.replace(phase, **change) for phase in case.phases])
        for case in found.cases
    ]
    assert compare([report(STRICT), msgspec.structs.replace(found, cases=cases)]).issues == ()
    others = [msgspec.structs.replace(case, suite="house") for case in found.cases]
    assert compare([report(STRICT), msgspec.structs.replace(found, cases=others)]).issues == ()
