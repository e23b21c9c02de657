"""A stored hunt is asked again: what is gone, what remains, and what is wrong in another way now."""

import pytest

from datc.adapters import EngineFailure, EngineSpec, Limits, UnsupportedError
from datc.harness.bugs.mutants import find_mutant
from datc.harness.play.session import ReferenceAdjudicator
from datc.harness.search.hunt import open_again
from datc.harness.search.plan import PlannedEngine
from datc.harness.search.store import Store, StoreError
from datc.reference_engine import DATC_3_1

from .adjudicators import BORDER, REFERENCE, Altered, Failing, first_come, hunt_with, lost_border, plan_for, run_hunt

ANY = PlannedEngine(EngineSpec("any"), Limits())
MUTANT = "support-does-not-prevent"


def stored(folder, adjudicator, positions=400, **options):
    """Hunt an adjudicator, and keep what is found."""
    plan, store = plan_for(EngineSpec("altered"), positions, **options), Store(folder)
    store.begin(plan)
    assert hunt_with(plan, [adjudicator], store).groups
    return store


def failing(error):
    """An engine that gives no answer at all."""
    return Failing(lambda _: error)


def asked_again(store, adjudicator):
    again = open_again(store, ANY)
    again.ask(adjudicator)
    return again


def test_what_is_fixed_is_gone_and_what_is_not_remains(tmp_path):
    store = stored(tmp_path, Altered(lost_border))
    again = asked_again(store, REFERENCE)
    assert {cause.status for cause in again.causes} == {"gone"}
    assert all(cause.asked and not cause.wrong and cause.example is None for cause in again.causes)
    again = asked_again(store, Altered(lost_border))
    assert {cause.status for cause in again.causes} == {"remains"}
    assert all(cause.wrong == cause.asked for cause in again.causes)
    assert all(cause.example is not None and cause.example.facts for cause in again.causes)


def test_positions_as_they_were_found_are_asked_too(tmp_path):
    """The minimal position is right now, but not what it was shrunk from."""
    store = stored(tmp_path, Altered(lost_border))

    def only_alone(ordered):
        return ordered if len(ordered.units) <= 3 else lost_border(ordered)

    again = asked_again(store, Altered(only_alone))
    assert {cause.status for cause in again.causes} == {"remains"}
    assert all(0 < cause.wrong < cause.asked for cause in again.causes)


def test_another_wrong_answer_is_a_change(tmp_path):
    store = stored(tmp_path, ReferenceAdjudicator(DATC_3_1, find_mutant(MUTANT).procedure), 600)
    statuses = [cause.status for cause in asked_again(store, Altered(lambda o: o._replace(orders=()))).causes]
    assert "changed" in statuses
    assert "gone" not in statuses


def test_an_engine_that_crashes_now_has_changed(tmp_path):
    again = asked_again(stored(tmp_path, Altered(lost_border)), failing(EngineFailure("ended with exit code 3")))
    (cause, *_) = again.causes
    assert cause.now is not None
    assert (cause.status, cause.now.kind) == ("changed", "failure")


def test_what_an_engine_does_not_support_is_not_gone(tmp_path):
    again = asked_again(stored(tmp_path, Altered(lost_border)), failing(UnsupportedError("no")))
    assert {cause.status for cause in again.causes} == {"not-asked"}


def test_a_crash_that_remains_is_asked_once(tmp_path):
    store = stored(tmp_path, failing(EngineFailure("gave no answer within 10 s")), 20)
    (cause,) = asked_again(store, failing(EngineFailure("gave no answer within 3 s"))).causes
    assert (cause.status, cause.asked, cause.wrong) == ("remains", 1, 1)
    assert asked_again(store, REFERENCE).count("gone") == 1


def test_a_contradiction_is_asked_in_both_forms(tmp_path):
    store = stored(tmp_path, Altered(first_come), 1500, sources=("metamorphic",), profiles=("opening", "dense"))
    assert asked_again(store, REFERENCE).count("gone") == len(asked_again(store, Altered(first_come)).causes)
    again = asked_again(store, Altered(first_come))
    assert again.count("remains") == len(again.causes)
    examples = [cause.example for cause in again.causes if cause.example is not None]
    assert any(example.relation == "shuffled" for example in examples)


def test_nothing_that_was_found_is_nothing_that_remains(tmp_path):
    assert run_hunt("builtin", "--positions", 20, "--store", tmp_path / "found").exit_code == 0
    done = run_hunt("builtin", "--again", tmp_path / "found")
    assert done.exit_code == 0
    assert "The hunt had found nothing." in done.output


def test_an_engine_that_does_not_start_is_no_fixed_one(tmp_path):
    _ = stored(tmp_path, Altered(lost_border))
    assert run_hunt("exec:/nowhere/engine", "--again", tmp_path).exit_code == 3


def test_a_hunt_of_two_engines_is_asked_of_one_of_them(tmp_path):
    done = run_hunt(
        BORDER, "builtin", "--source", "random", "--profile", "dense", "--positions", 500, "--store", tmp_path
    )
    assert done.exit_code == 1
    assert run_hunt(BORDER, "--again", tmp_path).exit_code == 1
    assert "found nothing" in run_hunt("builtin", "--again", tmp_path).output
    other = run_hunt("builtin:dptg", "--again", tmp_path)
    assert other.exit_code == 2
    assert "of several engines: name one of" in " ".join(other.output.split())


def test_a_store_that_was_written_by_hand_is_refused(tmp_path):
    (tmp_path / "hunt.json").write_text('{"signature": {"ruleset": {}}, "possible": []}', encoding="utf-8")
    with pytest.raises(StoreError, match="no hunt to go on with"):
        _ = Store(tmp_path).plan()
