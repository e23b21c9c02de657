"""What the documents show is so."""

import doctest
import re
from pathlib import Path

import pytest

from datc.adapters import find_bridge
from datc.cases import load_suite
from datc.harness.runner import read_expected
from datc.harness.settings.config import read_config
from datc.reference_engine import DATC_3_1, adjudicate, find_procedure
from datc.reference_engine.procedures import decisions, guess
from datc.reports import FORMATS

from .builtin import ask_builtin
from .reference_engine.play import orders_of, position_of
from .test_readme import BLOCK, BLOCKS, run_console

ROOT = Path(__file__).parents[1]
with pytest.MonkeyPatch.context() as patched:
    patched.syspath_prepend(ROOT / "docs" / "generate")
    from commands import HELP, help_texts  # pyright: ignore[reportMissingImports] - the site's generators are no package
    from options import options_page  # pyright: ignore[reportMissingImports] - the site's generators are no package

DOCS = Path(__file__).parent.parent / "docs"
SESSIONS = (
    "bridge.md",
    "cases.md",
    "compare.md",
    "doctor.md",
    "explain.md",
    "hunt.md",
    "players.md",
    "procedures.md",
    "replay.md",
    "rules.md",
    "run.md",
    "start.md",
    "thinking.md",
    "verdicts.md",
)
"""The pages whose commands are run here, one after the other in an empty folder."""


def blocks(page, kind):
    found = [match.groupdict() for match in BLOCK.finditer((DOCS / page).read_text(encoding="utf-8"))]
    return [block["text"] for block in found if block["kind"] == kind]


@pytest.mark.parametrize("page", SESSIONS)
def test_what_a_page_shows_on_the_terminal_is_so(tmp_path, page):
    sessions = blocks(page, "console")
    assert sessions
    for session in sessions:
        run_console(session, tmp_path)


@pytest.mark.parametrize("mark", ["gate", "pytest"])
def test_what_the_page_on_ci_shows_is_so(tmp_path, mark):
    found = [match.groupdict() for match in BLOCK.finditer((DOCS / "ci.md").read_text(encoding="utf-8"))]
    (session,) = [block["text"] for block in found if block["mark"] == mark]
    run_console(session, tmp_path)


@pytest.mark.parametrize(("mark", "bridge"), [("bridge", "diplomacy_pypi"), ("map check", "js_diplomacy")])
def test_what_the_page_on_bridges_shows_is_so(ready_bridge, tmp_path, mark, bridge):
    found = [match.groupdict() for match in BLOCK.finditer((DOCS / "bridges.md").read_text(encoding="utf-8"))]
    (session,) = [block["text"] for block in found if block["mark"] == mark]
    assert ready_bridge(bridge).name in session
    run_console(session, tmp_path)


def test_what_the_page_on_histories_shows_is_so(ready_bridge, tmp_path):
    (session,) = blocks("history.md", "console")
    for version in ("1.0.1", "1.1.0", "1.1.1", "1.1.2"):
        assert ready_bridge(f"diplomacy_pypi@{version}").is_ready
        assert f"\n{version} " in session
    run_console(session.replace("all", "1.0.1,1.1.0,1.1.1,1.1.2", 1), tmp_path)


def test_the_boards_are_those_that_the_commands_draw(tmp_path):
    for session in blocks("thinking.md", "console"):
        run_console(session, tmp_path)
    for name in ("paradox.svg", "paradox-after.svg"):
        assert (tmp_path / name).read_bytes() == (DOCS / "boards" / name).read_bytes()


def test_every_page_with_commands_is_run_by_a_test():
    tests = "".join(file.read_text(encoding="utf-8") for file in Path(__file__).parent.rglob("test_*.py"))
    for file in DOCS.glob("*.md"):
        if blocks(file.name, "console"):
            assert file.name in tests, f"no test runs what docs/{file.name} shows"


def test_the_first_command_is_that_of_the_readme():
    (command,) = blocks("start.md", "sh")
    assert command in [block["text"] for block in BLOCKS]


@pytest.mark.parametrize("page", ["thinking.md", "reference-engine.md", "replay.md"])
def test_what_a_page_shows_in_python_is_so(page):
    example = doctest.DocTestParser().get_doctest("\n".join(blocks(page, "python")), {}, page, page, 0)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


def test_the_config_that_is_shown_is_one(tmp_path, monkeypatch):
    monkeypatch.setenv("SITE_TOKEN", "secret")
    (shown,) = re.findall(r"```toml\n(.*?)```", (DOCS / "config.md").read_text(encoding="utf-8"), re.DOTALL)
    file = tmp_path / "datc.toml"
    file.write_text(shown, encoding="utf-8")
    config, folder = read_config(file)
    engines = config.engines(folder)
    assert engines["mine"].command == (str(tmp_path / "my-bridge"), "--json-rpc")
    assert engines["site"].headers == {"X-Client": "datc-check", "Authorization": "secret"}
    assert (engines["site"].limits().start, engines["site"].limits().request) == (20, 2.5)


def test_the_short_config_that_is_shown_is_one(tmp_path):
    (shown,) = blocks("run.md", "toml")
    (tmp_path / "datc.toml").write_text(shown, encoding="utf-8")
    config, _ = read_config(tmp_path / "datc.toml")
    assert config.run.engine == "mine"


def test_the_suite_that_is_shown_is_one(tmp_path):
    for shown in blocks("cases.md", "toml"):
        name, _, text = shown.removeprefix("# ").partition("\n")
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    run_console("$ datc-check cases check ./my-suite\n./my-suite: 1 case, nothing wrong\n", tmp_path)
    run_console("$ datc-check run builtin --suite ./my-suite\n...\nThe one case passes: compliant.\n", tmp_path)


def test_the_table_of_formats_has_them_all():
    text = (DOCS / "reports.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| .* \| `--report (\w+):\S+` \|$", text, re.MULTILINE)
    assert rows == [(name, name) for name in FORMATS]
    endings = {kind.suffix for kind in FORMATS.values() if kind.suffix}
    assert set(re.findall(r"`(\.\w+)`", text)) == endings


def test_the_stored_help_is_that_of_the_commands():
    assert HELP.read_text(encoding="utf-8") == help_texts(), "run: python docs/generate/commands.py"


def test_the_page_of_the_options_is_that_of_the_commands():
    page = (DOCS / "options.md").read_text(encoding="utf-8")
    assert page == options_page(), "run: python docs/generate/options.py"
    assert "| `--jobs N` | Requests in flight at once. (1 to 64) | 1 |" in page


def test_every_key_of_the_config_is_told():
    text = (DOCS / "config.md").read_text(encoding="utf-8")
    from datc.harness.settings.config import Config, EngineTable, RunTable

    for table in (Config, EngineTable, RunTable):
        for key in table.__struct_fields__:
            assert key in text, key


@pytest.mark.parametrize("name", ["diplomacy_pypi", "js_diplomacy"])
def test_an_example_is_of_the_run_that_the_bridge_is_held_to(name):
    """Its figures are those that the tests of the bridges see, and it is what the page is now."""
    page = (DOCS / "examples" / f"{name}.html").read_text(encoding="utf-8")
    expected = read_expected(find_bridge(name))
    assert f"{176 - len(expected.cases)} of 176 cases pass" in page
    assert "Content-Security-Policy" in page
    assert not re.search(r"""<(?:link|script|img|iframe)[^>]+(?:src|href)=""", page), "it asks nobody for anything"


PROCEDURES = (DOCS / "procedures.md").read_text(encoding="utf-8")


def test_the_choices_of_each_procedure_are_those_that_it_plays():
    header, *rows = re.findall(r"^\| (\S+) \| (.*) \| (.*) \|$", PROCEDURES, re.MULTILINE)
    assert header == ("issue", "`guess`", "`decisions`")
    for column, played in ((1, guess.SUPPORTED_CHOICES), (2, decisions.SUPPORTED_CHOICES)):
        shown = {row[0]: tuple(re.findall(r"`([\w-]+)`", row[column])) for row in rows}
        assert {issue: choices for issue, choices in shown.items() if choices} == played


def test_the_examples_that_tell_procedures_apart():
    """A safe fleet: the army cuts the support against it, which the rulebook of 2000 does not let it."""
    orders = orders_of(
        "FRANCE: A BRE - LON, F ENG C A BRE - LON, F MAO S F ENG; ENGLAND: F LON S F WAL - ENG, F WAL - ENG"
    )
    ruleset = DATC_3_1.with_choices({"4.A.2": "2000"})
    position = position_of(orders)
    rulebook = adjudicate(position, orders, ruleset)
    within_paradoxes = adjudicate(position, orders, ruleset, find_procedure("decisions"))
    assert (rulebook.orders[3].reason, within_paradoxes.orders[3].reason) == (None, "cut")
    assert rulebook.units == within_paradoxes.units


def deviations_of(procedure):
    found = [ask_builtin(case, DATC_3_1, procedure) for case in load_suite("datc-3.1").cases]
    assert {case.verdict for case in found} == {"passed", "deviated"}
    return {case.id for case in found if case.verdict == "deviated"}


def section(name):
    return (DOCS / "procedures.md").read_text(encoding="utf-8").partition(f"\n## {name}\n")[2].partition("\n## ")[0]


def test_the_page_on_procedures_lists_the_cases_in_which_the_dptg_deviates():
    deviating = deviations_of("dptg")
    (table,) = re.findall(r"\| cases \|.*?\n\n", section("dptg"), re.DOTALL)
    assert set(re.findall(r"\b6\.[A-J]\.\d+", table)) == deviating
    assert f"{164 - len(deviating)} of the 164 cases" in section("dptg")


def test_the_page_on_procedures_counts_the_cases_that_the_dpjudge_passes():
    assert f"{164 - len(deviations_of('dpjudge'))} of\n164 pass" in section("dpjudge")
