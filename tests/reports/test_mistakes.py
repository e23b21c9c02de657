"""One sentence for one mistake, however many differences show it."""

import pytest
from msgspec.structs import replace

from datc.reports.mistakes import mistake_sentence
from datc.reports.report import BoardData, FactData, OrderData

from . import samples


def phase(orders, facts, *, before=(), kind="movement"):
    """Build a phase with facts such as `unit-missing GERMANY F YOR`."""
    made = [fact.split(" ", 1) for fact in facts]
    return replace(
        samples.phase(answer=None, differences=[f"difference {number}" for number in range(len(facts))]),
        phase=kind,
        before=BoardData(units=[samples.unit(text) for text in before]),
        orders=[OrderData(power=power, text=text) for power, text in orders],
        facts=[
            FactData(kind=name, order=int(rest)) if name == "outcome" else FactData(kind=name, unit=samples.unit(rest))
            for name, rest in made
        ],
    )


MOVE = [("GERMANY", "F London - Yorkshire"), ("ENGLAND", "A Yorkshire Hold")]


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (
            ["unit-missing GERMANY F YOR", "unit-unexpected ENGLAND A YOR", "unit-unexpected GERMANY F LON",
             "dislodgement-missing ENGLAND A YOR", "outcome 0"],
            "Germany's F London should have moved to Yorkshire and dislodged England's A Yorkshire, "
            + "but it stayed where it was.",
        ),
        (
            ["unit-missing GERMANY F YOR", "dislodgement-unexpected GERMANY F LON"],
            "Germany's F London should have moved to Yorkshire, but it was dislodged.",
        ),
        (
            ["unit-unexpected ENGLAND A YOR", "dislodgement-missing ENGLAND A YOR"],
            "England's A Yorkshire should have been dislodged, but was not.",
        ),
        (["unit-missing GERMANY F YOR", "unit-unexpected FRANCE F LON"], "Difference 0; difference 1."),
        (["outcome 0"] * 7, "Difference 0; difference 1; difference 2; and 4 more differences."),
    ],
)  # fmt: skip
def test_differences_of_one_fault_are_one_sentence(facts, sentence):
    assert mistake_sentence(phase(MOVE, facts)) == sentence


def test_a_wrong_removal_names_both_units():
    units = ["RUSSIA A LVN", "RUSSIA A PRU"]
    facts = ["unit-missing RUSSIA A LVN", "unit-unexpected RUSSIA A PRU"]
    removal = phase([], facts, before=units, kind="adjustment")
    assert mistake_sentence(removal) == "Russia should have lost A Prussia, but it lost A Livonia."


def test_a_report_has_a_sentence_for_each_phase_that_is_wrong_also_where_it_is_old_or_hostile(hostile):
    old = replace(phase(MOVE, ["outcome 0"]), facts=[])
    assert mistake_sentence(old) == "Difference 0."
    for one in (replace(old, differences=[]), *(one for case in hostile.cases for one in case.phases)):
        assert bool(mistake_sentence(one)) == bool(one.differences)
