"""What fixed, seeded commands say, held word by word: on the terminal, as JSON, Markdown, and the text of the page.

`DATC_RENEW=1 pytest -n0 tests/golden` writes the files again: the diff of a commit then shows what is said otherwise.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from datc.harness.bugs import diagnosis
from datc.harness.cli.commands import diagnose

from ..harness.cli import running
from ..harness.cli.running import COMMAND, ask, connected, serving
from ..harness.search import games

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SAMPLE = ROOT.parent / "shared" / "data" / "games_sample.jsonl.gz"

ENGINES: Mapping[str, Sequence[str]] = {
    "right": [COMMAND, "engine"],
    "mutant": [COMMAND, "engine", "--mutant", "own-support-dislodges"],
    "fixed-mutant": [COMMAND, "engine", "--mutant", "own-support-dislodges", "--fixed"],
    "first-come": [sys.executable, str(ROOT / "tests" / "engines" / "buggy.py"), "first-come"],
    "crash": [sys.executable, str(ROOT / "tests" / "engines" / "buggy.py"), "silent"],
    "of-1982": [COMMAND, "engine", "--ruleset", "1982", "--fixed"],
    "walks": [COMMAND, "engine", "--choice", "4.A.3=2000-fallback-unordered", "--fixed"],
}
PASTES: Mapping[str, str] = {
    "movement": "Austria A Ser-Bud; Russia A Rum-Bud",
    "paradox": "England: F Lon S F Wal-Eng, F Wal-Eng\nFrance: A Bre-Lon, F Eng C A Bre-Lon",
    "retreat": "France: A Par-Bur, A Mar S A Par-Bur\nGermany: A Bur H\nRetreats:\nGermany: A Bur - Mun",
    "winter": "Winter 1901\nGermany\nUnits: A Mun, A Ruh, F Kie\nCenters: Ber, Kie\nOrders: Remove A Ruh",
    "judge": "Austria: Army Budapest -> Serbia.\nTurkey: Army Bulgaria -> Serbia.  (*bounce*)\nItaly: F Nap H.",
    "not-orders": "Why did my army not move to Spain?",
}


@dataclass(frozen=True)
class Golden:
    """A command: its words, the formats of its reports, the commands before it, its input, and commands after it."""

    words: Sequence[str]
    formats: Sequence[str] = ()
    also_json: bool = False
    before: Sequence[Sequence[str]] = ()
    text: str | None = None
    then: Mapping[str, Golden] = field(default_factory=dict)


REPORTS = ("json", "markdown", "html")
CASES = ("6.C.3", "6.F.14", "6.F.24", "6.G.8", "6.H.5", "6.J.10")
MISTAKES = ("a unit is lost", "a dislodged unit is not said to be one", "a retreat too many", "an outcome", "a build")
RUN_1, RUN_2 = "json:first.json", "json:second.json"

GOLDEN: Mapping[str, Golden] = {
    "run-passing": Golden(("run", "builtin", "--select", "6.A,6.G.1"), REPORTS),
    "run-mutant": Golden(("run", "mutant", "--select", "6.D.10,6.D.11,6.D.12,6.D.13,6.D.14,6.D.20"), REPORTS),
    "run-faulty": Golden(("run", "first-come", "--select", "6.C,6.E.1,6.E.6", "--no-experiments"), REPORTS),
    "run-crash": Golden(("run", "crash", "--select", "6.A,6.D.1,6.D.2,6.E.1"), REPORTS),
    "run-ruleset": Golden(("run", "of-1982", "--suite", "all", "--select", "4.A.2,4.A.3", "-q"), ("markdown",)),
    "doctor": Golden(("doctor", "first-come", "--suite", "datc-3.2"), also_json=True),
    "doctor-mutant": Golden(("doctor", "mutant", "--select", "6.D,6.E")),
    "infer": Golden(("infer", "of-1982", "--all", "--select", "6.G"), REPORTS),
    "infer-faulty": Golden(("infer", "first-come", "--suite", "datc-3.2"), also_json=True),
    "hunt": Golden(("hunt", "fixed-mutant", "--positions", "300", "--seed", "7"), REPORTS),
    "hunt-faulty": Golden(
        ("hunt", "first-come", "--positions", "120", "--seed", "3", "--store", "found"),
        REPORTS,
        then={"hunt-again": Golden(("hunt", "fixed-mutant", "--again", "found"), also_json=True)},
    ),
    "hunt-choice": Golden(("hunt", "walks", "--positions", "300", "--infer", "--seed", "5"), ("json", "markdown")),
    "replay-right": Golden(("replay", "right.jsonl"), REPORTS),
    "replay-false": Golden(("replay", "false.jsonl"), REPORTS),
    "replay-engine": Golden(("replay", "right.jsonl", "--engine", "first-come"), ("json", "markdown")),
    "replay-infer": Golden(("replay", "via.jsonl", "--infer"), ("json", "markdown")),
    "compare": Golden(("compare", "builtin", "of-1982", "first-come", "--select", "6.C,6.F"), REPORTS),
    "compare-runs": Golden(
        ("compare", "first.json", "second.json"),
        also_json=True,
        before=[
            ("run", "builtin", "--select", "6.D", "-q", "-o", RUN_1),
            ("run", "mutant", "--select", "6.D", "-q", "--no-experiments", "-o", RUN_2),
        ],
    ),
    **{f"explain-{case}": Golden(("explain", case), REPORTS) for case in CASES},
    "explain-engine": Golden(("explain", "6.D.12", "mutant"), ("json", "markdown")),
    "explain-rulesets": Golden(("explain", "6.F.24", "--all-rulesets", "of-1982"), ("json", "markdown")),
    **{f"explain-paste-{name}": Golden(("explain", "-"), REPORTS, text=text) for name, text in PASTES.items()},
    "next": Golden(("next", "first-come"), also_json=True),
    "next-done": Golden(("next", "right"), also_json=True),
    "check": Golden(("engines", "check", "first-come"), also_json=True),
    "check-right": Golden(("engines", "check", "right")),
    "preferences": Golden(("preferences", "of-1982"), also_json=True),
    "cases-show": Golden(("cases", "show", "6.F.24"), also_json=True),
    "rulesets-diff": Golden(("rulesets", "diff", "1982", "2023"), also_json=True),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with a config that names the engines, and recorded games."""
    engines = "".join(f"[engine.{name}]\ncommand = {json.dumps(words)}\n" for name, words in ENGINES.items())
    _ = (tmp_path / "datc.toml").write_text(engines, encoding="utf-8")
    false = []
    for name in MISTAKES:
        at, make_false, _ = games.FALSE[name]
        phases = games.game(name.replace(" ", "-"))
        make_false(phases)
        false += [phases[at]]
    _ = games.write(tmp_path / "right.jsonl", games.game())
    _ = games.write(tmp_path / "false.jsonl", [*games.game(), *false, "no JSON"])
    via = {"id": "g/2/S1902M", **games.VIA, "centers": games.CENTERS}
    _ = games.write(tmp_path / "via.jsonl", [via, *games.game()])
    return tmp_path


def call(folder: Path, *words: str, text: str | None = None) -> str:
    """Return what a command prints on a terminal of 80 columns, what it complains of, and its exit code."""
    done = running.call(*words, cwd=folder, text=text, XDG_CACHE_HOME=str(folder / "cache"))
    return printed(done.stdout, done.stderr, done.returncode)


def printed(output: str, errors: str, code: int) -> str:
    return f"{output}--- errors ---\n{errors}--- exit code {code} ---\n"


@pytest.mark.parametrize("name", GOLDEN)
def test_what_a_command_says(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check(name, GOLDEN[name], folder, monkeypatch)
    for later, golden in GOLDEN[name].then.items():
        check(later, golden, folder, monkeypatch)


def check(name: str, golden: Golden, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold what one command says to what is stored."""
    for words in golden.before:
        _ = call(folder, *words)
    if golden.also_json:
        for module, experiments in ((diagnosis, "diagnose_by_experiments"), (diagnose, "infer_by_experiments")):
            running.do_once(monkeypatch, module, experiments)
    reports = [f"--report={kind}:report.{kind}" for kind in golden.formats]
    hold(name, "terminal.txt", call(folder, *golden.words, *reports, text=golden.text), folder)
    if golden.also_json:
        hold(name, "output.json", call(folder, *golden.words, "--json", text=golden.text), folder)
    for kind in golden.formats:
        if (report := folder / f"report.{kind}").exists():
            hold(name, f"report.{kind}", report.read_text(encoding="utf-8"), folder)


def test_what_a_shadow_says_of_a_log(folder: Path) -> None:
    """A client asks three movements one after another; the new engine walks where the old one stays."""
    reports = [f"--report={kind}:report.{kind}" for kind in REPORTS]
    engines = ("right", "walks")
    process, url = serving("shadow", *engines, "--store=found.jsonl", *reports, cwd=folder)
    try:
        with connected(url) as connection:
            for phase in (games.MOVEMENT, games.VIA, games.MOVEMENT):
                _ = ask(connection, "/", _adjudicate(phase))
            for _ in range(600):  # A minute: until all are compared.
                if not ask(connection, "/health", method="GET")[1]["shadow"]["waiting"]:
                    break
                time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        said = printed(*process.communicate(timeout=60), process.returncode)
    finally:
        process.kill()
    hold("shadow", "terminal.txt", said, folder)
    for file in ("report.json", "report.markdown", "report.html", "found.jsonl", "found.toml"):
        hold("shadow", file, (folder / file).read_text(encoding="utf-8"), folder)


def _adjudicate(phase: Mapping[str, Any]) -> Mapping[str, object]:
    """Return the request of the protocol for a recorded movement."""
    when = {"phase": "movement", "season": "spring", "year": 1901}
    params = when | {
        "map": "standard",
        "units": [{"power": power, "type": kind, "location": place} for power, kind, place in phase["units"]],
        "orders": [{"power": power, "text": text} for power, text in phase["orders"]],
        "ruleset": {"name": "datc-3.2", "choices": {}},
    }
    return {"jsonrpc": "2.0", "id": 1, "method": "adjudicate", "params": params}


def test_the_history_of_a_small_repository(folder: Path) -> None:
    """Three commits: the first loses the second of two moves to a province, the second cannot be built."""
    home = folder / "repository"
    home.mkdir()
    date = {"GIT_AUTHOR_DATE": "2026-01-02T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-02T00:00:00Z"}

    def git(*words: str) -> None:
        author = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        _ = subprocess.run(["git", *author, *words], cwd=home, check=True, env={**os.environ, **date})

    git("init", "-q", "-b", "main")
    engine = [sys.executable, str(ROOT / "tests" / "engines" / "buggy.py")]
    runs = f"import os, sys; os.execv(sys.executable, {engine} + [open('bug.txt').read().strip()])"
    for bug, builds in (("first-come", "0"), ("first-come", "1"), ("none", "0")):
        _ = (home / "engine.py").write_text(runs, encoding="utf-8")
        _ = (home / "bug.txt").write_text(bug, encoding="utf-8")
        _ = (home / "build.py").write_text(f"raise SystemExit({builds})", encoding="utf-8")
        git("add", ".")
        git("commit", "-q", "-m", f"{bug}, {builds}")
    python = json.dumps(sys.executable)
    config = f'[engine.mine]\ncommand = [{python}, "engine.py"]\nsetup = [[{python}, "build.py"]]\n'
    _ = (home / "datc.toml").write_text(config, encoding="utf-8")
    reports = [f"--report={kind}:report.{kind}" for kind in REPORTS]
    words = ("history", "mine", "--commits", "HEAD~2..HEAD", "--select", "6.C,6.E.1", *reports)
    hold("history", "terminal.txt", call(home, *words), folder)
    for kind in REPORTS:
        hold("history", f"report.{kind}", (home / f"report.{kind}").read_text(encoding="utf-8"), folder)


def test_a_part_of_the_sample_of_games(folder: Path) -> None:
    """Only counts and a digest are kept: the archive states no licence."""
    if not SAMPLE.is_file():
        pytest.skip(f"the sample of games is not part of the repository, and not at {SAMPLE}")
    with gzip.open(SAMPLE, "rt", encoding="utf-8") as lines:
        part = [line for _, line in zip(range(1500), lines, strict=False)]
    _ = (folder / "part.jsonl").write_text("".join(part), encoding="utf-8")
    said = call(folder, "replay", "part.jsonl", "--infer", "--json")
    data = json.loads(said.partition("--- errors ---")[0])
    digest = hashlib.sha256(normal(said, folder).encode()).hexdigest()
    kept = {"phases": data["phases"], "causes": len(data["causes"]), "sha256": digest}
    hold("replay-sample", "output.json", json.dumps(kept), folder)


def hold(name: str, file: str, said: str, folder: Path) -> None:
    """Hold what was said to the stored text, or store it if `DATC_RENEW` is set."""
    stored = HERE / "said" / name / file.replace(".html", ".txt").replace(".markdown", ".md")
    if file.endswith(".html"):
        said = text_of(said)
    said = normal(said, folder)
    if file.endswith("json"):
        said = pretty(said)
    if "DATC_RENEW" in os.environ:
        stored.parent.mkdir(parents=True, exist_ok=True)
        _ = stored.write_text(said, encoding="utf-8")
    assert said == stored.read_text(encoding="utf-8"), f"{stored} differs: run with DATC_RENEW=1 and look at git diff"


def normal(said: str, folder: Path) -> str:
    """Put names instead of what differs from one machine and moment to the next."""
    for text, name in ((str(folder), "FOLDER"), (sys.executable, "PYTHON"), (COMMAND, "COMMAND"), (str(ROOT), "ROOT")):
        said = said.replace(text, name)
    said = re.sub(r"\b[0-9a-f]{40}\b|\b[0-9a-f]{10,12}\b", "HASH", said)
    said = re.sub(r"\bH4sI[\w+/=]+", "PACKED", said)
    said = re.sub(r"0x[0-9a-f]+", "ADDRESS", said)
    said = re.sub(r'("(?:seconds|took|elapsed|time|spent)":\s*)[-\d.e]+', r"\g<1>0", said)
    said = re.sub(r"\b[\d.]+ (s|ms|min|seconds)\b", r"0 \1", said)
    said = re.sub(r"\b[\d,.]+ ((?:phases )?a second)\b", r"0 \1", said)
    said = re.sub(r"\b20[23]\d-\d\d-\d\d(T[\d:.]+Z?)?( \d\d:\d\d(:\d\d)?)?", "DATE", said)
    return "".join(line.rstrip() + "\n" for line in said.splitlines())


def pretty(said: str) -> str:
    """Indent JSON, so that a diff shows the field; keep what is printed around it."""
    head, _, rest = said.partition("--- errors ---")
    if not head.strip():
        return said
    if said.startswith("{"):
        try:
            head = json.dumps(json.loads(head), indent=1, ensure_ascii=False)
        except json.JSONDecodeError:  # JSON Lines.
            head = "\n".join(json.dumps(json.loads(line), indent=1, ensure_ascii=False) for line in head.splitlines())
    return head + "\n" + ("--- errors ---" + rest if rest else "")


def text_of(page: str) -> str:
    """Return the words of a page as a reader meets them: a line for each element that has some."""
    page = re.sub(r"(?s)<(style|script|svg)\b.*?</\1>", " ", page)
    words = (" ".join(html.unescape(part).split()) for part in re.split(r"<[^>]*>", page))
    return "\n".join(filter(None, words))
