"""Resolutions of single orders, and what a case inherits: what is wrong with them is said with case and field."""

import pytest

from datc.cases import load_ruleset
from datc.cases.resolutions import Resolution, read_resolution

from .test_reading import HEADER, problems_of

CASE = """
section = "1"
title = "First"

[[case]]
id = "1.1"
title = "A case"
issues = ["4.A.1"]

[case.orders]
England = ["A London - Belgium", "F North Sea Convoys A London - Belgium"]
France = ["F Brest Holds"]

[case.resolutions]
England = [{england}]
France = [{france}]
{corrections}
[[case.expect]]
moved = ["A London"]
"""
RIGHT = '"Succeeds", "available"'
CORRECTION = '[[case.corrections]]\norder = "{order}"\nresolution = "{resolution}"\nreason = "it says so"\n{choices}\n'
PREFERRED = load_ruleset("datc-3.1").ruleset().choices


def read(tmp_path, *, england=RIGHT, france='"stands"', corrections=""):
    text = CASE.format(england=england, france=france, corrections=corrections)
    suite, problems = problems_of(tmp_path, text=text)
    found = [(problem.field, problem.message) for problem in problems]
    if suite is None:
        return None, None, found
    phase = suite.cases[0].phases[0]
    return phase, phase.expected(PREFERRED), found


def correction(order, resolution, choices=""):
    return CORRECTION.format(order=order, resolution=resolution, choices=choices)


def test_they_are_expected_under_the_rules_that_the_document_prefers(tmp_path):
    _, expected, problems = read(tmp_path)
    assert problems == []
    assert expected is not None
    assert expected.orders == {0: "succeeds", 1: "available", 2: "stands"}
    assert read_resolution("stands") == Resolution(("stands",), None)


def test_they_say_whether_the_unit_is_lost():
    assert read_resolution("destroyed") == Resolution(("destroyed",), "destroyed")
    assert read_resolution("cut, dislodged") == Resolution(("cut",), "dislodged")


def test_a_correction_counts_instead(tmp_path):
    _, expected, problems = read(
        tmp_path, corrections=correction("F North Sea Convoys A London - Belgium", "disrupted")
    )
    assert problems == []
    assert expected is not None
    assert expected.orders[1] == "disrupted"


def test_where_either_of_two_is_right_nothing_is_expected(tmp_path):
    order = "F North Sea Convoys A London - Belgium"
    _, expected, _ = read(tmp_path, corrections=correction(order, "available or invalid"))
    assert expected is not None
    assert 1 not in expected.orders
    _, expected, _ = read(tmp_path, corrections=correction(order, "disrupted or invalid"))
    assert expected is not None
    assert expected.orders[1] == "fails"


def test_a_correction_under_choices_leaves_the_preferred_ones_alone(tmp_path):
    choices = 'choices = { "4.A.1" = "any-route" }'
    order = "F North Sea Convoys A London - Belgium"
    phase, expected, problems = read(tmp_path, corrections=correction(order, "disrupted", choices))
    assert problems == []
    assert phase is not None
    assert expected is not None
    assert expected.orders[1] == "available"
    other = phase.expected({**PREFERRED, "4.A.1": "any-route"})
    assert other is not None
    assert (other.orders[1], other.basis, other.moved) == ("disrupted", "derived", {"LON": "BEL"})


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"england": '"fails", "available"'}, "resolutions", "'A London - Belgium': `moved` says otherwise"),
        ({"england": '"succeeds, dislodged", "available"'}, "resolutions", "`dislodged` says otherwise"),
        ({"france": '"destroyed"'}, "resolutions", "'F Brest Holds': `dislodged` says otherwise"),
        ({"england": '"succeeds"'}, "resolutions.England", "there are 2 orders and 1 resolutions"),
        ({"england": '"succeeds", "given"'}, "resolutions", "is available or disrupted or illegal or invalid, not"),
        ({"england": '"succeeds", "available, lost"'}, "resolutions", "not 'available, lost'"),
        ({"france": '"stands"]\nItaly = ["stands"'}, "resolutions", "Italy has no orders"),
        ({"corrections": correction("A Paris - Picardy", "fails")}, "corrections", "no order 'A Paris - Picardy'"),
        (
            {"corrections": correction("F Brest Holds", "stands", 'choices = { "4.A.2" = "1971" }')},
            "corrections",
            "issue 4.A.2 is not among the case's `issues`",
        ),
    ],
)
def test_what_contradicts_the_case_is_said(tmp_path, fields, field, message):
    _, _, problems = read(tmp_path, **fields)
    assert any(where == field and message in said for where, said in problems), problems


def test_an_order_that_cannot_be_read_is_said_once_and_stops_nothing(tmp_path):
    text = CASE.format(england=RIGHT, france='"stands"', corrections="").replace("F Brest Holds", "F Brest Dances")
    _, problems = problems_of(tmp_path, text=text)
    assert [problem.field for problem in problems] == ["orders.France"]


INHERITING = """
section = "1"
title = "First"

[[case]]
id = "1.1"
title = "A case"
inherits = "{inherits}"
{fields}
"""


def inheriting(tmp_path, inherits, fields=""):
    suite, problems = problems_of(tmp_path, text=INHERITING.format(inherits=inherits, fields=fields), header=HEADER)
    return suite and suite.cases[0], [(problem.field, problem.message) for problem in problems]


def test_a_case_inherits_what_it_leaves_out(tmp_path):
    case, problems = inheriting(tmp_path, "datc-3.1/6.F.9", 'issues = ["X.1"]')
    assert problems == []
    assert case is not None
    assert case.title == "A case"
    assert case.issues == ("4.A.1", "4.A.6", "X.1")
    assert case.phases[0].orders[0].text == "F English Channel Convoys A London - Belgium"
    assert len(case.phases[0].expectations) > 1


@pytest.mark.parametrize(
    ("fields", "remark"),
    [
        ("", 'The text does not say that its outcome presumes 4.A.1 "all-routes".'),
        ('remark = "Another edition says it."', "Another edition says it."),
    ],
)
def test_a_remark_is_inherited_and_one_of_its_own_replaces_it(tmp_path, fields, remark):
    case, problems = inheriting(tmp_path, "datc-3.1/6.F.13", fields)
    assert problems == []
    assert case is not None
    assert case.remark == remark


def test_a_case_can_inherit_one_phase_of_several(tmp_path):
    case, problems = inheriting(tmp_path, "datc-3.1/6.J.9#2", 'phase = "adjustment"')
    assert problems == []
    assert case is not None
    assert case.phases[0].position is not None
    assert "SKA" in {unit.location for unit in case.phases[0].position.units}


def test_a_position_is_inherited_whole_or_not_at_all(tmp_path):
    fields = 'phase = "adjustment"\n[case.centers]\nRussia = ["St Petersburg"]'
    case, problems = inheriting(tmp_path, "datc-3.1/6.B.14", fields)
    assert problems == []
    assert case is not None
    assert case.phases[0].position is not None
    assert case.phases[0].position.units == ()


@pytest.mark.parametrize(
    ("inherits", "message"),
    [
        ("datc-3.1/6.F.99", "there is no case 'datc-3.1/6.F.99': it is named like 'datc-3.1/6.F.9'"),
        ("datc-9/6.F.9", "there is no case 'datc-9/6.F.9'"),
        ("../datc-3.1/6.F.9", "there is no case"),
        ("6.F.9", "there is no case '6.F.9'"),
        ("datc-3.1/6.J.9", "datc-3.1/6.J.9 has 2 phases, this case 1"),
        ("datc-3.1/6.J.9#3", "datc-3.1/6.J.9 has no phase '3': they are counted from 1"),
        ("datc-3.1/6.J.9#0", "datc-3.1/6.J.9 has no phase '0'"),
    ],
)
def test_a_case_that_is_not_there_cannot_be_inherited(tmp_path, inherits, message):
    _, problems = inheriting(tmp_path, inherits)
    assert any(field == "inherits" and message in said for field, said in problems), problems
