"""What players hand in: issues 4.D.1, 4.D.2 and 4.E.2 to 4.E.5, in positions that no case of the suites has."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datc.reference_engine import DATC_3_1, ISSUES, Adjudication, Phase, Position, Submission, Submitted, adjudicate
from datc.reference_engine.notation import read_writing
from datc.reference_engine.order_sets import MAX_COMBINATIONS, Mark
from datc.reference_engine.orders import Proxy, Unclear

from ..strategies import Situation, any_order, ordered_units, powers, situations
from .play import NO_CHOICES, board, units_of

NO_MARKS: Mapping[int, Mark] = {}


def handed_in(
    units: str,
    written: str,
    choices: Mapping[str, str],
    *,
    marks: Mapping[int, Mark] = NO_MARKS,
    in_sequence: bool = True,
    phase: Phase = "movement",
    centers: Mapping[str, Sequence[str]] | None = None,
) -> Adjudication:
    """Adjudicate sets such as `"GERMANY: A Ber - Kie, A Mun H"`, `"GERMANY 2: …"`, `"GERMANY before: …"`.

    The marks are those on the sets of Germany, by their number.
    """
    writings: list[Submitted] = []
    for given_set in written.split("; "):
        head, _, texts = given_set.partition(": ")
        power, _, where = head.partition(" ")
        order_set = int(where) if where.isdigit() else 1
        given = [read_writing(text, phase) for text in texts.split(", ")]
        writings += [Submitted(power, writing, order_set, where == "before") for writing in given]
    position = Position(units_of(units), phase=phase, centers=centers)
    submission = Submission(writings, {("GERMANY", number): mark for number, mark in marks.items()}, in_sequence)
    return adjudicate(position, submission, DATC_3_1.with_choices(choices))


def units_after(adjudication: Adjudication) -> set[str]:
    return {f"{unit.type} {unit.location}" for unit in adjudication.units}


def reasons(adjudication: Adjudication) -> list[str | None]:
    return [result.reason for result in adjudication.orders]


def check(issue: str, units: str, written: str, ends: Mapping[str, str], under: Mapping[str, str] = NO_CHOICES) -> None:
    """Assert which units there are after, for each choice of an issue: `{"choice other-choice": "A PAR, F BRE"}`."""
    expected = {choice: set(board(end)) for choices, end in ends.items() for choice in choices.split()}
    assert expected.keys() == set(ISSUES[issue].choices)
    assert {c: units_after(handed_in(units, written, {**under, issue: c})) for c in expected} == expected


# 4.D.1 and 4.D.2


@pytest.mark.parametrize(
    ("marks", "unless_replaced", "unless_extended"),
    [
        ({}, "1234", "4"),
        ({2: "replaces"}, "234", "4"),
        ({3: "extends", 4: "extends"}, "1234", "234"),
        ({2: "extends", 3: "replaces", 4: "extends"}, "34", "34"),
        ({1: "extends", 2: "extends", 3: "extends", 4: "extends"}, "1234", "1234"),
    ],
)
def test_which_sets_count(marks: Mapping[int, Mark], unless_replaced: str, unless_extended: str) -> None:
    written = "GERMANY 1: A Ber - Pru; GERMANY 2: A Kie - Hol; GERMANY 3: A Mun - Boh; GERMANY 4: A Den - Swe"
    counted = {"combine-unless-replaced": unless_replaced, "latest-unless-extended": unless_extended}
    for choice, numbers in {"combine": "1234", "latest": "4", **counted}.items():
        found = handed_in("GERMANY: A BER, A KIE, A MUN, A DEN", written, {"4.D.1": choice}, marks=marks)
        assert reasons(found) == [None if number in numbers else "ignored" for number in "1234"], choice


def test_the_sets_of_each_power_count_for_themselves() -> None:
    found = handed_in("GERMANY: A BER; FRANCE: A PAR", "GERMANY 2: A Ber - Kie; FRANCE 1: A Par - Bur", {})
    assert units_after(found) == {"A KIE", "A BUR"}


def test_combined_sets_may_order_a_unit_twice() -> None:
    ends = {"first": "A PRU", "last": "A KIE", "illegal-hold": "A BER"}
    check("4.D.3", "GERMANY: A BER", "GERMANY 2: A Ber - Kie; GERMANY 1: A Ber - Pru", ends, {"4.D.1": "combine"})


def test_sets_in_no_known_sequence() -> None:
    written = "GERMANY 1: A Ber - Kie; GERMANY 2: A Mun - Sil; GERMANY before: A Mun - Boh"
    for choice, places in {"combine": {"A KIE", "A SIL"}, "hold-all": {"A BER", "A MUN"}}.items():
        found = handed_in("GERMANY: A BER, A MUN", written, {"4.D.2": choice}, in_sequence=False)
        assert units_after(found) == places


def test_units_that_all_hold_are_not_in_civil_disorder() -> None:
    found = handed_in(
        "GERMANY: A MUN; FRANCE: A BUR; RUSSIA: A SIL, A BOH",
        "GERMANY 1: A Mun - Ber; GERMANY 2: A Mun - Kie; FRANCE: A Bur S A Mun;"
        " RUSSIA: A Sil - Mun, A Boh S A Sil - Mun",
        {"4.D.2": "hold-all", "4.D.9": "fails"},
        in_sequence=False,
    )
    assert found.dislodged == ()
    assert reasons(found) == ["ignored", "ignored", None, "bounced", None]


@pytest.mark.parametrize(
    ("issue", "choice", "centers", "written", "built"),
    [
        ("4.D.1", "combine", "PAR BRE MAR", "FRANCE 1: Build A Paris; FRANCE 2: Build F Brest", "A PAR, F BRE"),
        ("4.D.1", "latest", "PAR BRE MAR", "FRANCE 1: Build A Paris; FRANCE 2: Build F Brest", "F BRE"),
        # An unclear build is read by what can be built
        ("4.E.2", "individual", "LVP", "ENGLAND: Build F Liv", "F LVP"),
        ("4.E.2", "spelling-only", "LVP", "ENGLAND: Build F Liv", ""),
    ],
)
def test_builds(issue: str, choice: str, centers: str, written: str, built: str) -> None:
    owned = {written.partition(":")[0].split()[0]: centers.split()}
    assert units_after(handed_in("", written, {issue: choice}, phase="adjustment", centers=owned)) == board(built)


# 4.E.2


@pytest.mark.parametrize(
    ("units", "written", "ends"),
    [
        (
            "ENGLAND: A LVP, A EDI",
            "ENGLAND: A Edi - Yor, A Liv - Wal",
            {"individual set set-matching": "A YOR, A WAL", "spelling-only": "A YOR, A LVP"},
        ),
        (
            "ENGLAND: A LVP; RUSSIA: A LVN",
            "RUSSIA: A Liv - Wa",
            {"individual set set-matching": "A LVP, A WAR", "spelling-only": "A LVP, A LVN"},
        ),
        (
            "FRANCE: A PAR, A PIC",
            "FRANCE: A Pir - Bre, A Par - Gas",
            {"set set-matching": "A GAS, A BRE", "spelling-only individual": "A GAS, A PIC"},
        ),
        # An impossible order is not changed, and is the one that its unit has; but nothing matches it.
        (
            "FRANCE: A PAR, A PIC",
            "FRANCE: A Pir - Bre, A Par - Moscow",
            {"set set-matching": "A PAR, A BRE", "spelling-only individual": "A PAR, A PIC"},
        ),
        (
            "FRANCE: A PAR, A PIC, A EDI",
            "FRANCE: A Pir - Bre, A Par S A Liv - Bre",
            {"set set-matching": "A PAR, A BRE, A EDI", "spelling-only individual": "A PAR, A PIC, A EDI"},
        ),
        (
            "AUSTRIA: A SER, F BLA",
            "AUSTRIA: A Ser - Bu, F Bla S A Ser - Budapest",
            {"spelling-only individual set set-matching": "A SER, F BLA"},
        ),
        (
            "AUSTRIA: A SER, A GRE",
            "AUSTRIA: A Ser - Bu, A Gre S A Ser - Bul",
            {"set-matching": "A BUL, A GRE", "spelling-only individual set": "A SER, A GRE"},
        ),
        (
            "AUSTRIA: A SER, F GRE, A BOH",
            "AUSTRIA: A Ser - Bu, F Gre S A Ser, A Boh - Gal",
            {"spelling-only individual set set-matching": "A SER, F GRE, A GAL"},
        ),
        (
            "ENGLAND: A YOR, F NTH",
            "ENGLAND: A Yor - Nor, F Nth C A Yor - Norw",
            {"individual set set-matching": "A NWY, F NTH", "spelling-only": "A YOR, F NTH"},
        ),
    ],
)
def test_unclear_orders(units: str, written: str, ends: Mapping[str, str]) -> None:
    check("4.E.2", units, written, ends)


def test_a_set_with_too_many_combinations_is_judged_order_by_order() -> None:
    holds = ["A Liv H"] * 14
    assert 2 ** len(holds) > MAX_COMBINATIONS
    written = f"ENGLAND: {', '.join(holds)}, A Edi - Yo"
    found = handed_in("ENGLAND: A LVP, A LVN, A EDI", written, {"4.E.2": "set"})
    assert units_after(found) == {"A LVP", "A LVN", "A YOR"}


def test_under_any_writing_an_unclear_move_is_a_move() -> None:
    units = "GERMANY: A MUN, A RUH; RUSSIA: A SIL, A BOH"
    written = "GERMANY: A Mun - Bu, A Ruh S A Mun; RUSSIA: A Sil - Mun, A Boh S A Sil - Mun"
    assert isinstance(read_writing("A Mun - Bu"), Unclear)
    for choice, dislodged in {"any-writing": 1, "any-board-space": 0, "possible-now": 0}.items():
        found = handed_in(units, written, {"4.E.1": choice, "4.E.2": "spelling-only"})
        assert len(found.dislodged) == dislodged


# 4.E.3

RUHR_AND_KIEL = "GERMANY: A RUH, F KIE"


@pytest.mark.parametrize(
    ("units", "written", "allowed", "not_allowed"),
    [
        ("ENGLAND: A LON, F NTH", "ENGLAND: F Nth C A Lon - Bel", "A BEL, F NTH", "A LON, F NTH"),
        # An illegal order is none.
        (RUHR_AND_KIEL, "GERMANY: A Ruh S F Kie - Hol, F Kie - Mun", "A RUH, F HOL", "A RUH, F KIE"),
        ("GERMANY: A RUH; FRANCE: A BEL", "GERMANY: A Ruh S A Bel - Hol", "A RUH, A BEL", "A RUH, A BEL"),
        (RUHR_AND_KIEL, "GERMANY: A Ruh S F Kie", "A RUH, F KIE", "A RUH, F KIE"),
        # The support is illegal: Ruhr does not reach Denmark.
        (RUHR_AND_KIEL, "GERMANY: A Ruh S F Kie - Den", "A RUH, F KIE", "A RUH, F KIE"),
    ],
)
def test_implicit_orders(units: str, written: str, allowed: str, not_allowed: str) -> None:
    check("4.E.3", units, written, {"allowed": allowed, "not-allowed": not_allowed})


def test_an_implicit_order_has_no_result() -> None:
    assert reasons(handed_in(RUHR_AND_KIEL, "GERMANY: A Ruh S F Kie - Hol", {"4.E.3": "allowed"})) == [None]


def test_two_different_implicit_orders_are_two_orders() -> None:
    written = "GERMANY: F Den S F Kie - Bal, F Hel S F Kie - Hol"
    ends = {"first": "F DEN, F HEL, F BAL", "last": "F DEN, F HEL, F HOL", "illegal-hold": "F DEN, F HEL, F KIE"}
    check("4.D.3", "GERMANY: F DEN, F HEL, F KIE", written, ends, {"4.E.3": "allowed"})


# 4.E.4


def test_perpetual_orders() -> None:
    units, written = "ITALY: A POR, A SPA, A GAS", "ITALY before: A Gas - Par, A Spa - Por; ITALY: A Por H"
    allowed = handed_in(units, written, {"4.E.4": "allowed"})
    assert units_after(allowed) == {"A PAR", "A POR", "A SPA"}
    assert reasons(allowed) == [None, "bounced", None]
    assert reasons(handed_in(units, written, {"4.E.4": "not-allowed"})) == ["ignored", "ignored", None]


def test_a_new_order_goes_before_a_perpetual_one_unless_it_is_illegal() -> None:
    given = "ITALY before: A Mar - Gas; ITALY: "
    check("4.E.4", "ITALY: A MAR", given + "A Mar - Spa", {"allowed not-allowed": "A SPA"})
    check("4.E.4", "ITALY: A MAR", given + "A Mar - Mos", {"allowed": "A GAS", "not-allowed": "A MAR"})


def test_perpetual_orders_end_civil_disorder() -> None:
    units = "ITALY: A SPA; ENGLAND: F POR; FRANCE: A GAS, A MAR"
    written = "ITALY before: A Spa H; ENGLAND: F Por S A Spa; FRANCE: A Gas - Spa, A Mar S A Gas - Spa"
    for choice, dislodged in {"allowed": 0, "not-allowed": 1}.items():
        assert len(handed_in(units, written, {"4.E.4": choice, "4.D.9": "fails"}).dislodged) == dislodged


def test_in_other_phases_nothing_counts_that_was_given_beforehand() -> None:
    choices = {"4.E.4": "allowed", "4.E.5": "proxy-in-orders"}
    written = "FRANCE before: Build A Paris; FRANCE: A Paris proxy to England"
    found = handed_in("", written, choices, phase="adjustment", centers={"FRANCE": ["PAR"]})
    assert reasons(found) == ["ignored", "illegal"]


# 4.E.5

PROXY, FRENCH, OWN = "ENGLAND: A Bel proxy to France", "FRANCE: A Bel - Ruh", "ENGLAND: A Bel - Hol"
ALWAYS = "proxy-in-orders proxy-notified not-allowed"


@pytest.mark.parametrize(
    ("written", "ends"),
    [
        (
            f"ENGLAND before: A Bel proxy to France; {OWN}",
            {"proxy-notified": "A BEL", "proxy-in-orders not-allowed": "A HOL"},
        ),
        # A perpetual order is for a unit without another.
        (
            f"{PROXY}; {FRENCH}; ENGLAND before: A Bel - Pic",
            {"proxy-in-orders": "A RUH", "proxy-notified not-allowed": "A PIC"},
        ),
        # Nobody may give away what is not his, or give it to himself.
        (f"GERMANY: A Bel proxy to France; {FRENCH}", {ALWAYS: "A BEL"}),
        (f"ENGLAND: A Bel proxy to England; {OWN}", {ALWAYS: "A HOL"}),
        (f"{PROXY}; GERMANY: A Bel - Ruh", {ALWAYS: "A BEL"}),
    ],
)
def test_proxies(written: str, ends: Mapping[str, str]) -> None:
    check("4.E.5", "ENGLAND: A BEL", written, ends, {"4.E.4": "allowed"})


def test_a_proxy_among_several_orders_follows_the_rule_for_them() -> None:
    ends = {"first": "A RUH", "last": "A HOL", "illegal-hold": "A BEL"}
    check("4.D.3", "ENGLAND: A BEL", f"{PROXY}; {OWN}; {FRENCH}", ends, {"4.E.5": "proxy-in-orders"})


def test_a_unit_is_given_to_one_power_only() -> None:
    written = f"ENGLAND before: A Bel proxy to France, A Bel proxy to Germany; {FRENCH}"
    ends = {"first": "A RUH", "last illegal-hold": "A BEL"}
    check("4.D.3", "ENGLAND: A BEL", written, ends, {"4.E.5": "proxy-notified"})


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
