"""A broken case file is told with file, case and field, and what would be right."""

import re
from pathlib import Path

import pytest

from datc.cases import SuiteError, load_suite, read_suite, suite_names
from datc.cases.errors import UnknownSuiteError
from datc.reference_engine import Hold, Move, OrderedUnit, Submitted
from datc.reference_engine.orders import Proxy, Unclear
from datc.reference_engine.position import FlyingDutchman

ROOT = Path(__file__).parents[2]
HEADER = 'name = "mine"\ntitle = "Mine"\n'
CASE = """
section = "1"
title = "First"

[[case]]
id = "1.1"
title = "A case"
issues = ["4.A.1"]
{fields}

[case.orders]
England = ["A London - Belgium", "F North Sea Convoys A London - Belgium"]
{orders}

[[case.expect]]
moved = ["A London"]
{expect}
"""


def problems_of(tmp_path, *, fields="", orders="", expect="", text=None, header=HEADER):
    (tmp_path / "suite.toml").write_text(header, encoding="utf-8")
    content = CASE.format(fields=fields, orders=orders, expect=expect) if text is None else text
    (tmp_path / "first.toml").write_text(content, encoding="utf-8")
    try:
        return read_suite(tmp_path), ()
    except SuiteError as error:
        return None, error.problems


def test_a_right_suite_is_read(tmp_path):
    suite, problems = problems_of(tmp_path)
    assert problems == ()
    assert suite is not None
    (case,) = suite.cases
    assert case.phases[0].expectations[0].moved == {"LON": "BEL"}
    assert [case.id for case in load_suite(str(tmp_path)).cases] == ["1.1"]


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"orders": 'France = ["A Oz - Paris"]'}, "orders.France", "'Oz' is no province"),
        ({"orders": 'Narnia = ["A Paris H"]'}, "orders", "there is no power 'Narnia'"),
        ({"orders": 'France = ["A London H"]'}, "orders.FRANCE", "disagree on who is in LON"),
        ({"orders": 'France = ["Paris - Burgundy"]'}, "orders.FRANCE", "leaves open what stands there"),
        ({"orders": 'France = ["F Spain - Portugal"]'}, "orders.FRANCE", "leaves open what stands there"),
        ({"fields": 'source = "javascript:alert(1)"'}, "source", "matching regex"),
        ({"fields": 'units = { France = ["A North Sea"] }'}, "units.France", "leaves open what stands there"),
        ({"fields": 'centers = { France = ["Burgundy"] }'}, "units", "'BUR' is no supply center"),
        ({"fields": 'issues = ["4.A.1"]'}, "", "is not TOML"),
        ({"fields": 'phase = "retreat"'}, "phase", "goes on from a movement phase"),
        ({"fields": "oders = 1"}, "", "unknown field `oders`"),
        ({"orders": '[[case.order_sets]]\npower = "Narnia"\norders = []'}, "order_sets[0].power", "no power 'Narnia'"),
        ({"orders": '[[case.order_sets]]\npower = "England"\norders = []'}, "order_sets[0]", "not in both"),
        (
            {"orders": '[[case.order_sets]]\npower = "France"\norders = ["A Oz H"]'},
            "order_sets[0].orders",
            "'Oz' is no province",
        ),
        ({"orders": '[[case.order_sets]]\npower = "France"\norders = []\nmark = "x"'}, "mark", "Invalid enum value"),
        ({"orders": '[case.beforehand]\nFrance = ["A Liv H"]'}, "beforehand.France", "'Liv' could be LVN or LVP"),
        ({"orders": '[case.flying_dutchmen]\nFrance = ["A London"]'}, "units", "FRANCE has no unit in 'LON'"),
        ({"orders": "[case.flying_dutchmen]\nFrance = []"}, "units", "name those that it could be"),
        ({"fields": 'poorly_written = ["A Liv H"]'}, "poorly_written", "there is no order 'A Liv H'"),
        ({"fields": 'sequence = "lost"'}, "sequence", "Invalid enum value"),
        ({"expect": 'dislodged = ["A Paris"]'}, "expect[0].dislodged", "there is no 'A Paris'"),
        ({"expect": 'dislodged = ["A North Sea"]'}, "expect[0].dislodged", "there is no 'A North Sea'"),
        ({"expect": 'dislodged = ["A London"]'}, "expect[0].moved", "both moved and dislodged"),
        ({"expect": 'cut = ["A Wales"]'}, "expect[0].cut", "no order has the text 'A Wales'"),
        ({"expect": 'may_retreat = ["A London - Wales"]'}, "expect[0].may_retreat", "is not dislodged"),
        ({"expect": 'built = ["A London"]'}, "expect[0].built", "does not happen in a phase of movement"),
        ({"expect": 'choices = { "4.A.1" = "sideways" }'}, "expect[0].choices", "no choice 'sideways'"),
        ({"expect": 'choices = { "4.A.2" = "szykman" }'}, "expect[0].choices", "not among the case's `issues`"),
        ({"orders": 'France = ["A Belgium Hold"]'}, "expect[0].moved", "the board that follows is impossible"),
        ({"expect": "no_answer = true"}, "expect[0].no_answer", "nothing else is expected"),
        ({"expect": "[[case.expect]]"}, "expect[1].choices", "holds for the same choices"),
        ({"expect": 'basis = "guess"'}, "expect[0].basis", "Invalid enum value"),
        ({"expect": "moved = 3"}, "", "is not TOML"),
        ({"expect": "dislodged = 3"}, "expect[0].dislodged", "Expected `array`"),
    ],
)
def test_each_mistake_is_told_with_its_place(tmp_path, change, field, message):
    _, problems = problems_of(tmp_path, **change)
    found = [problem for problem in problems if problem.field.endswith(field) and message in problem.message]
    assert found, [str(problem) for problem in problems]
    assert found[0].file == "first.toml"
    assert found[0].case == ("" if "is not TOML" in message else "1.1")


def test_all_mistakes_are_told_at_once(tmp_path):
    _, problems = problems_of(tmp_path, orders='France = ["A Oz H"]', expect='dislodged = ["A Paris"]')
    assert len(problems) == 2


def test_a_case_id_is_used_once(tmp_path):
    _ = problems_of(tmp_path)
    (tmp_path / "second.toml").write_text((tmp_path / "first.toml").read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(SuiteError, match=r"second\.toml, 1\.1, id: there is a case 1\.1 already, in first\.toml"):
        _ = read_suite(tmp_path)


SETS = """
section = "1"
title = "First"

[[case]]
id             = "1.1"
title          = "All that players hand in"
issues         = ["4.D.1"]
sequence       = "unknown"
poorly_written = ["A Lon - Wa"]

[[case.order_sets]]
power  = "England"
orders = ["A London - Wales"]

[[case.order_sets]]
power  = "England"
orders = ["A Lon - Wa", "A London proxy to France"]
mark   = "extends"

[case.beforehand]
England = ["A London Hold"]

[case.flying_dutchmen]
England = ["A London"]

[[case.expect]]
removed = ["A London"]
"""


def test_all_that_players_hand_in_is_read(tmp_path):
    suite, problems = problems_of(tmp_path, text=SETS)
    assert problems == ()
    assert suite is not None
    (phase,) = suite.cases[0].phases
    wales, warsaw = (Move(OrderedUnit("LON", "A"), to) for to in ("WAL", "WAR"))
    assert [order.submitted for order in phase.orders] == [
        Submitted("ENGLAND", wales),
        Submitted("ENGLAND", Unclear((wales, warsaw)), 2),
        Submitted("ENGLAND", Proxy(OrderedUnit("LON", "A"), "FRANCE"), 2),
        Submitted("ENGLAND", Hold(OrderedUnit("LON", "A")), beforehand=True),
    ]
    assert [order.order for order in phase.orders[:3]] == [wales, None, None]
    assert phase.marks == {("ENGLAND", 2): "extends"}
    assert not phase.in_sequence
    assert phase.position is not None
    assert phase.position.flying_dutchmen == (FlyingDutchman("ENGLAND", ("LON",)),)
    assert phase.expectations[0].board_after(phase.position.units, (), "movement") == frozenset()


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[[case", b"section = 1", b"section = '1'\ntitle = '1'\ncase = [1]"])
def test_what_is_no_case_file_is_told(tmp_path, content):
    (tmp_path / "suite.toml").write_text(HEADER, encoding="utf-8")
    (tmp_path / "bad.toml").write_bytes(content)
    with pytest.raises(SuiteError, match=r"^bad\.toml"):
        _ = read_suite(tmp_path)


def test_an_unknown_suite_names_those_that_there_are():
    assert suite_names() == (
        "alexander",
        "datc-2.4",
        "datc-3.1",
        "datc-3.2",
        "datc-chapters-4-5",
        "dptg",
        "extended",
        "field",
    )
    with pytest.raises(UnknownSuiteError, match=r"no suite 'datc-9': it is alexander or datc-2\.4"):
        _ = load_suite("datc-9")


RETREATS = """
section = "1"
title = "First"

[[case]]
id = "1.1"
title = "A retreat"

[[case.phase]]
[case.phase.orders]
France  = ["A Paris - Picardy", "A Brest Supports A Paris - Picardy"]
England = ["A Picardy Hold"]

[[case.phase.expect]]
moved     = ["A Paris"]
dislodged = ["A Picardy"]

[[case.phase]]
phase = "retreat"
[case.phase.orders]
England = ["A Picardy - Belgium"]

[[case.phase.expect]]
{expect}
"""


def test_a_phase_goes_on_from_the_one_before(tmp_path):
    suite, problems = problems_of(tmp_path, text=RETREATS.format(expect='moved = ["A Picardy"]'))
    assert problems == ()
    assert suite is not None
    retreat = suite.cases[0].phases[1]
    assert retreat.position is None
    assert retreat.expectations[0].moved == {"PIC": "BEL"}


def test_a_dislodged_unit_cannot_be_forgotten(tmp_path):
    _, problems = problems_of(tmp_path, text=RETREATS.format(expect=""))
    assert "\n".join(map(str, problems)) == (
        "first.toml, 1.1, phase[1].expect[0].disbanded: the unit dislodged from PIC is not in `moved` or here"
    )


def test_a_case_knows_where_it_is_written():
    for name in suite_names():
        for case in load_suite(name).cases:
            lines = (ROOT / case.place.file).read_text(encoding="utf-8").split("\n")
            assert re.match(rf'id\s*= "{re.escape(case.id)}"$', lines[case.place.line - 1])
