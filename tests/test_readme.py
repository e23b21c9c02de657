"""What the README shows is true: every snippet is run, and every link of the pages leads somewhere."""

import doctest
import os
import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from datc.harness.cli.group import cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"(?:<!-- (?P<mark>[\w ]+) -->\n)?```(?P<kind>\w+)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)
BLOCKS = [match.groupdict() for match in BLOCK.finditer(README)]


def run_console(text, cwd):
    """Run each `$ command`, which goes on after a backslash, and compare what it prints; `...` stands for anything."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for example in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        _, command, expected = re.split(r"^((?:.*\\\n)*.*)\n?", example, maxsplit=1)
        done = subprocess.run(
            command,
            shell=True,  # As a reader types it.
            cwd=cwd,
            env={**os.environ, "PATH": path, "COLUMNS": "80", "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        got = "\n".join(line.rstrip() for line in done.stdout.splitlines()) + "\n" if done.stdout else ""
        want = expected.rstrip("\n") + "\n" if expected.strip() else ""
        flags = doctest.ELLIPSIS
        assert doctest.OutputChecker().check_output(want, got, flags), f"$ {command}\n{got}"


def test_the_session(tmp_path):
    (block,) = [block for block in BLOCKS if block["kind"] == "console" and block["mark"] is None]
    run_console(block["text"], tmp_path)


def test_what_init_writes_runs_at_once(tmp_path):
    (block,) = [block for block in BLOCKS if block["mark"] == "init"]
    run_console(block["text"], tmp_path)


def test_it_is_short():
    assert len(README.splitlines()) <= 170


PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


def anchors(page):
    """The anchors of the headings of a page, as GitHub and the documentation site make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_work_in_the_repository(page):
    """So they lead to files that it has, and not to pages that only the documentation site has."""
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        if target.startswith("../../actions/"):  # A page of GitHub.
            continue
        file = page.parent / target if target else page
        assert file.exists(), target
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), f"{target}#{anchor}"


def test_every_page_of_the_documentation_has_a_place_in_the_navigation():
    hook = (ROOT / "docs" / "generate" / "hook.py").read_text(encoding="utf-8")
    assert [page.name for page in sorted((ROOT / "docs").glob("*.md")) if f'"{page.name}"' not in hook] == []


def test_on_pypi_no_link_is_relative():
    installed = distribution("datc-check")
    metadata = installed.read_text("METADATA") or installed.read_text("PKG-INFO")  # With the README as its body.
    assert metadata is not None
    links = re.findall(r"\]\(([^)]+)\)", metadata)
    assert len(links) > 30
    assert [link for link in links if not link.startswith("https://")] == []


def test_every_command_is_in_the_table_and_in_a_guide():
    rows = re.findall(r"^\| [^|]+\? \| ([^|]+) \| ([^|]+) \|$", README, re.MULTILINE)
    shown = {}
    for commands, guides in rows:
        texts = "".join((ROOT / guide).read_text(encoding="utf-8") for guide in re.findall(r"\((docs/\S+)\)", guides))
        shown |= {command: f"datc-check {command}" in texts for command in re.findall(r"`([\w-]+)`", commands)}
    context = cli.make_context("datc-check", [], resilient_parsing=True)
    there = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    assert shown == {name: True for name, command in there.items() if command is not None and not command.hidden}


def test_the_badge_is_that_of_the_reference_engine(tmp_path):
    run_console("$ datc-check run builtin -q --report badge:datc.svg\n", tmp_path)
    assert (tmp_path / "datc.svg").read_bytes() == (ROOT / "docs" / "examples" / "datc.svg").read_bytes()


def test_ci_runs_the_commands_of_the_readme():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    marks = {block["mark"] for block in BLOCKS if block["kind"] == "sh"} - {None}
    assert marks == {"main job", "tests"}
    assert all(f"readme '{mark}'" in script for mark in marks)
