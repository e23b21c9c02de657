"""The smoke test of an engine: each way to misbehave is named, and a good engine has no failure."""

import json
import sys
from pathlib import Path

import msgspec
import pytest

from datc.adapters import EngineFailure, EngineGaveOutError, Limits, UnsupportedError
from datc.adapters.builtin import BuiltinEngine, Reference
from datc.adapters.conversion import unit_of
from datc.adapters.process import ProcessEngine
from datc.adapters.protocol import Capabilities, DislodgedMessage, EngineIdentity, InitializeResult, UnitMessage
from datc.harness.bugs.mutants import find_mutant
from datc.harness.bugs.mutants.mutant import MutantReference
from datc.harness.run.map_check import SingleMove, border_moves, check_map, other_moves, pack
from datc.harness.run.smoke import check_handshake, smoke_checks

from ..cli.running import call
from ..play.altered import Altered

FAKE = Path(__file__).parents[2] / "engines" / "fake.py"
PATIENT = Limits(start=60, request=60)
replace = msgspec.structs.replace
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


def dislodged(change):
    """Alter what is said of a dislodged unit."""

    def alter(answer):
        return replace(answer, dislodged=[change(entry) for entry in answer.dislodged])

    return in_phase("movement", alter)


def rewrite(old, new):
    """Alter the text of every answer."""
    return lambda _params, answer: msgspec.json.decode(
        msgspec.json.encode(answer).replace(old.encode(), new.encode()), type=type(answer)
    )


def moving(answer, old, new):
    units = [replace(unit, location=new) if unit.location == old else unit for unit in answer.units]
    return replace(answer, units=units)


@pytest.mark.parametrize(
    ("change", "check", "message"),
    [
        (rewrite('"BUR"', '"bur"'), "movement phase", "location 'bur' is unknown: did you mean 'BUR'?"),
        (rewrite('"BUR"', '"Burgundy"'), "movement phase", "location 'Burgundy' is unknown: "),
        (rewrite("FRANCE", "France"), "movement phase", "power 'France' is unknown: did you mean 'FRANCE'?"),
        (rewrite('"location":"HOL"', '"location":"STP"'), "movement phase",
         "a fleet in STP is on one of its coasts: STP/NC or STP/SC"),
        (rewrite('"type":"A","location":"BUR"', '"type":"A","location":"SPA/NC"'), "movement phase",
         "an army is on no coast: SPA instead of SPA/NC"),
        (rewrite('"location":"HOL"', '"location":"MUN"'), "movement phase",
         "impossible board: England F Munich cannot stand there"),
        (in_phase("movement", lambda answer: replace(answer, units=[*answer.units, BURGUNDY])), "movement phase",
         "`units` has Germany A Burgundy, which is dislodged: it stands in `dislodged` alone until it has retreated"),
        (in_phase("movement", lambda answer: replace(answer, units=[*answer.units, answer.units[0]])), "movement phase",
         "impossible board: France A Burgundy is listed 2 times"),
        (in_phase("movement", lambda answer: replace(answer, units=answer.units[1:])), "movement phase",
         "France A Burgundy should be on the board, but is not"),
        (in_phase("movement", lambda answer: moving(answer, "HOL", "NTH")), "movement phase",
         "England F North Sea should not be on the board, but is"),
        (in_phase("movement", lambda answer: moving(answer, "VIE", "TYR")), "movement phase",
         "Austria A Tyrolia should not be on the board, but is"),
        (in_phase("movement", lambda answer: replace(answer, dislodged=None)), "movement phase",
         "the answer has no `dislodged`, from which a retreat phase goes on"),
        (in_phase("movement", lambda answer: replace(answer, dislodged=[])), "movement phase",
         "Germany A Burgundy should be dislodged, but is not"),
        (in_phase("movement", lambda answer: replace(answer, dislodged=[
            *answer.dislodged, DislodgedMessage(power="ITALY", type="A", location="VEN")])), "movement phase",
         "impossible board: Italy A Venice is on the board and dislodged at once"),
        (dislodged(lambda entry: replace(entry, from_="BUR")), "movement phase",
         "Germany A Burgundy was attacked from Paris, but the engine says from Burgundy"),
        (dislodged(lambda entry: replace(entry, from_="Paris")), "movement phase", "location 'Paris' is unknown"),
        (dislodged(lambda entry: replace(entry, retreats=["PAR", *entry.retreats])), "movement phase",
         "the unit dislodged from Burgundy may not retreat to Paris"),
        (dislodged(lambda entry: replace(entry, retreats=entry.retreats[1:])), "movement phase",
         "the unit dislodged from Burgundy may retreat to Belgium"),
        (rewrite('{"outcome":"fails","reason":"bounced"}', '{"outcome":"succeeds"}'), "movement phase",
         "'A Vienna - Tyrolia' fails, but the engine says that it succeeds"),
        (in_phase("retreat", lambda answer: replace(answer, units=answer.units[:-1])), "retreat phase",
         "Germany A Belgium should be on the board, but is not"),
        (in_phase("adjustment", lambda answer: replace(answer, units=answer.units[:-1])), "adjustment phase",
         "France A Paris should be on the board, but is not"),
        (in_phase("movement", lambda answer: moving(answer, "PAR", "WAR")), "illegal order",
         "France A Warsaw should not be on the board, but is"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_answer_is_named(change, check, message):
    found = failures(Altered(change))
    assert any(text.startswith(message) for text in found[check]), found


@pytest.mark.parametrize(
    ("change", "check", "message"),
    [
        (in_phase("movement", lambda answer: replace(answer, orders=None)), "movement phase",
         "the answer has no `orders`: the outcomes of single orders are not judged"),
        (dislodged(lambda entry: replace(entry, from_=None)), "movement phase",
         "`from` of Germany A Burgundy is not given"),
        (rewrite('"reason":"illegal"', '"reason":"void"'), "illegal order",
         "'A Paris - Warsaw' fails as illegal; `orders` says void"),
        (lambda params, answer: moving(answer, "PAR", "BUR") if params.orders[0].power == "GERMANY" else answer,
         "order to another power's unit", "it is carried out: the engine does not look whose the unit is (case 6.A.6)"),
        (in_phase("movement", lambda answer: moving(answer, "SPA", "MAR")), "order to another power's unit",
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


def test_a_position_without_an_answer_is_named_in_the_hint():
    def fail(params, answer):
        if len(params.units) == 7:
            raise EngineFailure("answered error -32000: 'too many supports'")
        return answer

    assert hints(Altered(fail)) == {"support out of reach": ["the engine answered error -32000: 'too many supports'"]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (in_phase("movement", lambda answer: replace(answer, dislodged=None)),
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


def test_a_retreat_goes_on_from_the_engines_own_answer():
    state = msgspec.Raw(b'{"mine":1}')
    engine = Altered(lambda _params, answer: replace(answer, state=state, units=answer.units[::-1]))
    assert failures(engine) == {}
    movement, retreat = engine.asked[:2]
    assert (movement.phase, movement.state, retreat.phase) == ("movement", msgspec.UNSET, "retreat")
    assert bytes(retreat.state) == b'{"mine":1}'
    assert retreat.units == sorted(Reference().adjudicate(movement).units, key=unit_of)


def test_a_retreat_is_not_asked_where_the_movement_is_wrong():
    found = smoke(Altered(in_phase("movement", lambda answer: replace(answer, dislodged=[]))))["retreat phase"]
    assert found.not_asked == "it follows the movement phase, which must be fixed first"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (EngineFailure("answered error -32000: 'no board'"), "the engine answered error -32000: 'no board'"),
        (UnsupportedError("the engine says that it cannot: 'later'"), "the engine says that it cannot: 'later'"),
    ],
)
def test_an_answer_that_is_none_is_named(error, message):
    def fail(answer):
        raise error

    assert failures(Altered(in_phase("adjustment", fail))) == {"adjustment phase": [message]}


@pytest.mark.parametrize(
    ("capabilities", "message"),
    [
        ({"phases": ["movement", "retreats"]}, "capabilities.phases has 'retreats': did you mean 'retreat'?"),
        ({"orders": ["texts"]}, "capabilities.orders has 'texts': did you mean 'text'?"),
        ({"phases": []}, "capabilities.phases names none of movement, retreat, adjustment: nothing can be asked"),
        ({"orders": []}, "capabilities.orders names none of text, structured: nothing can be asked"),
        ({"maps": ["ancmed"]}, "capabilities.maps lacks 'standard', the map of every case"),
        ({"choices": {"4.A.2": ["szykmann"]}}, "capabilities.choices: "),
        ({"choices": {"4.A.22": ["szykman"]}}, "capabilities.choices: "),
    ],
)
def test_what_is_wrong_with_a_capability_is_named(capabilities, message):
    started = InitializeResult(
        protocol=1, engine=EngineIdentity(name="x", version="1"), capabilities=Capabilities(**capabilities)
    )
    assert any(text.startswith(message) for text in check_handshake(started).failures), check_handshake(started)


def test_a_handshake_has_hints():
    started = InitializeResult(
        protocol=1, engine=EngineIdentity(name="x"), capabilities=Capabilities(maps=["standard", "ancmed"])
    )
    assert check_handshake(started).failures == []
    assert check_handshake(started).hints == [
        "capabilities.maps has 'ancmed': nothing is asked on it, only on 'standard'",
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


def fake(behaviour, marker="A Nessie - Loch Ness"):
    return ProcessEngine([sys.executable, "-S", str(FAKE), behaviour, marker], PATIENT)


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
    ("behaviour", "message"),
    [
        ("crashes", "the engine ended with exit code 3 (its log ends: the fake goes down)"),
        ("answers-another-id", "the engine answered with id 100"),
        ("answers-twice", ""),
        ("writes-no-json", "the engine answered something that is not a JSON-RPC response"),
        ("too-many-order-results", "the engine answered 9 order results to 1 orders"),
        ("unknown-outcome", "the engine answered a result of the wrong form: "),
        ("error-of-its-own", "the engine answered error -32000: 'the board is on fire'"),
        ("error-not-supported", "the engine says that it cannot: 'no convoys'"),
        ("unit-without-location", "the engine answered a result of the wrong form: "),
    ],
)
def test_an_engine_that_breaks_down_at_an_illegal_order_is_told_so(behaviour, message):
    with fake(behaviour, "A Paris - Warsaw") as engine:
        checks = smoke(engine)
    assert [text[: len(message)] for text in checks["illegal order"].failures] == ([message] if message else [])
    assert checks["unknown method"].failures == []  # It was started again.


class TestTheMap:
    """Borders less and more than the standard board's."""

    def altered(self, *, lacks=(), has=()):
        """Make an engine whose map differs: moves that it does not know stay, others arrive."""

        def change(params, answer):
            for order in params.orders:
                unit, to = order.order.unit, order.order.to
                move = str(SingleMove(unit.type, unit.location, to))
                if move in lacks:
                    answer = moving(answer, to, unit.location)
                if move in has:
                    answer = moving(answer, unit.location, to)
            return answer

        return Altered(change)

    def check(self, engine, **options):
        return check_map(engine, "document", 1, **options)

    def test_its_moves_are_those_of_the_board(self):
        borders, others = border_moves(), other_moves()
        assert (len(borders), len(set(borders)), len(set(others))) == (504, 504, len(others))
        assert not set(borders) & set(others)
        assert SingleMove("F", "MAO", "SPA/SC") in borders
        assert {SingleMove("F", "MAR", "SPA/NC"), SingleMove("A", "LON", "BEL")} <= set(others)

    def test_no_two_moves_of_a_request_share_a_province(self):
        for together in pack([*border_moves(), *other_moves()]):
            provinces = [place[:3] for move in together for place in (move.origin, move.to)]
            assert len(provinces) == len(set(provinces))

    @pytest.mark.parametrize("jobs", [1, 3])
    def test_the_reference_engine_knows_it(self, jobs):
        found = check_map(BuiltinEngine(), "codes", jobs)
        assert (found.missing, found.too_many, found.elsewhere, found.unanswered) == ([], [], {}, {})
        assert (found.borders, found.others, found.requests) == (504, 6602, 364)

    def test_borders_less_and_more_are_named(self):
        engine = self.altered(
            lacks=("A GAL - SIL", "A SIL - GAL", "F NWY - STP/NC"), has=("A POR - NAF", "F ROM - VEN", "F VEN - ROM")
        )
        found = self.check(engine)
        assert [str(border).replace("\N{EN DASH}", "--") for border in found.missing] == [
            "GAL -- SIL by land",
            "NWY - STP/NC by sea, in this direction only",
        ]
        assert [str(border).replace("\N{EN DASH}", "--") for border in found.too_many] == [
            "POR - NAF by land, in this direction only",
            "ROM -- VEN by sea",
        ]
        assert found.missing[0].moves == ["A GAL - SIL", "A SIL - GAL"]
        assert (found.elsewhere, found.unanswered) == ({}, {})

    def test_a_fleet_that_loses_its_coast_is_named(self):
        found = self.check(Altered(in_phase("movement", lambda answer: moving(answer, "SPA/NC", "SPA"))))
        assert found.elsewhere["F POR - SPA/NC"] == "SPA"
        assert (found.missing, found.too_many) == ([], [])

    def test_a_fleet_that_goes_to_the_other_coast_crosses_no_border_too_many(self):
        def other_coast(params, answer):
            return moving(answer, "MAR", "SPA/SC") if "SPA/NC" in [one.order.to for one in params.orders] else answer

        assert self.check(Altered(other_coast)).too_many == []

    def test_what_comes_unexpected_is_asked_again_alone(self):
        def one_at_a_time(params, answer):
            if len(params.orders) > 1:
                raise EngineFailure("answered error -32000: 'one order, please'")
            return answer

        found = self.check(Altered(one_at_a_time))
        assert (found.missing, found.too_many, found.elsewhere, found.unanswered) == ([], [], {}, {})
        assert found.requests > 504 + 6602

    def test_a_move_without_an_answer_is_named(self):
        def fail(params, answer):
            if "A GAL - SIL" in [f"A {one.order.unit.location} - {one.order.to}" for one in params.orders]:
                raise EngineFailure("answered error -32000: 'no Galicia'")
            return answer

        found = self.check(Altered(fail))
        assert found.unanswered == {"A GAL - SIL": "answered error -32000: 'no Galicia'"}
        assert found.missing == []

    def test_an_engine_that_answers_no_illegal_order_is_asked_for_borders_only(self):
        def refuse(params, answer):
            if any(result.reason == "illegal" for result in answer.orders):
                raise EngineFailure("answered error -32000: 'illegal order'")
            return answer

        engine = Altered(refuse)
        *_, found = smoke_checks(engine, engine.start())
        assert found.map is not None
        assert (found.failures, found.map.others, found.map.borders) == ([], 0, 504)
        (hint,) = found.hints
        assert hint.startswith("pairs without a border were not asked")

    @pytest.mark.parametrize("jobs", [1, 3])
    def test_an_engine_that_gives_out_ends_it(self, jobs):
        def give_out(params, answer):
            raise EngineGaveOutError("the engine broke down 21 times")

        with pytest.raises(EngineGaveOutError):
            _ = check_map(Altered(give_out), "document", jobs)


class TestTheCommand:
    """`datc-check engines check`."""

    def test_an_engine_that_only_holds_exits_1_and_is_told_what_is_wrong(self, tmp_path):
        done = call("engines", "check", f"exec:{sys.executable} -S {FAKE} behaves", "--jobs=2", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (1, "")
        assert "\nfail  movement phase\n        England F Holland should be on the board, but is not\n" in done.stdout
        assert "\n-     retreat phase: not asked, " in done.stdout
        assert "        and 232 more like that\n" in done.stdout
        assert "\n\nFailed: movement phase, adjustment phase, orders as text in names," in done.stdout
        assert all(len(line) <= 80 for line in done.stdout.splitlines())

    def test_an_engine_that_cannot_be_started_exits_3(self, tmp_path):
        done = call("engines", "check", f"exec:{sys.executable} -S {FAKE} crashes-at-start", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (3, "")
        assert " ".join(done.stdout.split()) == (
            "Not checked to the end: the engine ended with exit code 3 (its log ends: the fake cannot find its board)"
        )
        data = json.loads(call("engines", "check", "exec:/no/such/engine", "--json", cwd=tmp_path).stdout)
        assert (data["complete"], data["engine"], data["checks"]) == (False, None, [])
        assert "cannot be started" in data["incomplete_reason"]
