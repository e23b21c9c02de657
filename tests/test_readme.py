"""What the README shows is true: every snippet is run."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"(?:<!-- (?P<mark>[\w ]+) -->\n)?```(?P<kind>\w+)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)
BLOCKS = [match.groupdict() for match in BLOCK.finditer(README)]


def run_console(text, cwd):
    """Run each `$ command` and compare what it prints, `...` standing for anything."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for example in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = example.partition("\n")
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
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize(("mark", "bridge"), [("bridge", "diplomacy_pypi"), ("map check", "js_diplomacy")])
def test_the_sessions_with_a_bridge(ready_bridge, tmp_path, mark, bridge):
    (block,) = [block for block in BLOCKS if block["mark"] == mark]
    assert ready_bridge(bridge).name in block["text"]
    run_console(block["text"], tmp_path)


@pytest.mark.parametrize("mark", ["init", "infer", "compare", "explain", "doctor", "hunt", "pytest", "gates"])
def test_the_shorter_sessions(tmp_path, mark):
    (block,) = [block for block in BLOCKS if block["mark"] == mark]
    run_console(block["text"], tmp_path)


def test_the_gates_of_the_document_on_ci(tmp_path):
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    (block,) = [block for block in BLOCK.finditer(text) if block["mark"] == "gate"]
    run_console(block["text"], tmp_path)


def test_the_python_session():
    (block,) = [block for block in BLOCKS if block["kind"] == "python"]
    example = doctest.DocTestParser().get_doctest(block["text"], {}, "README", "README.md", 0)
    assert doctest.DocTestRunner().run(example).failed == 0


def test_the_config_is_one(tmp_path):
    from datc.harness.settings.config import read_config

    (block,) = [block for block in BLOCKS if block["kind"] == "toml"]
    (tmp_path / "datc.toml").write_text(block["text"], encoding="utf-8")
    config, _ = read_config(tmp_path / "datc.toml")
    assert config.run.engine == "mine"


DOCUMENTS = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    *(f"docs/{name}.md" for name in ("protocol", "case-format", "engines", "findings", "ci", "shadow")),
]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        assert (ROOT / document).parent.joinpath(target).exists(), target


def test_ci_runs_the_commands_of_the_readme():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    marks = {block["mark"] for block in BLOCKS if block["kind"] == "sh"}
    assert marks == {"main job", "tests"}
    assert all(f"readme '{mark}'" in script for mark in marks)


def test_the_table_of_formats_has_them_all():
    from datc.reports import FORMATS

    rows = re.findall(r"^\| `(\w+)` \| .* \| `--report (\w+):\S+` \|$", README, re.MULTILINE)
    assert rows == [(name, name) for name in FORMATS]
    assert "in [eight formats](#reports) more" in README
    assert len(FORMATS) == 9
