"""The suite of DATC 3.2 says what the document says, order by order, and what it inherits is the same there."""

import json
from pathlib import Path

import pytest

from datc.cases import load_ruleset, load_suite, select_cases
from datc.cases.expectations import read_resolution
from datc.harness.play.answer import Answer
from datc.harness.play.positions import ordered_province
from datc.harness.play.session import ReferenceAdjudicator, case_inputs, play
from datc.reference_engine import province_code, read_order
from datc.reference_engine.orders import Convoy, Hold, Move, Retreat, SupportHold, SupportMove, Waive
from datc.reference_engine.toml import loads

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "datc-3.2.json"
SUITE = load_suite("datc-3.2")
PREFERRED = load_ruleset("datc-3.2").ruleset()
FILES = sorted((ROOT / "cases" / "datc-3.2").glob("6.*.toml"))
WRITTEN = {case["id"]: case for file in FILES for case in loads(file.read_text("utf-8"))["case"]}

NEW = {"6.B.16", "6.B.17", "6.B.18", "6.B.19", "6.D.35", *(f"6.F.{n}" for n in range(26, 31)), "6.H.17"}
OTHER_POSITION = {"6.F.25", "6.J.2"}
"""Cases of 3.1 whose expectations could not be inherited: with other orders, or in another position."""
OTHER_NUMBER = {"6.J.9": "6.J.9#1", "6.J.10": "6.J.9#2", "6.J.11": "6.J.10", "6.J.12": "6.J.11"}


def phases_of(case):
    return case["phase"] if isinstance(case.get("phase"), list) else [case]


def test_what_is_not_inherited_from_3_1_is_known():
    own = {case for case, fields in WRITTEN.items() if "inherits" not in fields}
    assert own == NEW | OTHER_POSITION
    named = {case: fields["inherits"] for case, fields in WRITTEN.items() if "inherits" in fields}
    assert named == {case: f"datc-3.1/{OTHER_NUMBER.get(case, case)}" for case in WRITTEN.keys() - own}
    # Expectations of its own beside: a retreat phase that 3.1 lacks, and an order for another type of unit.
    beside = {case for case in named if any(phase.get("expect") for phase in phases_of(WRITTEN[case]))}
    assert beside == {"6.F.7", *(f"6.H.{n}" for n in (5, 6, 9, 11, 12, 13, 15, 16)), "6.I.4"}


def test_every_order_has_a_resolution_that_could_contradict_what_is_inherited():
    # Reading a case holds each resolution to the board that is expected: see test_reading.py.
    for case in SUITE.cases:
        for phase, written in zip(case.phases, phases_of(WRITTEN[case.id]), strict=True):
            told = sum(map(len, written.get("resolutions", {}).values()))
            assert told == len(phase.orders), case.id
            assert phase.expected(PREFERRED.choices) is not None, case.id


def test_the_positions_that_are_not_those_of_3_1_are_known():
    old = {case.id: case for case in load_suite("datc-3.1").cases}
    differing = set()
    for case in SUITE.cases:
        if case.id in old and case.id not in OTHER_NUMBER:
            one, other = case.phases[0].position, old[case.id].phases[0].position
            assert one is not None
            assert other is not None
            if set(one.units) != set(other.units) or one.centers != other.centers:
                differing.add(case.id)
    # 6.C.2 has an Italian army, 6.J.2 other units; the others state whole what 3.1 tells in part.
    assert differing == {"6.B.14", "6.C.2", "6.J.2", *(f"6.I.{n}" for n in (1, 2, 3, 5, 6, 7))}


@pytest.fixture(scope="module")
def document():
    if not DATA.is_file():
        pytest.skip(f"a transcription of DATC 3.2 is not part of the repository, and not at {DATA}")
    return {case["id"]: case for case in json.loads(DATA.read_text("utf-8"))}


def test_orders_and_resolutions_are_the_documents_letter_for_letter(document):
    for case, fields in WRITTEN.items():
        for phase, stated in zip(phases_of(fields), document[case]["phases"], strict=True):
            for key, field in (("order", "orders"), ("resolution", "resolutions")):
                told = {}
                for order in stated["orders"]:
                    told.setdefault(order["power"], []).append(order[key])
                assert phase.get(field, {}) == told, case


def test_positions_are_the_documents(document):
    for case, fields in WRITTEN.items():
        for phase, stated in zip(phases_of(fields), document[case]["phases"], strict=True):
            owned = {(one["power"], one["what"]) for one in stated["owns"]}
            units = {(power, unit) for power, units in phase.get("units", {}).items() for unit in units}
            centers = {(power, f"SC {at}") for power, places in phase.get("centers", {}).items() for at in places}
            assert units | centers == owned, case


def test_automatic_disbands_are_expected(document):
    for case in SUITE.cases:
        for phase, stated in zip(case.phases, document[case.id]["phases"], strict=True):
            for removed in stated["automatic"]:
                order = read_order(removed["text"].replace("Automatic disband", "Disband"), "adjustment").order
                assert not isinstance(order, Waive)
                expected = phase.expected(PREFERRED.choices)
                assert expected is not None
                assert province_code(order.unit.location) in expected.gone


SUCCESS = {Hold: "stands", Move: "succeeds", SupportHold: "given", SupportMove: "given", Convoy: "available"}
FAILURE = {
    "bounced": "fails",
    "cut": "cut",
    **dict.fromkeys(("void", "no-path"), "invalid"),
    **dict.fromkeys(("illegal", "ignored"), "illegal"),
}


def in_the_documents_words(order, result, loss):
    kind = type(order.order)
    if result.reason is None:
        word = SUCCESS.get(kind, "succeeds")
    elif result.reason in ("disrupted", "dislodged"):
        word = {Convoy: "disrupted", Move: "fails", Hold: ""}.get(kind, "cut")
    else:
        word = FAILURE[result.reason]
    if kind is Hold and loss:
        return loss
    return ", ".join(filter(None, (word, loss)))


def told(phase, written):
    """The resolution of each order, corrected where the case says so."""
    texts = [text for texts in written["resolutions"].values() for text in texts]
    corrected = {each["order"]: each["resolution"] for each in written.get("corrections", []) if "choices" not in each}
    for order, text in zip(phase.orders, texts, strict=True):
        resolution = read_resolution(corrected.get(order.text, text))
        assert resolution is not None
        yield order, resolution


def answers_to(case):
    for phase, played in zip(case.phases, play(ReferenceAdjudicator(PREFERRED), case_inputs(case)), strict=True):
        assert isinstance(played.answer, Answer)
        yield phase, played.answer


def answered_words(case):
    """What the reference says of each order of a case under the preferences of the document."""
    for phase, answer in answers_to(case):
        lost = {entry.unit.location[:3]: entry for entry in answer.dislodged or ()}
        for order, result in zip(phase.orders, answer.outcomes or (), strict=True):
            unit = getattr(order.order, "unit", None)
            entry = None if unit is None or isinstance(order.order, Retreat) else lost.get(unit.location[:3])
            loss = "" if entry is None else "dislodged" if entry.retreats else "destroyed"
            yield order, in_the_documents_words(order, result, loss)


CONTRADICTIONS = {
    ("6.B.11", "F Spain(sc) - Gulf of Lyon", "fails", "illegal"),
    ("6.B.14", "Build F St Petersburg", "fails", "illegal"),
    ("6.D.4", "A Berlin Supports F Kiel", "given", "cut"),
    ("6.D.8", "A Greece - Naples", "invalid, dislodged", "invalid, destroyed"),
    ("6.F.21", "F Clyde Supports F North Atlantic Ocean", "cut", "cut, destroyed"),
    ("6.F.28", "F Gulf of Bothnia Convoys A Livonia - Sweden", "disrupted, dislodged", "disrupted, destroyed"),
    ("6.F.28", "F Norwegian Sea Convoys A Edinburgh - St Petersburg", "disrupted, dislodged", "disrupted, destroyed"),
    ("6.G.2", "F Skagerrak Convoys A Norway - Sweden", "available", "invalid"),
    ("6.G.3", "F English Channel Convoys A Picardy - Belgium", "disrupted, dislodged", "invalid, dislodged"),
    ("6.G.4", "F English Channel Convoys A Picardy - Belgium", "disrupted, dislodged", "invalid, dislodged"),
    ("6.G.7", "F Skagerrak Convoys A Sweden - Norway", "available", "invalid"),
    ("6.G.19", "F Gulf of Lyon Convoys A Marseilles - Spain", "available", "invalid"),
    ("6.H.15", "F Portugal Holds", "dislodged", "destroyed"),
}
"""Where the document contradicts its own rules: the case, the order, its resolution, and the right one."""


def test_every_order_comes_out_as_the_document_says_but_where_it_contradicts_itself(document):
    found = set()
    count = 0
    for case in SUITE.cases:
        stated = [order["resolution"] for phase in document[case.id]["phases"] for order in phase["orders"]]
        for (order, said), wanted in zip(answered_words(case), stated, strict=True):
            count += 1
            if said != wanted.lower():
                found.add((case.id, order.text, wanted, said))
    assert count == 840
    assert found == CONTRADICTIONS


def test_the_remark_of_a_case_says_what_is_corrected_and_why():
    (case,) = select_cases(SUITE.cases, ["6.D.4"])
    assert case.remark == (
        "'A Berlin Supports F Kiel' is 'given' in the document, here 'cut': A Prussia attacks Berlin, and the support "
        "is not for an attack on Prussia (5.B.2); the like support in 6.D.5 is cut."
    )


def test_each_contradiction_is_decided_in_its_case_with_a_reason():
    decided = {
        (case, correction["order"])
        for case, fields in WRITTEN.items()
        for phase in phases_of(fields)
        for correction in phase.get("corrections", [])
        if "choices" not in correction
    }
    assert decided == {(case, order) for case, order, _, _ in CONTRADICTIONS}


def test_destroyed_is_the_word_just_where_a_unit_has_nowhere_to_go():
    for case in SUITE.cases:
        for (phase, answer), written in zip(answers_to(case), phases_of(WRITTEN[case.id]), strict=True):
            if phase.phase == "movement":
                without = {e.unit.location[:3] for e in answer.dislodged or () if not e.retreats}
                said = {ordered_province(order.order): found for order, found in told(phase, written)}
                destroyed = {province for province, resolution in said.items() if resolution.loss == "destroyed"}
                assert destroyed == without & said.keys(), case.id


def test_a_number_that_changed_its_meaning_is_another_case():
    old, new = (select_cases(load_suite(name).cases, ["6.J.10"])[0] for name in ("datc-3.1", "datc-3.2"))
    assert old.title == "Civil disorder counting convoying distance"
    assert new.title == "Civil disorder must be counted from both coasts, north coast shortest"
