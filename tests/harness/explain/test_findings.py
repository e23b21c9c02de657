"""What an explanation shows: the outcomes under every ruleset and of engines, as a table; pages, Markdown and JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import parse_qsl

import jsonschema
import pytest
from markdown_it import MarkdownIt

from datc.cases import load_suite, ruleset_names
from datc.harness.explain.case import every_ruleset
from datc.harness.explain.outcomes import comparable, explain_all_rulesets
from datc.harness.play.answer import Answer
from datc.harness.play.session import ReferenceAdjudicator, case_inputs, play
from datc.reference_engine import DATC_3_2

from ...reports.test_html import Page
from ..cli.running import COMMAND, invoke, words

CONVOY_BESIDE_LAND = "England: F Wes - Tys, F Tun S F Wes - Tys\nItaly: A Nap - Rom, F Tys C A Nap - Rom"


def explain(*arguments: str, given: str = CONVOY_BESIDE_LAND):
    return invoke("explain", "-", *arguments, input=given)


def boards(case, ruleset) -> list:
    played = play(ReferenceAdjudicator(ruleset), case_inputs(case))
    return [(one.answer.units, one.answer.dislodged) for one in played if isinstance(one.answer, Answer)]


@pytest.mark.parametrize("case", load_suite("field").cases, ids=lambda case: case.id)
def test_rulesets_are_in_one_row_if_the_case_expects_the_same_of_them(case) -> None:
    table = explain_all_rulesets(case_inputs(case), DATC_3_2, every_ruleset(), {})
    rulesets, _ = comparable(case_inputs(case), every_ruleset(), DATC_3_2)
    expected: dict[tuple, set[str]] = {}
    for name in ruleset_names():
        choices = rulesets[name].choices
        boards_expected = []
        for phase in case.phases:
            wanted = phase.expected(choices)
            assert wanted is not None
            boards_expected.append((frozenset(wanted.moved.items()), wanted.dislodged, frozenset(wanted.gone)))
        expected.setdefault(tuple(boards_expected), set()).add(name)
    together = [set(row.rulesets) for row in table.rows]
    # Rows are finer than expectations: retreats count, of which a case may say nothing.
    assert all(any(row <= names for names in expected.values()) for row in together)
    assert set().union(*together) == set(ruleset_names())
    assert table.rows[0].is_in_force
    for row in table.rows[1:]:
        for change in row.changes:
            assert boards(case, DATC_3_2.with_choices(change)) == boards(case, rulesets[row.rulesets[0]])


def test_a_pasted_position_is_shown_under_all_rulesets_unless_something_else_is_asked() -> None:
    told = words(explain().output)
    assert "The outcomes differ in A Naples (stays or moves to Rome)." in told
    assert "datc-3.2 gives it with 4.A.3 = " in told
    for asked in (["--ruleset", "datc-3.1"], ["--choice", "4.A.1=any-route"], ["builtin"]):
        assert "The outcomes differ" not in words(explain(*asked).output)
        assert "The outcomes differ" in words(explain(*asked, "--all-rulesets").output)
    assert "The outcomes differ" not in invoke("explain", "6.F.14").output
    assert "All rulesets agree: A Paris moves to Burgundy." in words(explain(given="France: A Par - Bur").output)


def test_other_choices_in_force_have_a_row_of_their_own() -> None:
    told = words(explain("--choice", "4.A.3=dptg-explicit", "--all-rulesets").output)
    assert "as asked, alexander, dpjudge, dptg; ambiguous: 1971: " in told


def test_engines_are_in_the_row_of_their_answer() -> None:
    other = f"exec:{COMMAND} engine --fixed --choice 4.A.3=dptg-explicit"
    done = explain("builtin", other)
    assert done.exit_code == 1
    told = words(done.output)
    others = r"([\w.-]+, )*"  # further rulesets
    moves = "F Western Mediterranean moves to Tyrrhenian Sea"
    assert re.search(rf"datc-3\.1, datc-3\.2, {others}builtin; ambiguous: 1982, 2000, 2023: {moves}", told)
    assert re.search(rf"dpjudge, dptg, {others}{re.escape(other)}; ambiguous: 1971: ", told)
    assert explain("exec:/bin/false", "builtin").exit_code == 3


def test_the_json_fits_its_schema() -> None:
    done = explain("--json")
    found = json.loads(done.output)
    jsonschema.Draft202012Validator(json.loads(invoke("schema", "explanation").output)).validate(found)
    assert found["explanations"][0]["rulesets"]["rows"][0]["is_in_force"]


HOSTILE = "England: A Lon - Yor (<script>alert(1)</script>)\nso `what` | <img src=x onerror=alert(1)> @somebody #1"


def test_what_rulesets_differ_in_is_the_question_and_each_outcome_has_its_answer() -> None:
    fleets = "".join(f", F {sea} C A Gas - Mar" for sea in ("MAO", "WES", "LYO"))
    told = words(explain(given=f"Italy: A Mar H\nFrance: A Gas - Mar via convoy, A Spa S A Gas - Mar{fleets}").output)
    first, before, rows = told.split("Where may Italy's A Marseilles retreat? ")
    assert first.endswith("under datc-3.2 ")
    assert before.startswith("It may retreat to Burgundy, Gascony and Piedmont; ")
    _, by_convoy, by_land = re.split(r"\bIt may retreat to ", rows)
    assert by_convoy.startswith("Burgundy, Gascony and Piedmont; ")
    assert by_land.startswith("Burgundy and Piedmont; it may not retreat to Gascony (its attacker came from there)")
    paradox = words(invoke("explain", "6.F.17", "--all-rulesets").output)
    assert "Under 4.A.2 = alexander it does. " in paradox
    assert "It does not: it needs a convoy, and its order has to name the path" in paradox


def test_a_page_has_a_board_and_the_steps_of_each_phase(tmp_path: Path) -> None:
    given = "France: A Par - Bur, A Mar S A Par - Bur\nGermany: A Bur H\nRetreats:\nGermany: A Bur - Ruh"
    reports = [f"--report={kind}:{tmp_path / kind}" for kind in ("html", "json")]
    assert explain(*reports, given=given).exit_code == 0
    page = Page((tmp_path / "html").read_bytes())
    assert [len(page.named(tag)) for tag in ("svg", "details", "h2")] == [4, 2, 4], "two boards a phase"
    assert "Germany's A Burgundy is dislodged." in page.text
    assert json.loads((tmp_path / "json").read_text("utf-8")) == json.loads(explain("--json", given=given).output)


def test_what_was_pasted_cannot_break_out_of_a_page_or_of_markdown() -> None:
    page = Page(explain("--report", "html:-", given=HOSTILE).stdout_bytes)
    assert not {"script", "img"} & {tag for tag, _ in page.elements}
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    markdown = explain("--report", "markdown:-", given=HOSTILE).output
    page = Page(MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(markdown).encode())
    assert not {"script", "img", "a"} & {tag for tag, _ in page.elements}
    assert len(page.named("pre")) == 2, "the position and the details"


def test_a_post_has_position_result_reason_rulesets_and_link_in_every_format(tmp_path: Path) -> None:
    targets = [f"--report={name}:{tmp_path / name}" for name in ("markdown", "bbcode", "discord")]
    assert explain(*targets, "--page=https://example.org/play/#old").exit_code == 0
    for name in ("markdown", "bbcode", "discord"):
        post = tmp_path.joinpath(name).read_text("utf-8")
        for part in (
            "F Tyrrhenian Sea Convoys A Naples - Rome",
            "The outcomes differ in A Naples (stays or moves to Rome).",
            "England's F Western Mediterranean moves to Tyrrhenian Sea.",
            "ambiguous: 1971: ",
            "4.A.3 Convoying to an adjacent province: stated by ",
        ):
            assert part in post
        address, _, fragment = post.rpartition("Try it: ")[2].strip().partition("#")
        assert address == "https://example.org/play/"
        question = dict(parse_qsl(fragment))
        assert question["ruleset"] == "datc-3.2"
        # What the link has is the same position.
        assert "The outcomes differ in A Naples (stays or moves to Rome)." in words(
            explain(given=question["text"]).output
        )


def test_a_long_post_fits_on_discord_and_no_post_has_markup_of_others() -> None:
    given = "England: A Lon - Yor ([/code][url=x]y[/url]) `x`"
    posts = {name: explain("--report", f"{name}:-", given=given).output for name in ("bbcode", "discord")}
    assert {*re.findall(r"\[/?(\w+)", posts["bbcode"])} <= {"b", "code", "list"}
    assert "`x`" not in posts["discord"]
    everyone = invoke("explain", "6.F.24", "--all-rulesets", "--report", "discord:-").output
    assert len(everyone) <= 2000
    assert "More did not fit here." in everyone


def test_a_report_on_standard_output_stands_alone() -> None:
    done = explain("--report", "markdown:-", given="France: A Par - Bur")
    assert done.output.startswith("**A position and its result**")
    assert done.output.count("All rulesets agree") == 1
    assert explain("--report", "junit:-", given="France: A Par - Bur").exit_code == 2
