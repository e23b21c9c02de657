"""The smoke test of an engine: each way to misbehave is named, and a good engine has no failure."""

import json
import sys

import msgspec
import pytest

from datc.adapters import EngineFailure, EngineGaveOutError, UnsupportedError
from datc.adapters.builtin import BuiltinEngine, Reference
from datc.adapters.errors import AdapterError
from datc.adapters.process import ProcessEngine
from datc.adapters.protocol import (
    Capabilities,
    ConvoyMessage,
    EngineIdentity,
    InitializeResult,
    MoveMessage,
    SupportMessage,
    UnitMessage,
    WaiveMessage,
)
from datc.cases.map_diff import SingleMove
from datc.harness.bugs.mutants import find_mutant
from datc.harness.bugs.mutants.mutant import MutantReference
from datc.harness.run.map_check import border_moves, check_map, other_moves, pack
from datc.harness.run.smoke import check_handshake, smoke_checks
from datc.reference_engine import standard_board
from datc.reference_engine.maps import load_board

from ...adapters.fakes import FAKE, MARKER, PATIENT, command
from ..cli.running import engine_of, invoke, words
from ..play.altered import Altered

replace = msgspec.structs.replace
NO_BOARD = EngineFailure("answered error -32000: 'no board'")
BURGUNDY = UnitMessage(power="GERMANY", type="A", location="BUR")


def smoke(engine, **options):
    """Check all but the map."""
    checks = {}
    for check in smoke_checks(engine, engine.start(), **options):
        checks[check.name] = check
        if check.name == "unknown method":
            break
    return checks


def failures(engine, **options):
    return {name: check.failures for name, check in smoke(engine, **options).items() if check.failures}


def hints(engine, **options):
    return {name: check.hints for name, check in smoke(engine, **options).items() if check.hints}


def in_phase(phase, change):
    return lambda params, answer: change(answer) if params.phase == phase else answer


def movement(change):
    return in_phase("movement", change)


def dislodged(change):
    """Alter what is said of a dislodged unit."""
    return movement(lambda answer: replace(answer, dislodged=[change(entry) for entry in answer.dislodged]))


def rewrite(old, new):
    """Alter the text of every answer."""
    return lambda _params, answer: msgspec.json.decode(
        msgspec.json.encode(answer).replace(old.encode(), new.encode()), type=type(answer)
    )


def moving(answer, old, new):
    units = [replace(unit, location=new) if unit.location == old else unit for unit in answer.units]
    return replace(answer, units=units)


def fails(where, error: AdapterError = NO_BOARD):
    """Answer no request of which this is true."""

    def change(params, answer):
        if where(params, answer):
            raise error
        return answer

    return change


def in_adjustment(params, _answer):
    return params.phase == "adjustment"


def handshake(**capabilities):
    engine = EngineIdentity(name="x")
    return check_handshake(InitializeResult(protocol=1, engine=engine, capabilities=Capabilities(**capabilities)))


def without_the_last_unit(answer):
    return replace(answer, units=answer.units[:-1])


WRONG_MOVEMENTS = [
    (rewrite('"BUR"', '"bur"'), "location 'bur' is unknown: did you mean 'BUR'?"),
    (rewrite("FRANCE", "France"), "power 'France' is unknown: did you mean 'FRANCE'?"),
    (rewrite('"location":"HOL"', '"location":"STP"'), "a fleet in STP is on one of its coasts: STP/NC or STP/SC"),
    (rewrite('"type":"A","location":"BUR"', '"type":"A","location":"SPA/NC"'),
     "an army is on no coast: SPA instead of SPA/NC"),
    (rewrite('"location":"HOL"', '"location":"MUN"'), "impossible board: England F Munich cannot stand there"),
    (movement(lambda answer: replace(answer, units=[*answer.units, BURGUNDY])),
     "`units` has Germany A Burgundy, which is dislodged: it stands in `dislodged` alone until it has retreated"),
    (movement(lambda answer: replace(answer, dislodged=None)),
     "the answer has no `dislodged`, from which a retreat phase goes on"),
    (dislodged(lambda entry: replace(entry, from_="BUR")),
     "Germany A Burgundy was attacked from Paris, but the engine says from Burgundy"),
    (dislodged(lambda entry: replace(entry, from_="Paris")), "location 'Paris' is unknown"),
    (dislodged(lambda entry: replace(entry, retreats=entry.retreats[1:])),
     "the unit dislodged from Burgundy may retreat to Belgium"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("check", "change", "message"),
    [
        *(("movement phase", *row) for row in WRONG_MOVEMENTS),
        ("retreat phase", in_phase("retreat", without_the_last_unit), "Germany A Belgium should be on the board, but"),
        ("adjustment phase", in_phase("adjustment", without_the_last_unit), "France A Paris should be on the board"),
        ("adjustment phase", fails(in_adjustment), "the engine answered error -32000: 'no board'"),
        (
            "adjustment phase",
            fails(in_adjustment, UnsupportedError("the engine says: 'later'")),
            "the engine says: 'later'",
        ),
        ("illegal order", movement(lambda answer: moving(answer, "PAR", "WAR")), "France A Warsaw should not be"),
    ],
)
def test_what_is_wrong_with_an_answer_is_named(check, change, message):
    found = failures(Altered(change))
    assert any(text.startswith(message) for text in found[check]), found


@pytest.mark.parametrize(
    ("change", "check", "message"),
    [
        (movement(lambda answer: replace(answer, orders=None)), "movement phase",
         "the answer has no `orders`: the outcomes of single orders are not judged"),
        (dislodged(lambda entry: replace(entry, from_=None)), "movement phase",
         "`from` of Germany A Burgundy is not given"),
        (fails(lambda params, _: len(params.units) == 7), "support out of reach",
         "the engine answered error -32000: 'no board'"),
        (rewrite('"reason":"illegal"', '"reason":"void"'), "illegal order",
         "'A Paris - Warsaw' fails as illegal; `orders` says void"),
        (lambda params, answer: moving(answer, "PAR", "BUR")
         if len(params.units) < 3 and params.orders[0].power == "GERMANY" else answer,
         "order to another power's unit", "it is carried out: the engine does not look whose the unit is (case 6.A.6)"),
        (movement(lambda answer: moving(answer, "SPA", "MAR")), "order to another power's unit",
         "before its own power's order, it keeps that from being carried out (case F.order-to-a-foreign-unit)"),
        (lambda params, answer: moving(answer, "BUR", "PAR") if len(params.units) == 2 else answer,
         "order to another power's unit",
         "after its own power's order, it keeps that from being carried out (case F.order-to-a-foreign-unit)"),
    ],
)  # fmt: skip
def test_what_its_author_should_know_is_a_hint(change, check, message):
    engine = Altered(change)
    assert failures(engine) == {}
    assert any(text.startswith(message) for text in hints(engine)[check])


@pytest.mark.parametrize(
    ("mutant", "message"),
    [
        ("hold-support-out-of-reach", "a support to hold counts (case F.hold-support-out-of-reach)"),
        ("move-support-out-of-reach", "a support for a move counts (case F.move-support-out-of-reach)"),
        ("every-order-obeyed", None),
    ],
)
def test_a_support_out_of_reach_that_counts_is_a_hint(mutant, message):
    engine = BuiltinEngine(MutantReference(mutant=find_mutant(mutant)))
    assert failures(engine) == {}
    assert hints(engine) == ({"support out of reach": [message]} if message else {})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (movement(lambda answer: replace(answer, dislodged=None)),
         "the answer has no `dislodged`, from which a retreat phase goes on"),
        (dislodged(lambda entry: replace(entry, retreats=None)),
         "`retreats` of Germany A Burgundy are not given: where it may retreat to is not judged"),
    ],
)  # fmt: skip
def test_without_a_retreat_phase_it_need_not_say_who_retreats(change, message):
    def guarded(params, answer):
        return change(params, answer) if answer.dislodged else answer

    engine = Altered(guarded, Capabilities(phases=["movement", "adjustment"]))
    assert failures(engine) == {}
    assert hints(engine) == {"movement phase": [message]}
    assert smoke(engine)["retreat phase"].not_asked == "not in capabilities.phases"


def test_a_wrong_word_for_a_hold_does_not_keep_the_retreat_from_being_asked():
    def wrong(_params, answer):
        orders = [replace(each, outcome="succeeds", reason=None) if each.reason == "dislodged" else each
                  for each in answer.orders]  # fmt: skip
        return replace(answer, orders=orders)

    found = smoke(Altered(wrong))
    assert any("'A Burgundy Hold'" in text for text in found["movement phase"].failures), found["movement phase"]
    assert (found["retreat phase"].not_asked, found["retreat phase"].failures) == ("", [])


class Dropping(Altered):
    """An engine behind a bridge that changes each order."""

    def __init__(self, change):
        super().__init__()
        self.of_order = change

    def adjudicate(self, params):
        orders = [each for each in map(self.of_order, params.orders) if each is not None]
        answer = super().adjudicate(replace(params, orders=orders))
        return replace(answer, orders=None)


def changed(kind, **fields):
    """Change the structured form of orders of a kind."""

    def change(given):
        return replace(given, order=replace(given.order, **fields)) if isinstance(given.order, kind) else given

    return change


def without_nationality(given):
    if not isinstance(given.order, SupportMessage):
        return given
    return replace(given, order=replace(given.order, supported=replace(given.order.supported, power=None)))


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        (lambda given: None if isinstance(given.order, WaiveMessage) else given, "waive: your bridge drops it, or"),
        (changed(MoveMessage, via_convoy=False), "via convoy: an army that is to sail walks: your bridge drops"),
        (lambda given: replace(given, order=replace(given.order, convoyed=replace(given.order.unit)))
         if isinstance(given.order, ConvoyMessage) else given,
         "convoy: without the words `via convoy` no army sails: your bridge has to add them"),
        (without_nationality, "nationality: a wrong one counts where it has to be void: your bridge drops it, or"),
        (lambda given: given, ""),
    ],
)  # fmt: skip
def test_what_a_bridge_drops_is_named(change, hint):
    hints = smoke(Dropping(change))["what the bridge passes on"].hints
    assert any(text.startswith(hint) for text in hints) if hint else hints == []


def test_a_home_center_that_nobody_owns_is_named_where_it_crashes_an_engine():
    def crashes(params, _answer):
        return params.phase == "adjustment" and not {"BER", "KIE"} <= {
            center for owned in params.centers.values() for center in owned
        }

    found = failures(Altered(fails(crashes)))["adjustment phase"]
    assert "it answers if each power owns its home centers: it has to bear others, which nobody owns" in found


def test_an_engine_that_forgets_convoys_in_autumn_fails_its_check():
    def without_convoys(params, answer):
        if params.season == "autumn" and any(isinstance(each.order, ConvoyMessage) for each in params.orders):
            return replace(answer, units=params.units, dislodged=[])
        return answer

    found = failures(Altered(without_convoys))
    assert [text.partition(":")[0] for text in found["same answer in any form"]] == ["the season changes the answer"]


@pytest.mark.parametrize(
    ("capabilities", "message"),
    [
        ({"phases": ["movement", "retreats"]}, "capabilities.phases has 'retreats': did you mean 'retreat'?"),
        ({"orders": []}, "capabilities.orders names none of text, structured: nothing can be asked"),
        ({"maps": ["ancmed"]}, "capabilities.maps lacks 'standard', the map of nearly every case"),
        ({"choices": {"4.A.22": ["szykman"]}}, "capabilities.choices: "),
    ],
)
def test_what_is_wrong_with_a_capability_is_named(capabilities, message):
    assert any(text.startswith(message) for text in handshake(**capabilities).failures), handshake(**capabilities)


def test_a_handshake_has_hints():
    found = handshake(maps=["standard", "ancmed"])
    assert found.failures == []
    assert found.hints == [
        "capabilities.maps has 'ancmed', which is no map of ours: ask with `run --map FILE`",
        "engine.version is not given: a report cannot say what it is about",
    ]


def test_without_a_movement_phase_nothing_else_is_asked():
    checks = list(smoke_checks(BuiltinEngine(), Altered(capabilities=Capabilities(phases=["retreat"])).start()))
    assert [check.name for check in checks] == ["handshake", "all else"]


def reads(*forms):
    """Make an engine that reads orders in these forms only; it takes any other for a hold."""

    def understands(order):
        if order.order is not None:
            return "structured" in forms
        return ("names" if "Paris" in order.text else "codes") in forms

    def change(params, answer):
        orders = [order for order in params.orders if understands(order)]
        answered = Reference().adjudicate(replace(params, orders=orders))
        return replace(answered, orders=None)

    return change


@pytest.mark.parametrize(
    ("forms", "notation", "wrong", "hinted"),
    [
        (("names", "codes", "structured"), "document", [], []),
        (("names", "structured"), "document", [], ["orders as text in codes"]),
        (("codes", "structured"), "document", ["orders as text in names"], []),
        (("codes", "structured"), "codes", [], ["orders as text in names"]),
        (("structured",), "document", ["orders as text in names"], ["orders as text in codes"]),
        (("names", "codes"), "document", [], ["structured orders"]),
        ((), "codes", ["orders as text in codes", "structured orders"], ["orders as text in names"]),
    ],
)
def test_text_is_read_as_it_is_sent(forms, notation, wrong, hinted):
    checks = smoke(Altered(reads(*forms)), notation=notation)
    named = {name: check for name, check in checks.items() if "orders" in name}
    assert [name for name, check in named.items() if check.failures] == wrong
    assert [name for name, check in named.items() if check.hints] == hinted
    for name in wrong:
        (text,) = named[name].failures
        assert "is not carried out: the unit is in PAR" in text
        assert ('say notation = "codes" in datc.toml' in text) == ("codes" in forms)
        assert ('leave "text" out of capabilities.orders' in text) == (forms == ("structured",))


def test_a_form_that_is_not_claimed_is_not_asked():
    engine = Altered(reads("structured"), Capabilities(orders=["structured"]))
    assert failures(engine) == {}
    assert smoke(engine)["orders as text in names"].not_asked == "not in capabilities.orders"
    text = Altered(reads("names", "codes"), Capabilities(orders=["text"]))
    assert smoke(text)["structured orders"].not_asked == "not in capabilities.orders"


def fake(behaviour, marker=MARKER):
    return ProcessEngine(command(behaviour, marker), PATIENT)


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ("behaves", None),
        ("answers-unknown-methods", "the engine answered a result"),
        ("refuses-unknown-methods-in-its-own-way", "the engine answered -32000"),
        ("crashes-at-unknown-methods", "the engine ended with exit code 3 (its log ends: KeyError: "),
    ],
)
def test_an_unknown_method_is_answered_as_json_rpc_asks(behaviour, message):
    with fake(behaviour) as engine:
        found = failures(engine).get("unknown method", [])
    wanted = "error -32601, method not found, is the answer to it: "
    assert [text[: len(wanted + (message or ""))] for text in found] == ([wanted + message] if message else [])


@pytest.mark.parametrize(
    ("behaviour", "failed"),
    [("crashes", ["the engine ended with exit code 3 (its log ends: the fake goes down)"]), ("answers-twice", [])],
)
def test_an_engine_that_breaks_down_at_an_illegal_order_is_told_so(behaviour, failed):
    with fake(behaviour, "A Paris - Warsaw") as engine:
        checks = smoke(engine)
    assert checks["illegal order"].failures == failed
    assert checks["unknown method"].failures == []  # It was started again.


class TestTheMap:
    """Borders less and more than the standard board's."""

    def check(self, change):
        return check_map(Altered(change), standard_board(), "document", 1)

    def test_its_moves_are_those_of_the_board_and_no_two_of_a_request_share_a_province(self):
        borders, others = border_moves(standard_board()), other_moves(standard_board())
        assert (len(borders), len(set(borders)), len(set(others))) == (504, 504, len(others))
        assert not set(borders) & set(others)
        assert SingleMove("F", "MAO", "SPA/SC") in borders
        assert {SingleMove("F", "MAR", "SPA/NC"), SingleMove("A", "LON", "BEL")} <= set(others)
        for together in pack([*borders, *others]):
            provinces = [place[:3] for move in together for place in (move.origin, move.to)]
            assert len(provinces) == len(set(provinces))

    @pytest.mark.parametrize("jobs", [1, 3])
    def test_the_reference_engine_knows_it(self, jobs):
        found = check_map(BuiltinEngine(), standard_board(), "codes", jobs)
        assert (found.missing, found.too_many, found.elsewhere, found.unanswered) == ([], [], {}, {})
        assert (found.borders, found.others, found.requests) == (504, 6602, 364)

    def test_another_map_is_asked_with_its_own_powers_and_borders(self):
        found = check_map(BuiltinEngine(), load_board("pure"), "codes", 1)
        assert (found.borders, found.others) == (7 * 6, 0), "each of seven provinces borders the others"
        assert (found.missing, found.elsewhere, found.unanswered) == ([], {}, {})

    def test_borders_less_and_more_are_named(self):
        lacks = ("A GAL - SIL", "A SIL - GAL", "F NWY - STP/NC")
        has = ("A POR - NAF", "F ROM - VEN", "F VEN - ROM")

        def change(params, answer):
            for order in params.orders:
                unit, to = order.order.unit, order.order.to
                move = str(SingleMove(unit.type, unit.location, to))
                if move in lacks:
                    answer = moving(answer, to, unit.location)
                if move in has:
                    answer = moving(answer, unit.location, to)
            return answer

        found = self.check(change)
        borders = "; ".join(str(border).replace("\N{EN DASH}", "--") for border in [*found.missing, *found.too_many])
        assert borders == (
            "GAL -- SIL by land; NWY - STP/NC by sea, in this direction only; "
            "POR - NAF by land, in this direction only; ROM -- VEN by sea"
        )
        assert (len(found.missing), len(found.too_many)) == (2, 2)
        assert found.missing[0].moves == ["A GAL - SIL", "A SIL - GAL"]
        assert (found.elsewhere, found.unanswered) == ({}, {})

    def test_a_fleet_that_loses_its_coast_is_named_and_on_the_other_one_it_crosses_no_border_too_many(self):
        found = self.check(movement(lambda answer: moving(answer, "SPA/NC", "SPA")))
        assert found.elsewhere["F POR - SPA/NC"] == "SPA"
        assert (found.missing, found.too_many) == ([], [])

        def other_coast(params, answer):
            return moving(answer, "MAR", "SPA/SC") if "SPA/NC" in [one.order.to for one in params.orders] else answer

        assert self.check(other_coast).too_many == []

    def test_what_comes_unexpected_is_asked_again_alone(self):
        found = self.check(fails(lambda params, _: len(params.orders) > 1))
        assert (found.missing, found.too_many, found.elsewhere, found.unanswered) == ([], [], {}, {})
        assert found.requests > 504 + 6602

    def test_a_move_without_an_answer_is_named(self):
        galicia = ("GAL", "SIL")
        found = self.check(
            fails(lambda params, _: galicia in [(o.order.unit.location, o.order.to) for o in params.orders])
        )
        assert found.unanswered == {"A GAL - SIL": "answered error -32000: 'no board'"}
        assert found.missing == []

    def test_an_engine_that_answers_no_illegal_order_is_asked_for_borders_only(self):
        engine = Altered(fails(lambda _, answer: any(result.reason == "illegal" for result in answer.orders)))
        *_, found = smoke_checks(engine, engine.start())
        assert found.map is not None
        assert (found.failures, found.map.others, found.map.borders) == ([], 0, 504)
        (hint,) = found.hints
        assert hint.startswith("pairs without a border were not asked")

    @pytest.mark.parametrize("jobs", [1, 3])
    def test_an_engine_that_gives_out_ends_it(self, jobs):
        with pytest.raises(EngineGaveOutError):
            _ = check_map(
                Altered(fails(lambda *_: True, EngineGaveOutError("broke down"))), standard_board(), "document", jobs
            )


def test_an_engine_that_can_do_nothing_yet_says_why_once(tmp_path):
    answers = "{'result': {'protocol': 1, 'engine': {'name': 'mute'}}} if starts else CANNOT"
    cannot = "{'error': {'code': -32004, 'message': 'not yet'}}"
    done = invoke("engines", "check", engine_of(tmp_path, f"({answers.replace('CANNOT', cannot)})"))
    said = words(done.stdout)
    assert "A ALB - GRE and 503 other moves: the engine says that it cannot: 'not yet'" in said
    assert "the engine the engine" not in said
    assert said.count("not yet") < 10


def test_the_command_cuts_a_long_list_and_names_what_fails():
    done = invoke("engines", "check", f"exec:{sys.executable} -S {FAKE} behaves", "--jobs=2", env={"COLUMNS": "80"})
    assert (done.exit_code, done.stderr) == (1, "")
    assert "        and 232 more like that\n" in done.stdout
    assert "\n\nFailed: movement phase, adjustment phase, orders as text in names," in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


def test_an_engine_that_cannot_be_started_exits_3():
    done = invoke("engines", "check", f"exec:{sys.executable} -S {FAKE} crashes-at-start")
    assert (done.exit_code, done.stderr) == (3, "")
    assert " ".join(done.stdout.split()) == (
        "Not checked to the end: the engine ended with exit code 3 (its log ends: the fake cannot find its board)"
    )
    data = json.loads(invoke("engines", "check", "exec:/no/such/engine", "--json").stdout)
    assert (data["complete"], data["engine"], data["checks"]) == (False, None, [])
    assert "cannot be started" in data["incomplete_reason"]


def test_the_map_that_an_engine_gives_is_compared_with_ours():
    with fake("gives-a-map") as engine:
        *_, found, _ = smoke_checks(engine, engine.start())
    assert found.name == "maps as data"
    assert found.failures == [
        "standard: center TUN: only our map has it",
        "standard: border WAL \N{EN DASH} YOR by land: only our map has it",
    ]
    assert found.hints == ["standard: other names than ours: WAL"]
