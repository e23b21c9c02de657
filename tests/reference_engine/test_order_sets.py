"""What players hand in: issues 4.D.1, 4.D.2 and 4.E.2 to 4.E.5, in positions that no case of the suites has."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datc.reference_engine import DATC_3_1, ISSUES, Adjudication, Phase, Position, Submission, Submitted, adjudicate
from datc.reference_engine.notation import read_writing
from datc.reference_engine.order_sets import (
    MAX_COMBINATIONS,
    Mark,
)
from datc.reference_engine.orders import Proxy, Unclear

from ..strategies import Situation, any_order, ordered_units, powers, situations
from .play import units_of

NO_MARKS: Mapping[tuple[str, int], Mark] = {}


def handed_in(
    units: str,
    written: Sequence[str],
    choices: Mapping[str, str],
    *,
    marks: Mapping[tuple[str, int], Mark] = NO_MARKS,
    in_sequence: bool = True,
    phase: Phase = "movement",
    centers: Mapping[str, Sequence[str]] | None = None,
) -> Adjudication:
    """Adjudicate lines such as `"GERMANY: A Ber - Kie"`, `"GERMANY 2: …"` for a second set, `"GERMANY before: …"`."""
    writings: list[Submitted] = []
    for line in written:
        head, _, text = line.partition(": ")
        power, _, where = head.partition(" ")
        order_set = int(where) if where.isdigit() else 1
        writings.append(Submitted(power, read_writing(text, phase), order_set, where == "before"))
    position = Position(units_of(units), phase=phase, centers=centers)
    return adjudicate(position, Submission(writings, marks, in_sequence), DATC_3_1.with_choices(choices))


def board(adjudication: Adjudication) -> set[str]:
    return {f"{unit.type} {unit.location}" for unit in adjudication.units}


def reasons(adjudication: Adjudication) -> list[str | None]:
    return [result.reason for result in adjudication.orders]


# 4.D.1

FOUR_SETS = ["GERMANY 1: A Ber - Pru", "GERMANY 2: A Kie - Hol", "GERMANY 3: A Mun - Boh", "GERMANY 4: A Den - Swe"]


@pytest.mark.parametrize(
    ("marks", "counted"),
    [
        ({}, {"combine": "1234", "combine-unless-replaced": "1234", "latest-unless-extended": "4", "latest": "4"}),
        (
            {2: "replaces"},
            {"combine": "1234", "combine-unless-replaced": "234", "latest-unless-extended": "4", "latest": "4"},
        ),
        (
            {3: "extends", 4: "extends"},
            {"combine": "1234", "combine-unless-replaced": "1234", "latest-unless-extended": "234", "latest": "4"},
        ),
        (
            {2: "extends", 3: "replaces", 4: "extends"},
            {"combine": "1234", "combine-unless-replaced": "34", "latest-unless-extended": "34", "latest": "4"},
        ),
        (
            {1: "extends", 2: "extends", 3: "extends", 4: "extends"},
            {"combine": "1234", "combine-unless-replaced": "1234", "latest-unless-extended": "1234", "latest": "4"},
        ),
    ],
)
def test_which_sets_count(marks: Mapping[int, Mark], counted: Mapping[str, str]) -> None:
    marked: dict[tuple[str, int], Mark] = {("GERMANY", number): mark for number, mark in marks.items()}
    for choice, numbers in counted.items():
        found = handed_in("GERMANY: A BER, A KIE, A MUN, A DEN", FOUR_SETS, {"4.D.1": choice}, marks=marked)
        assert reasons(found) == [None if number in numbers else "ignored" for number in "1234"], choice


def test_the_sets_of_each_power_count_for_themselves() -> None:
    found = handed_in("GERMANY: A BER; FRANCE: A PAR", ["GERMANY 2: A Ber - Kie", "FRANCE 1: A Par - Bur"], {})
    assert board(found) == {"A KIE", "A BUR"}


def test_combined_sets_may_order_a_unit_twice() -> None:
    written = ["GERMANY 2: A Ber - Kie", "GERMANY 1: A Ber - Pru"]
    for choice, place in {"first": "A PRU", "last": "A KIE", "illegal-hold": "A BER"}.items():
        assert board(handed_in("GERMANY: A BER", written, {"4.D.1": "combine", "4.D.3": choice})) == {place}


def test_sets_of_builds() -> None:
    written = ["FRANCE 1: Build A Paris", "FRANCE 2: Build F Brest"]
    for choice, built in {"combine": {"A PAR", "F BRE"}, "latest": {"F BRE"}}.items():
        found = handed_in("", written, {"4.D.1": choice}, phase="adjustment", centers={"FRANCE": ["PAR", "BRE", "MAR"]})
        assert board(found) == built


# 4.D.2


def test_sets_in_no_known_sequence() -> None:
    written = ["GERMANY 1: A Ber - Kie", "GERMANY 2: A Mun - Sil", "GERMANY before: A Mun - Boh"]
    for choice, places in {"combine": {"A KIE", "A SIL"}, "hold-all": {"A BER", "A MUN"}}.items():
        assert board(handed_in("GERMANY: A BER, A MUN", written, {"4.D.2": choice}, in_sequence=False)) == places


def test_units_that_all_hold_are_not_in_civil_disorder() -> None:
    found = handed_in(
        "GERMANY: A MUN; FRANCE: A BUR; RUSSIA: A SIL, A BOH",
        [
            "GERMANY 1: A Mun - Ber",
            "GERMANY 2: A Mun - Kie",
            "FRANCE: A Bur S A Mun",
            "RUSSIA: A Sil - Mun",
            "RUSSIA: A Boh S A Sil - Mun",
        ],
        {"4.D.2": "hold-all", "4.D.9": "fails"},
        in_sequence=False,
    )
    assert found.dislodged == ()
    assert reasons(found) == ["ignored", "ignored", None, "bounced", None]


# 4.E.2


@pytest.mark.parametrize(
    ("units", "written", "ends"),
    [
        (
            "ENGLAND: A LVP, A EDI",
            ["ENGLAND: A Edi - Yor", "ENGLAND: A Liv - Wal"],
            {"individual set set-matching": "A YOR, A WAL", "spelling-only": "A YOR, A LVP"},
        ),
        (
            "ENGLAND: A LVP; RUSSIA: A LVN",
            ["RUSSIA: A Liv - Wa"],
            {"individual set set-matching": "A LVP, A WAR", "spelling-only": "A LVP, A LVN"},
        ),
        (
            "FRANCE: A PAR, A PIC",
            ["FRANCE: A Pir - Bre", "FRANCE: A Par - Gas"],
            {"set set-matching": "A GAS, A BRE", "spelling-only individual": "A GAS, A PIC"},
        ),
        # An impossible order is not changed, and is the one that its unit has; but nothing matches it.
        (
            "FRANCE: A PAR, A PIC",
            ["FRANCE: A Pir - Bre", "FRANCE: A Par - Moscow"],
            {"set set-matching": "A PAR, A BRE", "spelling-only individual": "A PAR, A PIC"},
        ),
        (
            "FRANCE: A PAR, A PIC, A EDI",
            ["FRANCE: A Pir - Bre", "FRANCE: A Par S A Liv - Bre"],
            {"set set-matching": "A PAR, A BRE, A EDI", "spelling-only individual": "A PAR, A PIC, A EDI"},
        ),
        (
            "AUSTRIA: A SER, F BLA",
            ["AUSTRIA: A Ser - Bu", "AUSTRIA: F Bla S A Ser - Budapest"],
            {"spelling-only individual set set-matching": "A SER, F BLA"},
        ),
        (
            "AUSTRIA: A SER, A GRE",
            ["AUSTRIA: A Ser - Bu", "AUSTRIA: A Gre S A Ser - Bul"],
            {"set-matching": "A BUL, A GRE", "spelling-only individual set": "A SER, A GRE"},
        ),
        (
            "AUSTRIA: A SER, F GRE, A BOH",
            ["AUSTRIA: A Ser - Bu", "AUSTRIA: F Gre S A Ser", "AUSTRIA: A Boh - Gal"],
            {"spelling-only individual set set-matching": "A SER, F GRE, A GAL"},
        ),
        (
            "ENGLAND: A YOR, F NTH",
            ["ENGLAND: A Yor - Nor", "ENGLAND: F Nth C A Yor - Norw"],
            {"individual set set-matching": "A NWY, F NTH", "spelling-only": "A YOR, F NTH"},
        ),
    ],
)
def test_unclear_orders(units: str, written: Sequence[str], ends: Mapping[str, str]) -> None:
    expected = {choice: set(end.split(", ")) for choices, end in ends.items() for choice in choices.split()}
    assert expected.keys() == set(ISSUES["4.E.2"].choices)
    assert {choice: board(handed_in(units, written, {"4.E.2": choice})) for choice in expected} == expected


def test_unclear_builds_are_read_by_what_can_be_built() -> None:
    for choice, built in {"individual": {"F LVP"}, "spelling-only": set[str]()}.items():
        found = handed_in(
            "", ["ENGLAND: Build F Liv"], {"4.E.2": choice}, phase="adjustment", centers={"ENGLAND": ["LVP"]}
        )
        assert board(found) == built


def test_a_set_with_too_many_combinations_is_judged_order_by_order() -> None:
    holds = "ABCDEFGHIJKLMN"
    assert 2 ** len(holds) > MAX_COMBINATIONS
    units = "ENGLAND: A LVP, A LVN, A EDI"
    many = ["ENGLAND: A Liv H"] * len(holds)
    assert board(handed_in(units, [*many, "ENGLAND: A Edi - Yo"], {"4.E.2": "set"})) == {"A LVP", "A LVN", "A YOR"}


def test_under_any_writing_an_unclear_move_is_a_move() -> None:
    units = "GERMANY: A MUN, A RUH; RUSSIA: A SIL, A BOH"
    written = ["GERMANY: A Mun - Bu", "GERMANY: A Ruh S A Mun", "RUSSIA: A Sil - Mun", "RUSSIA: A Boh S A Sil - Mun"]
    assert isinstance(read_writing("A Mun - Bu"), Unclear)
    for choice, dislodged in {"any-writing": 1, "any-board-space": 0, "possible-now": 0}.items():
        found = handed_in(units, written, {"4.E.1": choice, "4.E.2": "spelling-only"})
        assert len(found.dislodged) == dislodged


# 4.E.3


@pytest.mark.parametrize(
    ("units", "written", "allowed", "not_allowed"),
    [
        ("ENGLAND: A LON, F NTH", ["ENGLAND: F Nth C A Lon - Bel"], "A BEL, F NTH", "A LON, F NTH"),
        # An illegal order is none.
        (
            "GERMANY: A RUH, F KIE",
            ["GERMANY: A Ruh S F Kie - Hol", "GERMANY: F Kie - Mun"],
            "A RUH, F HOL",
            "A RUH, F KIE",
        ),
        ("GERMANY: A RUH; FRANCE: A BEL", ["GERMANY: A Ruh S A Bel - Hol"], "A RUH, A BEL", "A RUH, A BEL"),
        ("GERMANY: A RUH, F KIE", ["GERMANY: A Ruh S F Kie"], "A RUH, F KIE", "A RUH, F KIE"),
        # The support is illegal: Ruhr does not reach Denmark.
        ("GERMANY: A RUH, F KIE", ["GERMANY: A Ruh S F Kie - Den"], "A RUH, F KIE", "A RUH, F KIE"),
    ],
)
def test_implicit_orders(units: str, written: Sequence[str], allowed: str, not_allowed: str) -> None:
    assert board(handed_in(units, written, {"4.E.3": "allowed"})) == set(allowed.split(", "))
    assert board(handed_in(units, written, {"4.E.3": "not-allowed"})) == set(not_allowed.split(", "))


def test_implicit_orders_are_played_without_a_submission_too() -> None:
    found = handed_in("GERMANY: A RUH, F KIE", ["GERMANY: A Ruh S F Kie - Hol"], {"4.E.3": "allowed"})
    assert reasons(found) == [None]


def test_two_different_implicit_orders_are_two_orders() -> None:
    units, written = "GERMANY: F DEN, F HEL, F KIE", ["GERMANY: F Den S F Kie - Bal", "GERMANY: F Hel S F Kie - Hol"]
    for choice, end in {"first": "F BAL", "last": "F HOL", "illegal-hold": "F KIE"}.items():
        assert end in board(handed_in(units, written, {"4.E.3": "allowed", "4.D.3": choice}))


# 4.E.4


def test_perpetual_orders() -> None:
    written = ["ITALY before: A Gas - Par", "ITALY before: A Spa - Por", "ITALY: A Por H"]
    units = "ITALY: A POR, A SPA, A GAS"
    allowed = handed_in(units, written, {"4.E.4": "allowed"})
    assert board(allowed) == {"A PAR", "A POR", "A SPA"}
    assert reasons(allowed) == [None, "bounced", None]
    assert reasons(handed_in(units, written, {"4.E.4": "not-allowed"})) == ["ignored", "ignored", None]


def test_a_new_order_goes_before_a_perpetual_one_unless_it_is_illegal() -> None:
    for new, place in {"A Mar - Spa": "A SPA", "A Mar - Mos": "A GAS"}.items():
        found = handed_in("ITALY: A MAR", ["ITALY before: A Mar - Gas", f"ITALY: {new}"], {"4.E.4": "allowed"})
        assert board(found) == {place}


def test_perpetual_orders_end_civil_disorder() -> None:
    units = "ITALY: A SPA; ENGLAND: F POR; FRANCE: A GAS, A MAR"
    written = ["ITALY before: A Spa H", "ENGLAND: F Por S A Spa", "FRANCE: A Gas - Spa", "FRANCE: A Mar S A Gas - Spa"]
    for choice, dislodged in {"allowed": 0, "not-allowed": 1}.items():
        assert len(handed_in(units, written, {"4.E.4": choice, "4.D.9": "fails"}).dislodged) == dislodged


def test_in_other_phases_nothing_counts_that_was_given_beforehand() -> None:
    found = handed_in(
        "",
        ["FRANCE before: Build A Paris", "FRANCE: A Paris proxy to England"],
        {"4.E.4": "allowed", "4.E.5": "proxy-in-orders"},
        phase="adjustment",
        centers={"FRANCE": ["PAR"]},
    )
    assert reasons(found) == ["ignored", "illegal"]


# 4.E.5

PROXY, FRENCH, OWN = "A Bel proxy to France", "FRANCE: A Bel - Ruh", "ENGLAND: A Bel - Hol"


@pytest.mark.parametrize(
    ("written", "ends"),
    [
        ([f"ENGLAND before: {PROXY}", OWN], {"proxy-notified": "A BEL", "proxy-in-orders not-allowed": "A HOL"}),
        # A perpetual order is for a unit without another.
        (
            [f"ENGLAND: {PROXY}", FRENCH, "ENGLAND before: A Bel - Pic"],
            {"proxy-in-orders": "A RUH", "proxy-notified not-allowed": "A PIC"},
        ),
        # Nobody may give away what is not his, or give it to himself.
        (["GERMANY: A Bel proxy to France", FRENCH], {"proxy-in-orders proxy-notified not-allowed": "A BEL"}),
        (["ENGLAND: A Bel proxy to England", OWN], {"proxy-in-orders proxy-notified not-allowed": "A HOL"}),
        ([f"ENGLAND: {PROXY}", "GERMANY: A Bel - Ruh"], {"proxy-in-orders proxy-notified not-allowed": "A BEL"}),
    ],
)
def test_proxies(written: Sequence[str], ends: Mapping[str, str]) -> None:
    expected = {choice: {end} for choices, end in ends.items() for choice in choices.split()}
    assert expected.keys() == set(ISSUES["4.E.5"].choices)
    assert {
        choice: board(handed_in("ENGLAND: A BEL", written, {"4.E.4": "allowed", "4.E.5": choice}))
        for choice in expected
    } == expected


def test_a_proxy_among_several_orders_follows_the_rule_for_them() -> None:
    written = [f"ENGLAND: {PROXY}", OWN, FRENCH]
    for choice, end in {"first": "A RUH", "last": "A HOL", "illegal-hold": "A BEL"}.items():
        found = handed_in("ENGLAND: A BEL", written, {"4.E.5": "proxy-in-orders", "4.D.3": choice})
        assert board(found) == {end}


def test_a_unit_is_given_to_one_power_only() -> None:
    written = ["ENGLAND before: A Bel proxy to France", "ENGLAND before: A Bel proxy to Germany", FRENCH]
    for choice, end in {"first": "A RUH", "last": "A BEL", "illegal-hold": "A BEL"}.items():
        found = handed_in("ENGLAND: A BEL", written, {"4.E.5": "proxy-notified", "4.D.3": choice})
        assert board(found) == {end}


# All of it

CHOICES = ("4.D.1", "4.D.2", "4.D.3", "4.E.1", "4.E.2", "4.E.3", "4.E.4", "4.E.5")


CHOSEN = st.fixed_dictionaries({issue: st.sampled_from(ISSUES[issue].choices) for issue in CHOICES})


@given(situations(), CHOSEN)
def test_one_set_of_clear_orders_is_played_as_without_a_submission(
    situation: Situation, choices: Mapping[str, str]
) -> None:
    ruleset = DATC_3_1.with_choices(choices)
    submission = Submission([Submitted(power, order) for power, order in situation.orders])
    assert adjudicate(situation.position, submission, ruleset) == adjudicate(
        situation.position, situation.orders, ruleset
    )


@given(
    situations(),
    st.lists(
        st.builds(
            Submitted,
            powers,
            st.none()
            | any_order()
            | st.builds(Proxy, ordered_units(), powers)
            | st.builds(Unclear, st.lists(any_order(), min_size=2, max_size=3, unique=True).map(tuple)),
            st.integers(1, 2),
            st.booleans(),
        ),
        max_size=6,
    ),
    st.booleans(),
    CHOSEN,
)
def test_whatever_is_handed_in_gets_one_result_each_and_keeps_the_units(
    situation: Situation, more: Sequence[Submitted], in_sequence: bool, choices: Mapping[str, str]
) -> None:
    writings = [*(Submitted(power, order) for power, order in situation.orders), *more]
    found = adjudicate(situation.position, Submission(writings, {}, in_sequence), DATC_3_1.with_choices(choices))
    assert len(found.orders) == len(writings)
    after = sorted((unit.power, unit.type) for unit in itertools.chain(found.units, (d.unit for d in found.dislodged)))
    assert after == sorted((unit.power, unit.type) for unit in situation.position.units)
