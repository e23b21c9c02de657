"""What the page to try positions on is told: the same as `explain` says, phase by phase, without any library."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from itertools import cycle
from xml.etree import ElementTree as ET

import msgspec
import pytest

from datc.adapters.conversion import ruleset_message
from datc.adapters.web import Access
from datc.cases import load_suite
from datc.cases.reading import read_loose_cases
from datc.harness.board import play_api
from datc.harness.board.server import play_application
from datc.harness.config.preparing import read_positions
from datc.harness.explain.case import every_document, every_ruleset, explain_whole_case
from datc.harness.paste.writing import position_text
from datc.harness.play.engine import request_params
from datc.harness.play.positions import ordered_province
from datc.harness.play.session import ReferenceAdjudicator, case_inputs, play
from datc.reference_engine import DATC_3_2, GivenOrder, Ruleset
from datc.reference_engine.board import province_code

RULESETS, DOCUMENTS = every_ruleset(), every_document()
CASES = {case.id: case for case in load_suite("datc-3.2").cases}
DISLODGING = "Fall 1902\nAustria: A Bud - Ser, A Tri S A Bud - Ser\nTurkey: A Ser H"


def in_words(case_id: str) -> str:
    """The orders of a case, a line each, as people paste them."""
    return "\n".join(f"{order.power}: {order.text}" for order in CASES[case_id].phases[0].orders)


def question(text: str, *later: tuple[str, str], ruleset: str = "datc-3.2") -> dict:
    return {"text": text, "ruleset": ruleset, "later": [{"phase": phase, "text": orders} for phase, orders in later]}


def ask(text: str, *later: tuple[str, str], ruleset: str = "datc-3.2") -> dict:
    return json.loads(
        json.dumps(play_api.answer_question(question(text, *later, ruleset=ruleset), RULESETS, DOCUMENTS))
    )


def test_it_needs_the_standard_library_alone(tmp_path) -> None:
    """As in the browser: the modules without a library, and the rulesets in a file beside them.

    After the first answer and its boards no file is read: a browser keeps the memory, without modules and data.
    """
    (tmp_path / play_api.RULESETS_FILE).write_text(play_api.rulesets_text(RULESETS, DOCUMENTS), encoding="utf-8")
    asked = json.dumps(question(in_words("6.F.24")))
    retreat, build = ("retreat", "Turkey: A Ser - Gre"), ("adjustment", "Austria: Build A Vie")
    others = [question(DISLODGING, retreat, ruleset="1982"), question(f"{DISLODGING}\nTurkey: A Nowhere - Con")]
    others.append({**question(DISLODGING, retreat, build), "province": "TRI"})
    program = f"""
import json, sys
sys.platform = "emscripten"
sys.modules.update(dict.fromkeys(("msgspec", "click", "rich", "jinja2", "markupsafe", "requests")))
from datc.harness.board import play_api
play_api.__file__ = {str(tmp_path / "play_api.py")!r}
answer, boards = (json.loads(play_api.answer_in_browser(kind, {asked!r})) for kind in ("answer", "boards"))
print(answer["title"], len(answer["rulesets"]["rows"]), boards["before"][:4])
sys.addaudithook(lambda event, args: event == "open" and "datc" in str(args[0]) and print("reads", args[0]))
for other in {[*map(json.dumps, others)]!r}:
    for kind in ("answer", "boards", "targets"):
        play_api.answer_in_browser(kind, other)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("Spring 1901, movement 3 <svg\n", "")


def test_where_one_unit_may_go() -> None:
    def targets(province: object, *later: tuple[str, str]) -> dict:
        return play_api.find_targets({**question(DISLODGING, *later), "province": province}, RULESETS)

    assert targets("TRI") == {"targets": ["ALB", "BUD", "SER", "TYR", "VEN", "VIE"]}
    assert targets("PAR") == {"targets": []}
    assert targets("SER", ("retreat", "")) == {"targets": ["ALB", "BUL", "GRE", "RUM"]}
    assert targets(None) == {"problems": ["the question names no province"]}


@pytest.mark.parametrize(("name", "case_id"), [*zip(RULESETS, cycle(["6.F.24", "6.F.14", "6.G.8"]), strict=False)])
def test_it_says_what_explain_says_of_the_same_text(name: str, case_id: str) -> None:
    told = ask(in_words(case_id), ruleset=name)
    (case,) = read_positions(in_words(case_id), "the text")
    explained = explain_whole_case(case, RULESETS[name], {}, all_rulesets=True)
    assert told["summary"] == explained.phases[0].summary
    assert [(each["outcome"], each["reason"]) for each in told["explained"]] == [
        (order.outcome, order.reason) for order in explained.phases[0].orders
    ]
    assert explained.rulesets is not None
    assert told["rulesets"]["sentence"] == explained.rulesets.sentence
    assert [row["rulesets"] for row in told["rulesets"]["rows"]] == [row.rulesets for row in explained.rulesets.rows]


def test_it_goes_on_to_retreats_adjustments_and_the_next_spring() -> None:
    autumn = f"{DISLODGING}\nSupply centers\nAustria: Bud, Tri, Vie\nTurkey: Con, Ser"
    moved = ask(autumn)
    assert (moved["title"], moved["next"]["phase"]) == ("Autumn 1902, movement", "retreat")
    retreat = ("retreat", "Turkey: A Ser - Gre")
    retreated = ask(autumn, retreat)
    assert retreated["dislodged"][0]["from"] == "BUD"
    assert "GRE" in retreated["dislodged"][0]["retreats"]
    assert retreated["summary"] == "Turkey's A Serbia retreats to Greece."
    assert retreated["next"]["title"] == "Winter 1902, adjustment"
    built = ask(autumn, retreat, ("adjustment", "Austria: Build A Vie, Build A Bud\nTurkey: Build F Con"))
    assert built["centers"]["AUSTRIA"] == ["BUD", "SER", "TRI", "VIE"]
    assert built["centers"]["TURKEY"] == ["CON", "GRE"]
    assert [each["outcome"] for each in built["explained"][:3]] == ["succeeds"] * 3
    spring = ask(built["next"]["text"])
    assert spring["title"] == "Spring 1903, movement"
    assert spring["centers"] == {power: owned for power, owned in built["centers"].items() if owned}
    standing = sorted(f"{unit['power'][0]} {unit['location']}" for unit in spring["units"])
    assert standing == ["A BUD", "A SER", "A TRI", "A VIE", "T CON", "T GRE"]


def test_orders_of_another_phase_in_a_later_text_are_told() -> None:
    notes = ask(DISLODGING, ("retreat", "Turkey: A Ser - Gre\nTurkey: A Ser H"))["notes"]
    assert notes == ["retreat phase, line 2: skipped 'A Ser H': it is no order of the retreat phase"]


def test_home_centers_are_owned_only_where_the_text_names_no_centers() -> None:
    """After the autumn, Austria owns Vienna, where its army is."""
    autumn, winter = "Fall 1901\nAustria: A Vie H\n", ("adjustment", "")
    home, named = (ask(text, winter)["centers"] for text in (autumn, f"{autumn}Supply centers\nGermany: Mun"))
    assert (home["AUSTRIA"], home["GERMANY"]) == (["BUD", "TRI", "VIE"], ["BER", "KIE", "MUN"])
    assert (named["AUSTRIA"], named["GERMANY"]) == (["VIE"], ["MUN"])


def test_units_alone_are_a_position() -> None:
    told = ask("Austria: A Vie")
    assert told["units"] == [{"power": "AUSTRIA", "type": "A", "location": "VIE"}]
    assert told["next"]["title"] == "Autumn 1901, movement"
    assert ask("")["units"] == []


def test_the_text_of_a_position_is_read_as_the_same_position() -> None:
    """6.J.1 removes a unit that is not there."""
    for case in CASES.values():
        (asked, *_), (first, *_) = case_inputs(case), case.phases
        orders = [GivenOrder(each.power, each.order) for each in first.orders if each.order is not None]
        _, (read,) = play_api.read_first_phases(play_api.read_question(question(position_text(asked, orders))))
        told = read.submission.as_one_clear_set() or []
        ordered = {ordered_province(given.order) for given in told} if first.phase == "adjustment" else set()
        differ = {unit for unit in {*read.units} ^ {*asked.units} if province_code(unit.location) not in ordered}
        assert (differ, read.phase, len(told)) == (set(), first.phase, len(orders)), case.id


@pytest.mark.parametrize(
    "text",
    [
        "Turkey: A Con\nTurkey: F Con - Bul",
        "France: F Spa/nc\nFrance: F Spa/sc - Lyo",
        "Turkey: A Con\nAustria: Turkey F Con - Bul",
        "Austria: Turkey A Con - Bul, A Vie\nTurkey: A Con H",
    ],
)
@pytest.mark.parametrize("written", ["parts", "forum"])
def test_an_order_that_names_another_unit_leaves_the_one_that_is_there(text: str, written: str) -> None:
    told = ask(text)
    again = ask(told["parts"]["text"] if written == "parts" else told["exports"]["forum"])
    assert sorted(map(str, again["units"])) == sorted(map(str, told["units"]))
    shown = [[(each["power"], each["outcome"], each["reason"]) for each in one["explained"]] for one in (told, again)]
    assert set(shown[0]) == set(shown[1])


@pytest.mark.parametrize("ruleset", [DATC_3_2, DATC_3_2.with_choices({"4.B.1": "default-coast"})])
def test_the_request_is_the_one_that_engines_get(ruleset: Ruleset) -> None:
    for case in CASES.values():
        for asked, _, _ in play(ReferenceAdjudicator(ruleset), case_inputs(case)):
            orders = asked.submission.as_one_clear_set()
            assert orders is not None
            expected = request_params(asked, ruleset_message(ruleset), "document")
            assert play_api.request_data(asked, orders, ruleset)["params"] == msgspec.to_builtins(expected), case.id


@pytest.mark.parametrize("case_id", ["6.A.5", "6.F.24", "6.H.12", "6.I.1", "6.J.2"])
def test_the_toml_is_read_as_the_same_phases(case_id: str) -> None:
    inputs = case_inputs(CASES[case_id])
    orders = [each.submission.as_one_clear_set() or [] for each in inputs]
    (case,) = read_loose_cases(play_api.case_text(inputs, orders), "the text")
    for read, asked in zip(case_inputs(case), inputs, strict=True):
        assert (read.phase, set(read.units), read.season) == (asked.phase, set(asked.units), asked.season)
        assert read.submission.as_one_clear_set() == asked.submission.as_one_clear_set()


def test_engines_stand_beside_the_rulesets_that_give_their_outcome() -> None:
    def engines(ruleset):
        return {"own": ReferenceAdjudicator(ruleset), "other": ReferenceAdjudicator(RULESETS["alexander"])}

    told = play_api.compare_engines(question(in_words("6.F.24")), RULESETS, engines)
    rows = {name: row for row in told["rulesets"]["rows"] for name in row["engines"]}
    assert "datc-3.2" in rows["own"]["rulesets"]
    assert rows["other"]["rulesets"] == ["alexander"]


def test_engines_that_are_asked_already_are_busy_and_no_request_waits_for_them() -> None:
    meanwhile: list[dict] = []

    def post() -> dict:
        body = json.dumps(question("Austria: A Vie - Bud")).encode()
        environ = {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": "/engines",
            "HTTP_HOST": "127.0.0.1:80",
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body),
        }
        return json.loads(b"".join(application(environ, lambda *_: lambda _: None)))

    def engines(ruleset):
        meanwhile.append(post())
        return {"mine": ReferenceAdjudicator(ruleset)}

    application = play_application(RULESETS, DOCUMENTS, ["mine"], engines, Access("127.0.0.1", "127.0.0.1", 80))
    assert [post()["rulesets"]["rows"][0]["engines"] for _ in range(2)] == [["mine"]] * 2
    assert meanwhile == [{"busy": True}] * 2


@pytest.mark.attack
@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"text": 1, "ruleset": "datc-3.2"},
        {"text": "", "ruleset": "none"},
        {"text": "", "ruleset": ["datc-3.2"]},
        {"text": "", "ruleset": "datc-3.2", "later": "retreat"},
        {"text": "", "ruleset": "datc-3.2", "later": [1]},
        question("", ("movement", "")),
        question("", *[("retreat", "")] * 3),
        question("x" * 100_001),
        question("Germany: A Mun - Ber\n" * 151),
        question("Austria: A Vie", ("adjustment", "Austria: waive\n" * 151)),
        question("Germany: A Mun -> Nowhere"),
        question("Austria: A Vie", ("retreat", "Italy: A Oz - Mun")),
        question("Austria: A Vie\nSupply centers\nAustria: Vie\nItaly: Vie"),
    ],
)
def test_what_is_no_question_is_a_problem(data: object) -> None:
    assert play_api.answer_question(data, RULESETS)["problems"]
    assert play_api.draw_question(data, RULESETS)["problems"]


@pytest.mark.attack
@pytest.mark.parametrize(
    "text",
    [
        "Austria: A Vie - Gal\n<script>alert(1)</script>\n</svg><img src=x onerror=alert(1)>",
        "Austria: A Vie - Gal (<script>alert(1)</script></svg><img src=x onerror=alert(1)>)",
    ],
)
def test_markup_in_a_remark_is_told_and_not_drawn(text: str) -> None:
    assert any("img src=x" in note for note in ask(text)["notes"])
    asked = {"text": text, "ruleset": "datc-3.2"}
    for board in play_api.draw_question(asked, RULESETS).values():
        elements = [each.tag.rpartition("}")[2] for each in ET.fromstring(board).iter()]
        assert elements[0] == "svg"
        assert {"script", "img", "image", "foreignObject"} & set(elements) == set()
        assert "alert" not in board


def test_a_text_of_another_map_is_refused_in_a_sentence_that_says_which_command_reads_it():
    data = {"text": "Carthage: F Thapsus - Punic Sea\nRome: A Rom - Nea; A Ravenna - Etruria", "ruleset": "datc-3.2"}
    assert play_api.answer_question(data, RULESETS)["problems"][0] == (
        "This page has the standard map only: `datc-check explain FILE` reads a text that is about another map."
    )
    slip = {"text": "Germany: A Rovno - Berlin", "ruleset": "datc-3.2"}
    assert len(play_api.answer_question(slip, RULESETS)["problems"]) == 1
