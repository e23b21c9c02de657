"""What a shadow found: as a hunt has it, on a line each, and as cases."""

from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from datc.adapters import AdjudicateResult
from datc.adapters.builtin import Reference
from datc.adapters.protocol import DislodgedMessage, OrderResultMessage
from datc.cases.reading import read_loose_cases
from datc.harness.search import observed
from datc.harness.search.drawn import random_real, read_games
from datc.harness.search.findings import Finding
from datc.harness.search.observed import FindingStore, ShadowFinding, StoreFileError, explain, read_findings
from datc.harness.search.report import shadow_report
from datc.harness.search.shadowing import Counts, Difference, Shadow
from datc.reference_engine import DATC_3_1
from datc.reports.html import render_html
from datc.reports.wording import claim

from ...disk import room_for
from ..cli.running import COMMAND, invoke
from .shadowed import DISLODGEMENT, VIA, Scripted, movement, nobody_moves, retreat, right

ADJUSTMENT = movement(
    "FRANCE A PAR H", phase="adjustment", season="winter", centers={"FRANCE": ["PAR", "MAR", "BRE"]}, orders=[]
)


def walks(params):
    return Reference(DATC_3_1.with_choices({"4.A.3": "2000-fallback-unordered"}), fixed=True).adjudicate(params)


def difference(params, first, second, failure=""):
    return Difference(("old 1", "new 2"), params, first, second, failure, without_state=False)


DEVIATION = difference(VIA, right(VIA), walks(VIA))
WALKING = replace(
    VIA, ruleset=replace(VIA.ruleset, choices={**VIA.ruleset.choices, "4.A.3": "2000-fallback-unordered"})
)
DISLODGED = right(DISLODGEMENT)
RETREAT = retreat(DISLODGED)


def kept(file):
    return [msgspec.json.decode(line, type=ShadowFinding) for line in file.read_bytes().splitlines()]


@pytest.mark.parametrize(
    ("found", "causes"),
    [
        (difference(VIA, walks(VIA), right(VIA)), [(0, "deviation")]),
        (difference(VIA, walks(VIA), AdjudicateResult(units=VIA.units[:1])), [(0, "deviation"), (1, "bug")]),
        (difference(WALKING, nobody_moves(WALKING), walks(WALKING)), [(0, "bug")]),
        (difference(VIA, walks(VIA), None, "ended with exit code 3"), [(1, "failure")]),
        (difference(RETREAT, right(RETREAT), AdjudicateResult(units=RETREAT.units)), [(1, "bug")]),
    ],
    ids=["first", "both", "ruleset-of-the-request", "failure", "retreat"],
)
def test_each_of_the_two_that_differs_from_the_reference_is_explained(found, causes):
    findings = explain(found)
    assert [(finding.engine, finding.cause.kind) for finding in findings] == causes
    for finding in findings:
        assert finding.said[0].party == ("the first, old 1", "the second, new 2")[finding.engine]
        assert finding.position is not None
        assert [entry.location for entry in finding.position.dislodged] == ["BUR"] * (found.params is RETREAT)


@pytest.mark.parametrize(
    "asked",
    [
        replace(VIA, map="moon"),
        replace(VIA, units=[*VIA.units, VIA.units[0]]),
        replace(VIA, orders=[replace(VIA.orders[0], order_set=2)]),
        replace(VIA, ruleset=replace(VIA.ruleset, choices={"4.A.3": "never"})),
        retreat(DISLODGED, dislodged=[DislodgedMessage(power="GERMANY", type="A", location="BUR")]),
    ],
    ids=["map", "position", "order-sets", "ruleset", "retreats"],
)
def test_what_the_reference_cannot_be_asked_is_a_finding_without_an_explanation(asked):
    (finding,) = explain(difference(asked, AdjudicateResult(units=asked.units), AdjudicateResult(units=[])))
    assert finding.cause.label == observed.NOT_EXPLAINED
    assert finding.position is None
    assert [said.party for said in finding.said] == ["the second, new 2", "the first, old 1"]


def test_a_store_has_a_line_a_finding_and_a_case_a_position(tmp_path):
    file = tmp_path / "found.jsonl"
    given = replace(VIA, state=msgspec.Raw(b'{"secret": 1}'))
    for _ in range(2):
        FindingStore(file).take(difference(given, right(VIA), walks(VIA)))
    FindingStore(file).take(difference(ADJUSTMENT, right(ADJUSTMENT), AdjudicateResult(units=[])))
    failed = difference(RETREAT, right(RETREAT), None, "fell over 3 times")
    FindingStore(file).take(replace(failed, without_state=True))
    findings = kept(file)
    assert [finding.number for finding in findings] == [1, 2, 3, 4]
    assert [finding.without_state for finding in findings] == [False, False, False, True]
    assert findings[-1].cause.label == "fell over times"
    assert b"secret" not in file.read_bytes()
    assert [msgspec.json.decode(line, type=Finding).number for line in file.read_bytes().splitlines()] == [1, 2, 3, 4]
    text = (tmp_path / "found.toml").read_text(encoding="utf-8")
    assert text.count("[[case]]") == 3
    assert "# the second, new 2:" in text


def test_a_report_has_what_this_run_found_in_a_store_that_was_there(tmp_path):
    file = tmp_path / "found.jsonl"
    FindingStore(file).take(difference(DISLODGEMENT, DISLODGED, AdjudicateResult(units=[])))
    store = FindingStore(file)
    names = ("old", "new")
    nothing = shadow_report(read_findings(file, store.start), Counts(asked=4), names, "mine")
    assert (nothing.cases, nothing.compliant) == ([], True)
    store.take(DEVIATION)
    again = shadow_report(read_findings(file, store.start), Counts(asked=5, different=1), names, "mine")
    assert [case.verdict for case in again.cases] == ["deviated"]
    assert claim(again).words == "1 cause found in 5 positions"
    page = render_html(again).decode()
    assert "The request" in page
    assert "and took" not in page
    other = replace(VIA, ruleset=replace(VIA.ruleset, name="mine"))
    store.take(difference(other, right(other), walks(other)))
    both = shadow_report(read_findings(file, store.start), Counts(asked=6, different=2), names, "mine")
    assert "The request" not in render_html(both).decode()
    full = shadow_report([], Counts(asked=5, different=1), names, "mine")
    assert (full.compliant, claim(full).words) == (False, "1 answer differs in 5 positions")


def test_a_case_is_one_once_its_reader_has_chosen_an_answer(tmp_path):
    FindingStore(tmp_path / "found.jsonl").take(DEVIATION)
    lines = (tmp_path / "found.toml").read_text(encoding="utf-8").splitlines()
    at = lines.index("# the second, new 2:")
    chosen = [*lines[:at], *(line.removeprefix("# ") for line in lines[at + 1 : at + 3])]
    (case,) = read_loose_cases("\n".join(chosen), "found.toml")
    (expectation,) = case.phases[0].expectations
    assert case.id == "shadow.1"
    assert {str(province) for province in expectation.moved} >= {"BEL"}


def test_a_line_that_was_cut_off_keeps_to_itself(tmp_path):
    file = tmp_path / "found.jsonl"
    _ = file.write_bytes(b'{"number":1,"sour')
    FindingStore(file).take(DEVIATION)
    lines = file.read_bytes().splitlines()
    assert len(lines) == 2
    assert msgspec.json.decode(lines[1], type=ShadowFinding).number == 2


@pytest.mark.attack
@pytest.mark.parametrize("full", ["found.jsonl", "found.toml"])
def test_a_full_disk_leaves_what_was_kept_as_it_was(tmp_path, full):
    store = FindingStore(tmp_path / "found.jsonl")
    store.take(DEVIATION)
    before = (tmp_path / full).read_bytes()
    if full == "found.toml":
        _ = (tmp_path / "found.jsonl").write_bytes(b"")  # So that only the cases do not fit.
    with room_for(len(before) + 100), pytest.raises(OSError, match="File too large"):
        store.take(DEVIATION)
    assert (tmp_path / full).read_bytes() == before
    store.take(DEVIATION)
    assert all(finding.position for finding in kept(tmp_path / "found.jsonl"))
    assert (tmp_path / "found.toml").read_text(encoding="utf-8").count("[[case]]") == 2


def test_there_is_an_end_to_what_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(observed, "MOST_POSITIONS", 4)
    monkeypatch.setattr(observed, "MOST_FAILURES", 2)
    store = FindingStore(tmp_path / "found.jsonl")
    for number in range(5):
        store.take(difference(VIA, right(VIA), None, f"fell over after {number} s"))
    for _ in range(5):
        store.take(DEVIATION)
    kinds = [finding.cause.kind for finding in kept(tmp_path / "found.jsonl")]
    assert kinds == ["failure", "failure", "deviation", "deviation"]


def test_what_cannot_be_explained_is_kept_all_the_same(tmp_path):
    def lost(_difference):
        raise RuntimeError("whoever explains was killed")

    FindingStore(tmp_path / "found.jsonl", lost).take(DEVIATION)
    assert kept(tmp_path / "found.jsonl")[0].cause.label == observed.NOT_EXPLAINED


@pytest.mark.parametrize(
    ("name", "problem"),
    [("nowhere/found.jsonl", "cannot be written"), ("found.toml", "write FILE.jsonl"), ("/dev/zero", "it is no file")],
)
def test_a_file_that_cannot_be_is_a_clear_error(tmp_path, name, problem):
    with pytest.raises(StoreFileError, match=problem):
        _ = FindingStore(tmp_path / name)


def test_what_an_engine_calls_itself_has_no_effect_on_the_cases(tmp_path):
    odd = replace(DEVIATION, names=("a\n[[case]]", "\x1b[31mb\r\n"))
    FindingStore(tmp_path / "found.jsonl").take(odd)
    text = (tmp_path / "found.toml").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line.startswith("[[case]]")] == ["[[case]]"]
    assert "\x1b" not in text


def test_a_hunt_takes_the_positions_and_explain_takes_a_line(tmp_path):
    file = tmp_path / "found.jsonl"
    FindingStore(file).take(DEVIATION)
    ordered = random_real(Random(1), read_games(file))
    assert len(ordered.units) == 3
    assert [given.power for given in ordered.orders if given.order is not None]
    engine = f"exec:{COMMAND} engine --choice 4.A.3=2000-fallback-unordered --fixed"
    done = invoke("explain", "-", engine, input=file.read_bytes())
    assert done.exit_code == 1, done.output
    assert "2000-fallback-unordered or" in done.output


def seen_by_a_shadow(answer, asked, *, words=False):
    found = []
    with Shadow(Scripted(right), Scripted(answer), found.append, words=words) as shadow:
        _ = shadow.start()
        _ = shadow.adjudicate(asked)
    return found


def test_an_impossible_board_of_the_second_engine_is_seen_and_is_a_bug(tmp_path):
    (seen,) = seen_by_a_shadow(lambda _: replace(DISLODGED, units=[*DISLODGED.units] * 2), DISLODGEMENT)
    FindingStore(tmp_path / "found.jsonl").take(seen)
    (finding,) = kept(tmp_path / "found.jsonl")
    assert (finding.engine, finding.cause.kind, finding.cause.changes) == (1, "bug", [])
    assert finding.cause.label.startswith("impossible board: ")
    assert "unit-twice" in [fact.kind for fact in finding.facts]


def boasting(params):
    """Say that every order succeeds; the board is right."""
    return replace(right(params), orders=[OrderResultMessage(outcome="succeeds") for _ in params.orders])


def test_another_outcome_on_the_same_board_is_a_difference_with_words_alone():
    asked = movement("FRANCE A PAR S A MUN - BUR", "GERMANY A MUN H")
    assert seen_by_a_shadow(boasting, asked) == []
    (seen,) = seen_by_a_shadow(boasting, asked, words=True)
    assert seen.is_about_words
    (finding,) = explain(seen)
    label = "the same board, another outcome of a support: succeeds where it should fail"
    assert (finding.engine, finding.cause.kind, finding.cause.label) == (1, "bug", label)
    assert [fact.kind for fact in finding.facts] == ["outcome"]
