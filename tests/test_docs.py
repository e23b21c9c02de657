"""What the documents show is so: their commands run, their configs are read, and their links lead somewhere."""

from __future__ import annotations

import ast
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from datc.adapters.bridges import bridge_names, find_bridge
from datc.cases import load_suite, ruleset_names, suite_names
from datc.cases.suite import USUAL_EDITION
from datc.harness.cli.group import cli
from datc.harness.config.config import read_config
from datc.harness.run.runner import read_expected

from .conftest import ROOT
from .programs import run
from .tables import hold, hold_figures

if TYPE_CHECKING:
    from .conftest import ReadyBridge

with pytest.MonkeyPatch.context() as patched:
    patched.syspath_prepend(ROOT / "docs" / "generate")
    from commands import HELP, help_texts  # pyright: ignore[reportMissingImports] - the site's generators are no package

README, DOCS = ROOT / "README.md", ROOT / "docs"
FIRST_ENGINE = DOCS / "first-engine.md"
PAGES = [
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY", "CHANGELOG")),
    *sorted(DOCS.glob("*.md")),
]
BLOCK = re.compile(r"(?:<!-- (?P<mark>[\w ]+) -->\n)?```(?P<kind>\w+)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
TESTED_ELSEWHERE = ("first-engine.md", "history.md", "thinking.md")
SAID: dict[str, str] = {}
"""What commands say that leave an empty folder empty, and so say it on each page that shows them."""
VERDICTS = ("passed", "deviated", "failed", "error", "unsupported")


class Block(NamedTuple):
    mark: str | None
    kind: str
    text: str


def blocks(page: Path, kind: str = "") -> list[Block]:
    """The blocks of one kind, or all."""
    found = [Block(*match.groups()) for match in BLOCK.finditer(page.read_text(encoding="utf-8"))]
    return [block for block in found if kind in ("", block.kind)]


@pytest.fixture(autouse=True)
def _on_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for name, value in {"PATH": path, "COLUMNS": "80", "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"}.items():
        monkeypatch.setenv(name, value)


def run_console(text: str, cwd: Path) -> None:
    """Run each `$ command`, which goes on after a backslash, and compare what it prints; `...` stands for anything."""
    for example in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        _, command, expected = re.split(r"^((?:.*\\\n)*.*)\n?", example, maxsplit=1)
        said = None if any(cwd.iterdir()) else SAID.get(command)
        if said is None:
            said = said_by(command, cwd)
            if not any(cwd.iterdir()):
                SAID[command] = said
        got = "\n".join(line.rstrip() for line in said.splitlines()) + "\n" if said else ""
        want = expected.rstrip("\n") + "\n" if expected.strip() else ""
        assert doctest.OutputChecker().check_output(want, got, doctest.ELLIPSIS), f"$ {command}\n{got}"


def said_by(command: str, cwd: Path) -> str:
    """Return what a command prints; one of datc-check runs in this process, unless it needs a shell."""
    program, *words = shlex.split(command.replace("\\\n", ""))
    if program != "datc-check" or re.search("[|<>;$`&*]", command):
        return run(["sh", "-c", command], cwd=cwd, stderr=subprocess.STDOUT).stdout
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(out), redirect_stderr(out):
        patched.chdir(cwd)
        with pytest.raises(SystemExit):
            cli.main(words, "datc-check")
    _ = out.seek(0)
    return out.read()


def sessions() -> Iterator[object]:
    """Each page with commands, as a parameter: those without a mark run one after the other in an empty folder."""
    for page in PAGES:
        console = blocks(page, "console")
        by_mark = {block.mark for block in console if page.name not in TESTED_ELSEWHERE}
        for mark in sorted(by_mark, key=str):
            yield pytest.param(page, mark, id=f"{page.stem}-{mark}")


@pytest.mark.parametrize(("page", "mark"), [*sessions()])
def test_what_a_page_shows_on_the_terminal_is_so(
    page: Path, mark: str | None, ready_bridge: ReadyBridge, tmp_path: Path
) -> None:
    """A mark such as `bridge pydip` names the bridge that the commands need, `tunnel` also the file `tunnel.toml`."""
    for name in re.findall(r"^bridge (\w+)$", mark or ""):
        _ = ready_bridge(name)
    for block in blocks(page, "toml") if mark else ():
        if block.mark == mark:
            _ = (tmp_path / f"{mark}.toml").write_text(block.text, encoding="utf-8")
    for block in blocks(page, "console"):
        if block.mark == mark:
            run_console(block.text, tmp_path)


def test_the_boards_of_the_pages_are_those_that_the_commands_draw(tmp_path: Path) -> None:
    for block in blocks(DOCS / "thinking.md", "console"):
        run_console(block.text, tmp_path)
    for name in ("paradox.svg", "paradox-after.svg"):
        assert (tmp_path / name).read_bytes() == (DOCS / "boards" / name).read_bytes()


def test_what_the_page_on_histories_shows_is_so(ready_bridge: ReadyBridge, tmp_path: Path) -> None:
    (session,) = (block.text for block in blocks(DOCS / "history.md", "console"))
    versions = re.findall(r"^(\d\S+) +\d", session, re.MULTILINE)
    assert all(ready_bridge(f"diplomacy_pypi@{version}").is_ready for version in versions)
    run_console(session.replace("all", ",".join(versions), 1), tmp_path)


@pytest.mark.parametrize("page", ["thinking.md", "reference-engine.md", "replay.md"])
def test_what_a_page_shows_in_python_is_so(page: str) -> None:
    text = "\n".join(block.text for block in blocks(DOCS / page, "python"))
    example = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


def test_the_configs_that_are_shown_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITE_TOKEN", "secret")
    file = tmp_path / "datc.toml"
    for page in ("run.md", "first-engine.md", "config.md"):
        (shown,) = blocks(DOCS / page, "toml")
        _ = file.write_text(shown.text, encoding="utf-8")
        config, folder = read_config(file)
        assert "mine" in config.engines(folder)
    site = config.engines(folder)["site"]
    assert site.headers == {"X-Client": "datc-check", "Authorization": "secret"}
    assert (site.limits().start, site.limits().request) == (20, 2.5)


def test_the_suite_that_is_shown_is_one(tmp_path: Path) -> None:
    for shown in blocks(DOCS / "cases.md", "toml"):
        name, _, text = shown.text.removeprefix("# ").partition("\n")
        (tmp_path / name).parent.mkdir(exist_ok=True)
        _ = (tmp_path / name).write_text(text, encoding="utf-8")
    run_console("$ datc-check cases check ./my-suite\n./my-suite: 1 case, nothing wrong\n", tmp_path)
    run_console("$ datc-check run builtin --suite ./my-suite\n...\nThe one case passes: compliant.\n", tmp_path)


def test_the_stored_help_is_that_of_the_commands() -> None:
    assert HELP.read_text(encoding="utf-8") == help_texts(), "run: python docs/generate/commands.py"


@pytest.mark.parametrize(
    "page", [*PAGES, *sorted(ROOT.glob("*/*/*/README.md"))], ids=lambda page: str(page.relative_to(ROOT))
)
def test_links_work_in_the_repository(page: Path) -> None:
    """So they lead to files that it has, and not to pages that only the documentation site has."""
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        if target.startswith("../../actions/"):  # A page of GitHub.
            continue
        file = page.parent / target if target else page
        assert file.exists(), target
        assert not anchor or file.suffix != ".md" or anchor in anchors(file), f"{target}#{anchor}"


def anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page, as GitHub and the documentation site make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def test_on_pypi_no_link_is_relative() -> None:
    installed = distribution("datc-check")
    metadata = installed.read_text("METADATA") or installed.read_text("PKG-INFO")  # With the README as its body.
    assert metadata is not None
    links = re.findall(r"\]\(([^)]+)\)", metadata)
    assert len(links) > 30
    assert [link for link in links if not link.startswith("https://")] == []


@pytest.mark.parametrize("document", ["CONTRIBUTING.md", "SECURITY.md"])
def test_the_files_that_a_document_names_are_there(document: str) -> None:
    """Or they are made here later: git ignores the folder."""
    text = (ROOT / document).read_text("utf-8")
    ignored = set((ROOT / ".gitignore").read_text("utf-8").replace("/", "").split())
    named = re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", text)
    assert [path for path in named if path.split("/")[0] not in ignored and not (ROOT / path).exists()] == []


def test_ci_runs_the_commands_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    marks = [block.mark for block in blocks(README, "sh") if block.mark]
    assert marks
    assert all(f"readme '{mark}'" in script for mark in marks)


def test_the_badge_is_that_of_the_reference_engine(tmp_path: Path) -> None:
    run_console("$ datc-check run builtin -q --report badge:datc.svg\n", tmp_path)
    assert (tmp_path / "datc.svg").read_bytes() == (DOCS / "examples" / "datc.svg").read_bytes()


@pytest.mark.parametrize("name", ["diplomacy_pypi", "js_diplomacy", "compare"])
def test_a_sample_report_asks_nobody_for_anything(name: str) -> None:
    """And its figures are those that the tests of the bridges see."""
    page = (DOCS / "examples" / f"{name}.html").read_text(encoding="utf-8")
    assert "Content-Security-Policy" in page
    assert not re.search(r"""<(?:link|script|img|iframe)[^>]+(?:src|href)=""", page)
    if name in bridge_names():
        assert f"{176 - len(read_expected(find_bridge(name)).cases)} of 176 cases pass" in page


def test_the_figures_of_the_readme_are_those_of_the_data() -> None:
    """`DATC_RENEW=1` writes them."""
    cases = sum(len(load_suite(name).cases) for name in suite_names())
    hold_figures(README, "over {} cases in {} [suites]", cases // 50 * 50, len(suite_names()))
    hold_figures(README, "under each of {} rulesets", len(ruleset_names()))
    hold_figures(README, "There are bridges to {} engines.", len(bridge_names()))
    shown = []
    for name in bridge_names():
        bridge = find_bridge(name)
        table, expected = bridge.table, read_expected(bridge)
        link = f"[{table.engine.partition(' (')[0]}](adapters/engines/{name}/) {table.version}, {table.language}"
        verdicts = [expected.row(case)[0] for case in load_suite(USUAL_EDITION).cases]
        shown.append([f"`datc-check run {name}`", link, *(str(verdicts.count(each) or "") for each in VERDICTS)])
    hold(README, "Engines that people use", shown)


def names(tree: ast.Module) -> set[str]:
    return {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def merged(program: str, block: str) -> str:
    """Add the functions of a block in front of the last lines, in place of those with the same names."""
    lines = program.splitlines(keepends=True)
    new = names(ast.parse(block))
    for node in ast.parse(program).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in new:
            first, last_line = node.lineno - 1, node.end_lineno or 0
            lines[first:last_line] = [""] * (last_line - first)
    head, last, tail = "".join(lines).partition('if __name__ == "__main__":')
    return f"{head}{block}\n\n{last}{tail}"


def test_the_tutorial_builds_an_engine_that_fails_no_case(tmp_path: Path) -> None:
    """Its blocks are put together as its readers do that; each stage is passed when the page says so."""
    engine = tmp_path / "engine.py"
    engine.touch()
    stages, shown = [], ""
    for _, kind, text in blocks(FIRST_ENGINE):
        if kind == "python":
            _ = engine.write_text(merged(engine.read_text("utf-8"), text), encoding="utf-8")
        elif kind == "toml":
            _ = (tmp_path / "datc.toml").write_text(text, encoding="utf-8")
        elif kind == "sh":
            run_console(f"$ {text}", tmp_path)
        else:
            run_console(text, tmp_path)
            shown += text
            stages += re.findall(r"^first-engine 1: (?:stage|all) (\d+)", text, re.MULTILINE)
    assert stages == [*map(str, range(1, 15)), "14"]
    assert "import datc" not in engine.read_text("utf-8")
    assert "176 of 176" in shown
    assert shown.endswith("exit code 0\n"), "the run passes with the config that the page comes to"


def test_the_program_of_the_page_has_no_dead_code() -> None:
    """What no later block replaces is used."""
    program = ""
    for block in blocks(FIRST_ENGINE, "python"):
        program = merged(program, block.text)
    tree = ast.parse(program)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert names(tree) <= used
