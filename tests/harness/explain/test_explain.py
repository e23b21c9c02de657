"""Why a position comes out as it does, what would give an engine's answer, and why a verdict's expectation is right."""

from __future__ import annotations

import itertools
import json

import msgspec
import pytest

from datc.adapters import AdjudicateResult, EngineFailure
from datc.adapters.conversion import unit_messages
from datc.adapters.protocol import OrderResultMessage
from datc.cases import Case, load_ruleset, load_suite, ruleset_names, suite_names
from datc.cases.reading import read_loose_cases
from datc.harness.bugs.changes import issues_of
from datc.harness.config.preparing import read_positions
from datc.harness.explain.case import explain_case, why_right, with_explanation
from datc.harness.explain.phase import explain_phases
from datc.harness.play.case_verdicts import ask_case
from datc.harness.play.engine import EngineAdjudicator
from datc.harness.play.session import ReferenceAdjudicator, case_inputs, play
from datc.harness.play.verdict import Rules
from datc.reference_engine import DATC_3_1, DATC_3_2, ISSUES, Unit
from datc.reports import FactData

from ..cli.running import COMMAND, engine_of, invoke, words
from ..play.altered import Altered

DATC = {case.id: case for case in load_suite("datc-3.2").cases}
ALONE = "France: A Paris - Burgundy\nGermany: A Munich - Burgundy"
OWN_SUPPORT = "England A Lon H, F Wal S A Bre-Lon, France A Bre-Lon VIA, F Eng C"


def explain(*arguments: str, given: str | None = None):
    return invoke("explain", *arguments, input=given)


def explain_beside(case: Case, change):
    """Explain a case beside an engine that says what `change` makes of the right answer."""
    engine = Altered(lambda _params, answer: change(answer))
    return explain_case(case, DATC_3_1, EngineAdjudicator(engine, engine.capabilities, DATC_3_1))


def beside(change, text: str):
    (case,) = read_positions(text, "here")
    (phase,) = explain_beside(case, change)
    assert phase.engine is not None
    return phase.engine


def standing(*units) -> AdjudicateResult:
    """An answer with these units, such as `FRANCE A PAR`, and no more."""
    return AdjudicateResult(units=unit_messages([Unit(*unit.split()) for unit in units]))


@pytest.mark.parametrize("suite", suite_names())
def test_every_case_is_explained_under_every_ruleset(suite: str) -> None:
    """Rulesets with the same choices for what it depends on, under which its answer is the same, explain it alike."""
    rulesets = [load_ruleset(name).ruleset() for name in ruleset_names()]
    for case in load_suite(suite).cases:
        for rules in {tuple(map(each.choices.get, case.deciding_issues)): each for each in rulesets}.values():
            for phase, told in zip(case.phases, explain_case(case, rules), strict=True):
                failed = [order for order in told.orders if order.reason is not None]
                assert len(told.orders) >= len(phase.orders), case.id
                assert all(order.sentences for order in failed if not told.remark), (case.id, failed)


def test_a_position_is_read_from_lines_toml_and_json_alike() -> None:
    lines = "England: A London - Wales\nFrance F Eng - Wal, A Bre H"
    toml = 'orders = { England = ["A London - Wales"], France = ["F English Channel - Wales", "A Brest Hold"] }'
    orders = [("ENGLAND", "A London - Wales"), ("FRANCE", "F English Channel - Wales"), ("FRANCE", "A Brest Hold")]
    units = [("ENGLAND", "A", "LON"), ("FRANCE", "F", "ENG"), ("FRANCE", "A", "BRE")]
    params = {
        "phase": "movement",
        "units": [dict(zip(("power", "type", "location"), unit, strict=True)) for unit in units],
        "orders": [{"power": power, "text": text} for power, text in orders],
    }
    request = {"jsonrpc": "2.0", "id": 7, "method": "adjudicate", "params": params}
    told = [explain("-", "--json", given=text) for text in (lines, toml, json.dumps(request))]
    assert [done.exit_code for done in told] == [0, 0, 0]
    phases = [json.loads(done.output)["explanations"][0]["phases"][0] for done in told]
    outcomes = [[(order["power"], order["reason"], order["strengths"]) for order in each["orders"]] for each in phases]
    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert phases[0]["decisions"] == phases[1]["decisions"] == phases[2]["decisions"]
    assert phases[0]["contested"] == ["WAL"]


def test_several_positions_of_one_file_and_a_retreat_phase(tmp_path) -> None:
    file = tmp_path / "two.toml"
    _ = file.write_text(
        """
        [[case]]
        orders = { France = ["A Paris - Burgundy"] }
        [[case]]
        [[case.phase]]
        orders = { France = ["A Par - Bur", "A Gas S A Par - Bur"], Germany = ["A Bur H"] }
        [[case.phase]]
        phase = "retreat"
        orders = { Germany = ["A Burgundy - Paris"] }
        """
    )
    output = words(explain(str(file)).output)
    assert "number 1" in output
    assert "Germany: A Burgundy - Paris: fails, illegal its attacker came from there" in output


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ('{"phase": "x"}', "standard input is no request of the protocol"),
        ('{"phase": "movement", "units": [{"power": "ENGLAND", "type": "A", "location": "NTH"}]}', "stand at sea"),
        ("orders = 3", "standard input, orders: Expected `object`, got `int`"),
        ('[orders]\nEngland = ["A Lond"]', "orders.England: nothing is ordered"),
        ("[orders", "is not TOML"),
    ],
)
def test_what_is_no_position_is_told_why(given: str, problem: str) -> None:
    done = explain("-", given=given)
    assert done.exit_code == 2
    assert problem in words(done.stderr)


def test_an_engine_that_agrees() -> None:
    done = explain("6.D.15", "builtin")
    assert done.exit_code == 0
    assert done.output.rstrip().endswith("The engine agrees.")


@pytest.mark.parametrize(
    ("case", "options", "said"),
    [
        ("6.B.9", "--choice 4.B.4=ignored --fixed", "Its answer is right under 4.B.4 = "),
        # A choice under which a case has no answer explains nothing.
        ("6.F.17", "--mutant guess-taken-for-certain", "tried, single and together, gives its answer: it is probably"),
        # The board is right: no fleet could bring the army there. But what a case says of an order counts.
        (
            "dptg/DPTG.XII.c",
            "--mutant convoy-of-impossible-move-succeeds",
            "'F North Sea Convoys A Sweden - Yorkshire' fails, but the engine says that it succeeds",
        ),
    ],
)
def test_an_engine_that_plays_other_rules_or_has_a_bug(case: str, options: str, said: str) -> None:
    done = explain(case, f"exec:{COMMAND} engine {options}")
    assert done.exit_code == 1
    assert said in words(done.output)
    assert ("a bug." in words(done.output)) == ("--mutant" in options)


def test_the_choices_under_which_an_answer_is_right() -> None:
    found = json.loads(explain("6.F.14", f"exec:{COMMAND} engine --choice 4.A.2=all-hold --fixed", "--json").output)
    engine = found["explanations"][0]["phases"][0]["engine"]
    assert {"4.A.2": "all-hold"} in engine["choices"]
    unit = {"power": "ENGLAND", "type": "F", "location": "ENG"}
    first, *others = engine["facts"]
    assert first == {"kind": "unit-missing", "unit": unit, "expected": "on the board", "actual": "not", "order": None}
    assert 1 + len(others) == len(engine["differences"])
    assert engine["first"].startswith("F English Channel Convoys A Brest - London: the unit is dislodged")


def test_a_case_may_be_named_with_its_suite() -> None:
    assert explain("dptg/DPTG.XII.c").output == explain("DPTG.XII.c", "--suite", "dptg").output
    done = explain("dptg/XII.c")
    assert done.exit_code == 2
    assert "'dptg/XII.c' is no file, and no case in dptg: did you mean 'DPTG.XII.c'?" in words(done.output)


def test_an_answer_that_no_choice_explains_is_a_bug() -> None:
    found = beside(lambda _answer: standing("FRANCE A BUR", "GERMANY A MUN"), ALONE)
    assert (found.choices, found.error) == ((), "")
    assert found.first == "A Paris - Burgundy: the unit stays; for the engine it moves"
    assert found.differences == [
        "France A Paris should be on the board, but is not",
        "France A Burgundy should not be on the board, but is",
    ]


def test_an_engine_without_an_answer() -> None:
    def fail(_: AdjudicateResult) -> AdjudicateResult:
        raise EngineFailure("it fell over")

    assert beside(fail, ALONE).error == "it fell over"
    assert explain("6.A.1", "exec:/bin/false").exit_code == 3


@pytest.mark.parametrize("phases", [None, ["retreat"]])
@pytest.mark.parametrize("options", [(), ("--ruleset=datc-3.2",), ("--all-rulesets",), ("builtin",)])
def test_what_an_engine_cannot_do_is_unsupported_as_in_a_run(phases, options, tmp_path) -> None:
    starts = {"protocol": 1, "engine": {"name": "mute"}, **({"capabilities": {"phases": phases}} if phases else {})}
    error = "{'error': {'code': -32004, 'message': 'not yet'}}"
    engine = engine_of(tmp_path, f"({{'result': {starts!r}}} if starts else {error})")
    why = "the engine has no movement phase" if phases else "the engine says that it cannot: 'not yet'"
    assert f"unsupported: {why}" in words(invoke("run", engine, "--select=6.A.1", "--no-experiments").output)
    for what in ("6.A.1", "-"):
        done = explain(what, engine, *options, given=ALONE)
        assert (done.exit_code, "no answer" in done.output) == (1, False)
        assert f"nsupported: {why}" in words(done.output)


def test_an_engine_goes_on_from_its_own_answer_and_the_first_phase_that_differs_is_the_last() -> None:
    phases = explain_beside(DATC["6.H.10"], lambda answer: answer)
    assert [phase.engine.differences for phase in phases if phase.engine] == [[], []]
    assert len(explain_beside(DATC["6.H.10"], lambda _answer: standing())) == 1


def test_a_support_that_only_the_engine_lets_fail_is_the_first_difference() -> None:
    outcomes = [OrderResultMessage(outcome="fails"), OrderResultMessage(outcome="fails", reason="cut"), None]
    cut = msgspec.structs.replace(standing("FRANCE A PAR", "FRANCE A GAS", "GERMANY A MUN"), orders=outcomes)
    found = beside(lambda _answer: cut, "France: A Par - Bur, A Gas S A Par - Bur\nGermany: A Mun - Bur")
    assert found.first == "A Gascony Supports A Paris - Burgundy: the support succeeds; for the engine it fails"


@pytest.mark.parametrize(
    ("case", "choice"),
    [
        ("6.B.9", {"4.B.4": "ignored"}),
        ("6.G.8", {"4.A.3": "2000-fallback-unordered"}),
        ("6.J.3", {"4.D.8": "dptg"}),
    ],
)
def test_the_deviations_of_a_real_engine_are_explained(ready_bridge, case: str, choice: dict[str, str]) -> None:
    _ = ready_bridge("diplomacy_pypi")
    done = explain(case, "diplomacy_pypi", "--json")
    assert done.exit_code == 1
    choices = json.loads(done.output)["explanations"][0]["phases"][-1]["engine"]["choices"]
    assert choice in choices
    assert all(change.keys() == choice.keys() for change in choices)


@pytest.mark.parametrize(
    ("what", "given", "difference"),
    [
        ("-", OWN_SUPPORT, "England A London should not be dislodged, but is"),
        ("6.G.10", None, "the unit dislodged from Sweden may not retreat to Norway"),
    ],
)
def test_the_bugs_of_a_real_engine_are_explained_by_no_choice(ready_bridge, what, given, difference) -> None:
    _ = ready_bridge("diplomacy_pypi")
    done = explain(what, "diplomacy_pypi", given=given)
    assert done.exit_code == 1
    assert difference in words(done.output)
    assert "tried, single and together, gives its answer: it is probably a bug." in words(done.output)


def test_how_many_choices_were_tried_is_counted() -> None:
    """No rule lets an army stay where nothing opposes it: all single choices and all pairs are tried, and no more."""
    found = beside(lambda _answer: standing("FRANCE A PAR"), "France: A Paris - Burgundy")
    assert not found.choices
    others = [len(ISSUES[issue].choices) - 1 for issue in issues_of("movement", one_clear_set=True)]
    pairs = sum(one * other for one, other in itertools.combinations(others, 2))
    assert found.tried == sum(others) + pairs


OTHER_RULES = {"4.A.3": "alexander", "4.B.2": "fail", "4.D.8": "1971-convoy-one-move"}


def reasons(case: Case) -> list[str]:
    """What is said in each phase of a case, answered by other rules than those in force."""
    engine = ReferenceAdjudicator(DATC_3_2.with_choices(OTHER_RULES))
    found = with_explanation(ask_case(engine, case, Rules(DATC_3_2)), case, DATC_3_2)
    return [phase.explanation for phase in found.phases]


def test_the_reason_for_what_a_case_expects() -> None:
    (move,), (removal,) = reasons(DATC["6.B.2"]), reasons(DATC["6.J.8"])
    said = "it names no coast, and counts as a move to Spain(nc) (4.B.2 = only-possible)."
    assert move.startswith(f"France's F Gascony moves to Spain: {said}")
    said = "A Tyrolia (distance 3) goes before F Baltic Sea (2), which is nearer. Russia has to remove 1 unit."
    assert removal.startswith(f"Which unit does Russia lose? {said}")


def test_an_order_with_another_outcome_is_explained_first() -> None:
    played = [*play(ReferenceAdjudicator(DATC_3_2), case_inputs(DATC["6.D.10"]))]
    (phase,) = explain_phases(played, DATC_3_2)
    said = why_right(played[0].asked, phase, DATC_3_2, [FactData(kind="outcome", order=2)])
    assert said == "Germany's A Munich succeeds: the order is legal, and nothing stops it."


def test_nothing_is_said_of_a_case_that_passes() -> None:
    assert reasons(DATC["6.A.11"]) == [""]


def test_nothing_is_said_where_the_case_expects_what_the_rules_do_not_give() -> None:
    wrong = """
        [[case]]
        id = "W.1"
        title = "An author's slip"
        orders = { France = ["A Paris - Burgundy"] }
        expect = [{}]
        """
    (case,) = read_loose_cases(wrong, "here")
    assert reasons(case) == [""]


def test_the_deciding_phase_alone_is_explained() -> None:
    several = [case for case in DATC.values() if len(case.phases) > 1]
    assert several
    for case in several:
        assert sum(map(bool, reasons(case))) <= 1
