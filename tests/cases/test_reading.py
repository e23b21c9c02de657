"""How case files are read: an error names the file, the case and the field; what is inherited, and what is kept."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from datc.cases import SuiteError, load_ruleset, load_suite, loading, read_suite, reading, suite_names
from datc.cases.errors import UnknownSuiteError
from datc.cases.expectations import Resolution, read_resolution
from datc.reference_engine import Hold, Move, OrderedUnit, Submitted, standard_board
from datc.reference_engine.orders import Proxy, Unclear
from datc.reference_engine.position import FlyingDutchman

ROOT = Path(__file__).parents[2]
HEADER = 'name = "mine"\ntitle = "Mine"\n'
HEAD = """
section = "1"
title = "First"

[[case]]
id = "1.1"
title = "A case"
"""
CASE = """
issues = ["4.A.1"]
{fields}

[case.orders]
England = ["A London - Belgium", "F North Sea Convoys A London - Belgium"]
{orders}

[[case.expect]]
moved = ["A London"]
{expect}
"""


def written(folder, text):
    (folder / "suite.toml").write_text(HEADER, encoding="utf-8")
    (folder / "first.toml").write_text(HEAD + text, encoding="utf-8")
    return folder


def read_case(folder, text):
    """The only case of a text that is right."""
    (case,) = read_suite(written(folder, text)).cases
    return case


def problems_of(folder, text):
    with pytest.raises(SuiteError) as caught:
        _ = read_suite(written(folder, text))
    return caught.value.problems


def check_problem(folder, text, field, message):
    problems = problems_of(folder, text)
    assert any(problem.field == field and message in problem.message for problem in problems), problems


def example(*, fields="", orders="", expect=""):
    return CASE.format(fields=fields, orders=orders, expect=expect)


def test_a_right_suite_is_read(tmp_path):
    case = read_case(tmp_path, example())
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
    problems = problems_of(tmp_path, example(**change))
    found = [problem for problem in problems if problem.field.endswith(field) and message in problem.message]
    assert found, [str(problem) for problem in problems]
    assert found[0].file == "first.toml"
    assert found[0].case == ("" if "is not TOML" in message else "1.1")


def test_all_mistakes_are_told_at_once(tmp_path):
    assert len(problems_of(tmp_path, example(orders='France = ["A Oz H"]', expect='dislodged = ["A Paris"]'))) == 2


def test_a_case_id_is_used_once(tmp_path):
    _ = written(tmp_path, example())
    (tmp_path / "second.toml").write_text((tmp_path / "first.toml").read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(SuiteError, match=r"second\.toml, 1\.1, id: there is a case 1\.1 already, in first\.toml"):
        _ = read_suite(tmp_path)


SETS = """
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
    (phase,) = read_case(tmp_path, SETS).phases
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
    _ = written(tmp_path, example())
    (tmp_path / "bad.toml").write_bytes(content)
    with pytest.raises(SuiteError, match=r"^bad\.toml"):
        _ = read_suite(tmp_path)


def test_an_unknown_suite_names_those_that_there_are():
    datc = ("datc-2.4", "datc-3.1", "datc-3.2", "datc-chapters-4-5")
    assert suite_names() == ("alexander", *datc, "dptg", "extended", "field")
    with pytest.raises(UnknownSuiteError, match=r"no suite 'datc-9': it is alexander or datc-2\.4"):
        _ = load_suite("datc-9")


RETREATS = """
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
    retreat = read_case(tmp_path, RETREATS.format(expect='moved = ["A Picardy"]')).phases[1]
    assert retreat.position is None
    assert retreat.expectations[0].moved == {"PIC": "BEL"}


def test_a_dislodged_unit_cannot_be_forgotten(tmp_path):
    assert "\n".join(map(str, problems_of(tmp_path, RETREATS.format(expect="")))) == (
        "first.toml, 1.1, phase[1].expect[0].disbanded: the unit dislodged from PIC is not in `moved` or here"
    )


def test_a_case_knows_where_it_is_written():
    for name in suite_names():
        for case in load_suite(name).cases:
            lines = (ROOT / case.file).read_text(encoding="utf-8").split("\n")
            assert re.match(rf'id\s*= "{re.escape(case.id)}"$', lines[case.line - 1])


RESOLVED = """
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
CONVOY = "F North Sea Convoys A London - Belgium"
PREFERRED = load_ruleset("datc-3.1").ruleset().choices


def resolved(*, england=RIGHT, france='"stands"', corrections=""):
    return RESOLVED.format(england=england, france=france, corrections=corrections)


def phase_of(folder, corrections=""):
    """The phase of a case with corrections, and what it expects under the rules that the document prefers."""
    (phase,) = read_case(folder, resolved(corrections=corrections)).phases
    expected = phase.expected(PREFERRED)
    assert expected is not None
    return phase, expected


def correction(order, resolution, choices=""):
    return CORRECTION.format(order=order, resolution=resolution, choices=choices)


def test_resolutions_are_expected_under_the_rules_that_the_document_prefers(tmp_path):
    _, expected = phase_of(tmp_path)
    assert expected.orders == {0: "succeeds", 1: "available", 2: "stands"}
    assert read_resolution("stands") == Resolution(("stands",), None)


def test_they_say_whether_the_unit_is_lost():
    assert read_resolution("destroyed") == Resolution(("destroyed",), "destroyed")
    assert read_resolution("cut, dislodged") == Resolution(("cut",), "dislodged")


@pytest.mark.parametrize(
    ("resolution", "expected"),
    # Nothing is expected where success is as right as failure.
    [("disrupted", "disrupted"), ("available or invalid", None), ("disrupted or invalid", "fails")],
)
def test_a_correction_counts_instead(tmp_path, resolution, expected):
    _, found = phase_of(tmp_path, correction(CONVOY, resolution))
    assert found.orders.get(1) == expected


def test_a_correction_under_choices_leaves_the_preferred_ones_alone(tmp_path):
    phase, expected = phase_of(tmp_path, correction(CONVOY, "disrupted", 'choices = { "4.A.1" = "any-route" }'))
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
    check_problem(tmp_path, resolved(**fields), field, message)


def test_an_order_that_cannot_be_read_is_said_once_and_stops_nothing(tmp_path):
    problems = problems_of(tmp_path, resolved().replace("F Brest Holds", "F Brest Dances"))
    assert [problem.field for problem in problems] == ["orders.France"]


def inheriting(inherits, fields=""):
    return f'inherits = "{inherits}"\n{fields}\n'


def test_a_case_inherits_what_it_leaves_out(tmp_path):
    case = read_case(tmp_path, inheriting("datc-3.1/6.F.9", 'issues = ["X.1"]'))
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
    case = read_case(tmp_path, inheriting("datc-3.1/6.F.13", fields))
    assert case.remark == remark


def test_a_case_can_inherit_one_phase_of_several(tmp_path):
    case = read_case(tmp_path, inheriting("datc-3.1/6.J.9#2", 'phase = "adjustment"'))
    assert case.phases[0].position is not None
    assert "SKA" in {unit.location for unit in case.phases[0].position.units}


def test_a_position_is_inherited_whole_or_not_at_all(tmp_path):
    fields = 'phase = "adjustment"\n[case.centers]\nRussia = ["St Petersburg"]'
    case = read_case(tmp_path, inheriting("datc-3.1/6.B.14", fields))
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
    check_problem(tmp_path, inheriting(inherits), "inherits", message)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(loading, "user_cache_path", lambda _: tmp_path)
    return tmp_path


def as_data(suite):
    """Return a suite with its positions as what they were made from: they have no equality of their own."""
    fields = ("units", "phase", "dislodged", "centers", "flying_dutchmen")

    def plain(phase):
        position = phase.position
        return structs.replace(phase, position=position and {name: getattr(position, name) for name in fields})

    return [replace(case, phases=tuple(map(plain, case.phases))) for case in suite.cases]


def kept_files(cache):
    return [file for file in cache.rglob("*") if file.is_file()]


@pytest.mark.parametrize("name", suite_names())
def test_a_kept_suite_is_the_one_that_is_read(cache, monkeypatch, name):
    _ = loading._own_suite(name)
    monkeypatch.setattr(reading, "read_suite", lambda _: pytest.fail("it is read again"))
    kept = loading._own_suite(name)
    assert as_data(kept) == as_data(read_suite(loading._HERE / name))
    positions = [phase.position for case in kept.cases for phase in case.phases if phase.position]
    assert all(position.board is standard_board() for position in positions)
    assert len(kept_files(cache)) == 1


@pytest.mark.parametrize("damage", [lambda _: b"", lambda old: old[:-9], lambda old: old[:64] + b"x" + old[65:]])
def test_a_damaged_file_is_ignored_and_replaced(cache, damage):
    _ = loading._own_suite("alexander")
    (file,) = kept_files(cache)
    good = file.read_bytes()
    _ = file.write_bytes(damage(good))
    assert loading._own_suite("alexander").name == "alexander"
    assert kept_files(cache) == [file]
    assert file.read_bytes()[:64] == good[:64]


def test_a_suite_is_read_again_where_a_file_that_it_follows_from_has_changed(cache, monkeypatch):
    _ = loading._own_suite("alexander")
    monkeypatch.setattr(loading, "_digest", lambda: bytes(64))
    monkeypatch.setattr(reading, "read_suite", lambda folder: read_suite(folder.with_name("dptg")))
    assert loading._own_suite("alexander").name == "dptg"


def test_a_cache_that_cannot_be_written_is_no_error(cache, monkeypatch):
    _ = (cache / "file").write_text("")
    monkeypatch.setattr(loading, "user_cache_path", lambda _: cache / "file")
    assert loading._own_suite("alexander").name == "alexander"
