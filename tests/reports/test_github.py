import io
import re
from pathlib import Path

import msgspec
import pytest

from datc.reports import CaseFinished, Report, RunFinished
from datc.reports.github import GitHubOutput, render_annotations
from datc.reports.markdown import render_markdown
from datc.reports.text import one_line, printable

from .samples import HOSTILE

COMMAND = re.compile(r"::(?P<level>error|warning|notice) (?P<properties>[^:\r\n]*)::(?P<message>[^\r\n]*)")


def test_the_first_says_how_the_run_went_and_the_others_what_is_wrong(every_verdict: Report) -> None:
    assert [(level, properties["title"]) for level, properties, _ in _commands(every_verdict)] == [
        ("error", "Mine 2.0"),
        ("error", "6.F.3 A case that is failed: failed"),
        ("error", "6.F.6 A case that is error: error"),
        ("warning", "6.F.2 A case that is deviated: deviated"),
        ("notice", "1 case: declared"),
        ("warning", "1 case: unsupported"),
        ("warning", "1 case: not-run"),
    ]
    assert _commands(every_verdict)[0][2].startswith("Not finished: the engine gave out. 1 passed")
    assert _commands(every_verdict)[1][2] == "it is failed\nA London should be in BEL, and is in LON"


def test_a_case_of_the_author_is_pointed_at(every_verdict: Report) -> None:
    failed = msgspec.structs.replace(every_verdict.cases[2], suite="mine", file="my suite, 1:2/6%.toml", line=12)
    _, (_, properties, _) = _commands(msgspec.structs.replace(every_verdict, cases=[failed]))
    assert (properties["file"], properties["line"]) == ("my suite, 1:2/6%.toml", "12")
    assert "file" not in _commands(every_verdict)[2][1]


def test_hostile_strings_come_back_as_they_were_and_give_no_command(hostile: Report) -> None:
    commands = _commands(hostile)
    assert len(commands) == 7
    for _, properties, message in commands[1:4]:
        assert properties["title"].startswith(one_line(f"6.A.{properties['title'][4]} {printable(HOSTILE)}", 150)[:149])
        assert message == "\n".join([printable(HOSTILE)] * 2)


def test_output_is_written_once_the_run_is_finished_and_where_there_is_a_place_the_summary_too(
    every_verdict: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    _ = summary.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    for _ in range(2):
        file = io.BytesIO()
        output = GitHubOutput(file)
        output.handle(CaseFinished(every_verdict.cases[0]))
        assert file.getvalue() == b""
        output.handle(RunFinished(every_verdict))
        assert file.getvalue() == render_annotations(every_verdict)
        assert summary.read_bytes() == b"before\n" + render_markdown(every_verdict) + b"\n"
        monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


def _commands(report: Report) -> list[tuple[str, dict[str, str], str]]:
    text = render_annotations(report).decode()
    assert text.endswith("\n")
    commands: list[tuple[str, dict[str, str], str]] = []
    for line in text[:-1].split("\n"):
        match = COMMAND.fullmatch(line)
        assert match, line
        pairs = [pair.split("=", 1) for pair in match["properties"].split(",")]
        commands.append((match["level"], {name: _read(value) for name, value in pairs}, _read(match["message"])))
    return commands


def _read(text: str) -> str:
    """Undo the escapes as the runner does."""
    for code, letter in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, letter)
    return text
