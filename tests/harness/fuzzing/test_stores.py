"""Stores of version 0.1 are read, shown, and gone on with. `store-0.1` was written by it."""

import shutil
from dataclasses import replace
from pathlib import Path

import msgspec

from datc.adapters import EngineSpec
from datc.harness.fuzzing.findings import Store
from datc.harness.fuzzing.grouping import group_findings
from datc.harness.fuzzing.hunt import Hunt
from datc.harness.fuzzing.report import hunt_report
from datc.harness.fuzzing.texts import case_file, cause_text, difference_lines
from datc.reference_engine import Disband, Hold, Move, Retreat

from .adjudicators import Altered, plan_for

STORE = Path(__file__).with_name("store-0.1")
PLAN = plan_for(EngineSpec("altered"), 60, ("random", "metamorphic"), ("dense", "opening"))


def turks_stay(ordered):
    """Turkish units neither move nor retreat."""

    def stay(given):
        match given.order:
            case Move(unit=unit) if given.power == "TURKEY":
                return given._replace(order=Hold(unit))
            case Retreat(unit=unit) if given.power == "TURKEY":
                return given._replace(order=Disband(unit))
            case _:
                return given

    return ordered._replace(orders=tuple(map(stay, ordered.orders)))


def hunt_with(plan, store=None):
    hunt = Hunt(plan, ["altered"], store)
    if store is not None:
        hunt.done.update({chunk: result for chunk, result in store.results().items() if chunk < plan.chunks})
    for _ in hunt.go_on([Altered(turks_stay)], 1, None, None):
        pass
    return hunt


def without_facts(finding):
    return msgspec.structs.replace(finding, facts=[], of_retreats=False)


def test_a_hunt_goes_on_with_a_store_as_if_there_had_been_no_other_version(tmp_path):
    store = Store(Path(shutil.copytree(STORE, tmp_path / "store")))
    assert store.possible(PLAN) == (None,)
    went_on, whole = hunt_with(PLAN, store), hunt_with(PLAN)
    assert (went_on.asked_now, went_on.positions) == (20, 60)
    kept = [finding for result in store.results().values() for finding in result.findings if finding.number < 40]
    fresh = [finding for finding in whole.findings if finding.number >= 40]
    assert list(map(without_facts, went_on.findings)) == list(map(without_facts, [*kept, *fresh]))
    assert kept
    assert fresh
    assert any(finding.facts for finding in whole.findings)


def test_what_is_wrong_is_found_again_from_the_answers_that_were_kept():
    findings = [finding for result in Store(STORE).results().values() for finding in result.findings]
    groups = group_findings(findings)
    lines = {cause_text(group): difference_lines(group.smallest) for group in groups if group.smallest is not None}
    assert lines["another board after the retreats"] == ["Turkey A Bulgaria should be on the board, but is not"]
    assert lines["the answer depends on the names of the powers"] == [
        "Turkey F North Sea should be on the board, but is not",
        "Turkey F London should not be on the board, but is",
    ]
    assert all(lines.values())
    hunt = Hunt(replace(PLAN, positions=2000), ["altered"], Store(STORE), dict(Store(STORE).results()))
    report = hunt_report(hunt)
    retreats = next(case for case in report.cases if case.phases[-1].phase == "retreat")
    assert [bool(phase.facts) for phase in retreats.phases] == [False, True]
    assert case_file(groups, "a hunt").count("[[case]]") == len(report.cases) == len(groups)
