import re
from html import escape, unescape

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec.structs import replace

from datc.reports import markdown
from datc.reports.markdown import LIMIT, cell, code, folded, render_markdown
from datc.reports.report import VERDICTS, Report, summarize
from datc.reports.text import one_line, printable

from . import samples

PARSER = MarkdownIt("commonmark").enable("table")
OPENING = re.compile(r"<details>\n<summary>\S+ <code>(?P<title>[^<>]*)</code></summary>\n")
TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from("`|\\ \n[]()<>*_#@~&"), max_size=60).map(printable)


def test_it_says_that_a_run_did_not_finish_and_of_one_case_that_it_is_one(every_verdict: Report) -> None:
    text = render_markdown(every_verdict).decode()
    assert text.startswith("### `Mine 2.0` against `datc-3.2`\n\n⏹️ **Not finished: `the engine gave out`. 1 passed, ")
    assert "(`lame-army`), seen in `6.F.3`, though not in `6.F.1`" in text
    one = samples.report([samples.case(1, "declared")])
    said = "✅ **The one case is declared: compliant with 1 declared deviation.**"
    assert said in render_markdown(one).decode()


def test_what_is_not_passed_is_folded_away_with_the_gravest_first(every_verdict: Report) -> None:
    tokens = PARSER.parse(render_markdown(every_verdict).decode())
    titles = [unescape(match["title"]) for token in tokens if (match := OPENING.fullmatch(token.content))]
    assert titles == [
        "6.F.3 A case that is failed: failed",
        "6.F.6 A case that is error: error",
        "6.F.2 A case that is deviated: deviated",
        "6.F.5 A case that is unsupported: unsupported",
        "not run: 1",
        "6.F.4 A case that is declared: declared",
    ]


def test_a_note_on_a_case_that_passes_is_told(passing: Report) -> None:
    noted = replace(passing.cases[0], notes=["declared as a deviation (why), but passes"])
    text = render_markdown(replace(passing, cases=[noted])).decode()
    assert "6.F.1 A case that is passed: declared as a deviation (why), but passes" in text


def test_a_comment_is_never_too_long(every_verdict: Report) -> None:
    cases = [replace(samples.case(number, "failed"), reason="ü" * 3000) for number in range(1, 200)]
    report = replace(every_verdict, cases=cases, summary=summarize(cases))
    text = render_markdown(report)
    assert LIMIT - 10_000 < len(text) <= LIMIT
    shown = text.decode().count("<details>")
    assert text.decode().endswith(f"\n*There is no room here for {199 - shown} more of the cases that did not pass.*\n")
    assert text.decode().count("</details>") == shown


def test_one_case_cannot_take_all_the_room(every_verdict: Report) -> None:
    huge = replace(samples.case(6, "error"), reason="`" * 5000 + "x" * 1_000_000)
    cases = [huge, *every_verdict.cases]
    report = replace(every_verdict, cases=cases, incomplete_reason="y" * 1_000_000)
    text = render_markdown(report).decode()
    assert len(text.encode()) < LIMIT / 2
    assert text.count("<details>") == 7


def test_nothing_that_an_engine_says_is_more_than_code(hostile: Report, passing: Report) -> None:
    tokens = PARSER.parse(render_markdown(hostile).decode())
    assert_inert(tokens)
    fences = [token.content for token in tokens if token.type == "fence"]
    assert len(fences) == len(VERDICTS)
    assert all("<script>alert(1)</script>" in content for content in fences)
    assert_inert(PARSER.parse(markdown.render_markdown_inference(samples.hostile_inference()).decode()))
    tokens = PARSER.parse(markdown.render_markdown_comparison(samples.compared(hostile, passing, hostile)).decode())
    assert_inert(tokens)
    rows = "".join({"tr_open": "\n", "td_open": "|", "th_open": "|"}.get(token.type, "") for token in tokens)
    assert {*rows.split()} == {"||||"}


def assert_inert(tokens: list[Token]) -> None:
    """Assert that what others wrote is in code alone: there, GitHub looks for no names, addresses or numbers."""
    for token in tokens:
        assert token.type != "code_block"
        if token.type == "html_block":
            assert token.content == "</details>\n" or OPENING.fullmatch(token.content)
        for child in token.children or ():
            assert child.type in ("text", "code_inline", "strong_open", "strong_close", "em_open", "em_close")
            if child.type == "text":
                assert not re.search("evil|script|everyone|error::|TODO|Bail|&", child.content)
    assert {token.markup for token in tokens if token.type == "heading_open"} == {"###"}


@given(TEXTS)
def test_code_shows_any_text_and_nothing_else(text: str) -> None:
    (inline,) = PARSER.parseInline(f"a {code(text)} b")
    assert [child.type for child in inline.children or ()] == ["text", "code_inline", "text"]
    assert (inline.children or [])[1].content == (one_line(text, 200) or "-")


@given(TEXTS)
def test_so_does_the_cell_of_a_table(text: str) -> None:
    tokens = PARSER.parse(f"| a | b |\n|--|--|\n| {cell(text)} | {cell(text)} |")
    found = [child for token in tokens for child in token.children or () if child.type == "code_inline"]
    assert len(found) == 2
    assert [child.content for child in found] == [one_line(text, 200) or "-"] * 2


@given(TEXTS, st.lists(TEXTS, max_size=4))
def test_what_is_folded_stays_folded(title: str, lines: list[str]) -> None:
    block = folded("❌", title, lines)
    opening, fence, closing = PARSER.parse(block)
    assert opening.content == f"<details>\n<summary>❌ <code>{escape(one_line(title))}</code></summary>\n"
    assert (fence.type, fence.info, fence.content) == ("fence", "text", "\n".join(lines) + "\n")
    assert closing.content == "</details>"


def test_engines_that_gave_no_answer_are_compared_too() -> None:
    text = markdown.render_markdown_comparison(samples.three_engines()).decode()
    assert "answered 2 of 4 cases: " in text
    assert "⏹️ not asked to the end: `it gave out`\n" in text
    assert "| `4.A.1 Multi-route convoy disruption` | `all-routes` | `any-route` | - |" in text
    assert "| `6.F.3 A case that is passed` | A ✅ passed | B 🔶 deviated | - 🚫 unsupported |" in text
    assert "| `6.F.4 A case that is passed` | A ✅ passed | A ✅ passed | - 💥 error |" in text
    passed = samples.report([samples.case(1, "passed")])
    text = markdown.render_markdown_comparison(samples.compared(passed, passed)).decode()
    assert "- 1 and 2 answer every case alike." in text


def test_several_runs_are_never_too_long(every_verdict: Report) -> None:
    cases = [replace(samples.case(number, "failed"), title="t" * 300) for number in range(1, 2000)]
    report = replace(every_verdict, cases=cases, summary=summarize(cases))
    text = markdown.render_markdown_comparison(samples.compared(report, report))
    assert len(text) <= LIMIT
    assert re.search(r"\*There is no room here for \d+ more of the tables\.\*\n$", text.decode())


def test_an_empty_run_can_be_shown() -> None:
    empty = samples.report([])
    assert render_markdown(empty)
    text = markdown.render_markdown_comparison(samples.compared(empty, empty)).decode()
    assert "**No case was run.** There is nothing to compare." in text


def test_what_was_inferred_is_told_with_what_contradicts_it() -> None:
    text = markdown.render_markdown_inference(samples.inferred()).decode()
    assert "| `4.A.2 Convoy disruption paradoxes` | `2000` or `szykman` | `6.F.3 should decide this, " in text
    assert "- `6.F.2`: `4.A.1` `any-route`\n- `6.F.5`: `4.A.1` `all-routes`" in text
    assert "❌ **Wrong under every ruleset:** `6.F.3`" in text
    assert "🚫 **Not answered:** `6.F.4`" in text
