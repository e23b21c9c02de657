"""The history of an engine: its commits and releases, what each changed, and the one that changed a case."""

import dataclasses
import json
import os
import select
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from datc.adapters import EngineSpec, EngineSpecError
from datc.cases import load_ruleset, load_suite
from datc.cases.suite import USUAL_EDITION
from datc.harness.config.setting_up import Manner
from datc.harness.errors import HarnessError, SetUpError
from datc.harness.history.history import History, HistoryData, HistoryError, render_html, render_markdown
from datc.harness.history.snapshots import Release, commits_between, named_releases
from datc.reports import RulesetData
from datc.reports.report import HarnessData

from ..cli import running
from ..cli.running import COMMAND

CHANGED_AT, COMMITS = 23, 40
CASES = load_suite(USUAL_EDITION).cases[:3]

ENGINE = (
    f"#!{sys.executable}"
    + """
import json, sys
obeys = open("built.txt").read() == "obeys"
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "initialize":
        result = {"protocol": 1, "engine": {"name": "scripted", "version": "1"}}
    else:
        units = request["params"]["units"]
        moves = {order["order"]["unit"]["location"]: order["order"]["to"]
                 for order in request["params"]["orders"] if order.get("order", {}).get("type") == "move"}
        result = {"units": [{**unit, "location": obeys and moves.get(unit["location"]) or unit["location"]}
                            for unit in units]}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""
)
"""It holds all units, or lets each go wherever it is ordered. It needs what BUILD makes."""
BUILD = """
import os, pathlib, sys
rules = pathlib.Path("rules.txt").read_text().split()[0]
if rules == "broken":
    sys.exit("no compiler for this")
pathlib.Path("built.txt").write_text(rules)
with open(os.environ["BUILDS"], "a") as log:
    log.write("built ")
"""


def git(folder, *arguments):
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout


def stream(broken):
    """Write 40 commits as `git fast-import` reads them; every tenth has a tag, and one tag is annotated."""
    author = "An Author <author@example.org> 0 +0000"

    def data(text):
        return f"data {len(text)}\n{text}\n"

    files = {"engine.py": ENGINE, "build.py": BUILD, ".gitignore": "built.txt\n"}
    lines = []
    for number in range(1, COMMITS + 1):
        rules = "broken" if number in broken else "obeys" if number >= CHANGED_AT else "holds"
        lines.append(f"commit refs/heads/main\nmark :{number}\ncommitter {author}\n{data(f'Change {number}')}")
        for name, text in {**files, "rules.txt": f"{rules} {number}"}.items():
            lines.append(f"M 755 inline engine/{name}\n{data(text)}")
        if number == 20:
            lines.append(f"tag v20\nfrom :20\ntagger {author}\n{data('annotated')}")
        elif number % 10 == 0:
            lines.append(f"reset refs/tags/v{number}\nfrom :{number}\n\n")
    return "".join(lines).encode()


@pytest.fixture
def make_repository(tmp_path):
    """Make a repository with an engine in a folder of it; from commit 23 of 40 on the engine obeys every order."""
    folder = tmp_path / "repository"
    home = folder / "engine"

    def make(broken=()):
        folder.mkdir()
        _ = git(folder, "init", "--quiet", "--initial-branch", "main")
        _ = subprocess.run(["git", "fast-import", "--quiet"], cwd=folder, input=stream(broken), check=True)
        _ = git(folder, "reset", "--hard", "--quiet")
        hook = folder / ".git" / "hooks" / "post-checkout"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
        hook.chmod(0o755)
        config = {"command": ["./engine.py"], "setup": [[sys.executable, "build.py"]]}
        lines = [f"{name} = {json.dumps(value)}" for name, value in config.items()]
        builds = json.dumps(str(tmp_path / "builds"))
        text = "\n".join(["[engine.mine]", *lines, f"environment = {{ BUILDS = {builds} }}", ""])
        (home / "datc.toml").write_text(text, encoding="utf-8")
        return home

    return make


def call(home, *arguments, **environment):
    return running.call("history", *arguments, cwd=home, **environment)


def spec_of(home):
    return EngineSpec(
        "mine",
        (sys.executable, "engine.py"),
        cwd=str(home),
        environment={"BUILDS": str(home.parents[1] / "builds")},
        setup=((sys.executable, "build.py"),),
    )


def history(snapshots, **fields):
    return History(snapshots, CASES, load_ruleset(USUAL_EDITION).ruleset(), **fields)


def test_halving_finds_the_commit_that_changed_a_case(make_repository):
    home = make_repository()
    done = call(home, "--commits", "HEAD~39..HEAD", "--bisect", "6.A.1", GIT_DIR="/nowhere")
    assert done.returncode == 0, done.stderr
    sha = git(home, "rev-parse", f"HEAD~{COMMITS - CHANGED_AT}")[:10]
    assert done.stdout.splitlines() == [
        "6.A.1 Moving to a province that is not a neighbour: passed → failed",
        "",
        "Changed by",
        f"  {sha} Change {CHANGED_AT}",
        "",
        "Asked 7 of 40.",
    ]
    steps = done.stderr.splitlines()
    assert (len(steps), len({step.partition(":")[0] for step in steps})) == (7, 7), "each step is told once"
    assert git(home, "status", "--porcelain").split() == ["??", "engine/datc.toml"]
    assert not (home / "built.txt").exists()
    assert len(git(home, "worktree", "list").splitlines()) == 1
    as_json = json.loads(call(home, "--commits", "HEAD~20..", "--bisect", "6.A.1", "--json").stdout)
    assert (as_json["before"], as_json["after"]) == ("passed", "failed")
    assert [each["identity"][0][:10] for each in as_json["changed_by"]] == [sha]


def test_a_config_behind_a_symlink_tests_the_commits_and_not_the_working_tree(make_repository, tmp_path):
    home = make_repository()
    (tmp_path / "link").symlink_to(home.parent)
    config = str(tmp_path / "link" / "engine" / "datc.toml")
    done = call(tmp_path, "--config", config, "--commits", "HEAD~39..HEAD", "--tags", "--select", "6.A.1")
    assert done.returncode == 0, done.stderr
    passed = [line.split()[:2] for line in done.stdout.splitlines() if line.startswith("v")][:4]
    assert passed == [["v10", "1"], ["v20", "1"], ["v30", "0"], ["v40", "0"]]
    assert "v30 (Change 30), compared with v20\n  Newly failing: 1\n" in done.stdout
    assert not (home / "built.txt").exists()


@pytest.mark.parametrize("place", ["repository", "link"])
def test_what_names_a_file_of_the_working_tree_is_refused(make_repository, tmp_path, place):
    home = make_repository()
    (tmp_path / "link").symlink_to(home.parent)
    spec = replace(spec_of(home), cwd=str(tmp_path / place / "engine"))
    rules = f"--rules={tmp_path / place}/engine/rules.txt"
    command, setup = (sys.executable, "engine.py", rules), ((sys.executable, "build.py", rules),)
    for other in (replace(spec, command=command), replace(spec, setup=setup), replace(spec, environment={"R": rules})):
        with pytest.raises(HarnessError, match="txt' names the repository, whose files are not those of a commit"):
            _ = commits_between(other, "HEAD~1..HEAD", tagged=False)
    beside = replace(spec, environment={"R": f"{tmp_path / place}-rules"})
    assert len(commits_between(beside, "HEAD~1..HEAD", tagged=False)) == 2
    _ = git(home, "config", "core.worktree", str(tmp_path / "homes"))
    (tmp_path / "homes").mkdir()
    with pytest.raises(HarnessError, match="which is not in the repository"):
        _ = commits_between(spec, "HEAD~1..HEAD", tagged=False)


def test_no_message_of_a_commit_and_no_name_of_a_tag_makes_commits_up(make_repository):
    home = make_repository()
    forged = "fix\u2028--upload-pack=x forged\x0b\x85" + "0" * 40 + " forged"
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    _ = git(home, *identity, "commit", "--quiet", "--allow-empty", "--message", forged)
    _ = git(home, "tag", "v\u2028" + "0" * 40)
    _ = git(home, "config", "log.showSignature", "true")
    _, last = commits_between(spec_of(home), "HEAD~1..HEAD", tagged=False)
    assert last.sha == git(home, "rev-parse", "HEAD").strip()
    assert last.title.startswith("fix")
    assert last.title.isprintable()
    assert len(last.tags) == 1


def test_commits_that_cannot_be_set_up_are_passed_over(make_repository):
    home = make_repository(broken=(10, 21, 22, 30))
    found = history(commits_between(spec_of(home), "HEAD~39..HEAD", tagged=False)).bisect(CASES[0])
    assert [suspect.title for suspect in found.suspects] == ["Change 21", "Change 22", "Change 23"]
    assert (found.before.verdict, found.after.verdict) == ("passed", "failed")


def test_a_case_that_did_not_change_is_told(make_repository):
    home = make_repository()
    commits = commits_between(spec_of(home), "HEAD~3..HEAD", tagged=False)
    with pytest.raises(HistoryError, match="6.A.1 is failed with the same answer in .* and v40"):
        _ = history(commits).bisect(CASES[0])
    with pytest.raises(HistoryError, match="name two versions or commits at least"):
        _ = history(commits[:1]).bisect(CASES[0])


def test_stored_runs_are_not_asked_again(make_repository, tmp_path):
    home = make_repository()
    store = tmp_path / "runs"
    arguments = ("--commits", "HEAD~2..HEAD", "--select", "6.A.1", "--store", str(store))
    first = call(home, *arguments)
    assert (tmp_path / "builds").read_text().split() == ["built"] * 3
    (next(iter(store.glob("v40-*.json")))).write_text("{", encoding="utf-8")
    again = call(home, *arguments)
    assert (tmp_path / "builds").read_text().split() == ["built"] * 4
    assert first.stdout == again.stdout
    _ = call(home, *arguments, "--choice", "4.A.1=any-route")
    assert (tmp_path / "builds").read_text().split() == ["built"] * 7


def test_interrupted_it_says_what_was_found_and_goes_on(make_repository, tmp_path):
    home = make_repository()
    arguments = ["--commits", "HEAD~2..HEAD", "--select", "6.A.1", "--store", str(tmp_path / "runs")]
    fifo = tmp_path / "builds"
    os.mkfifo(fifo)  # A set-up waits here until it is read.
    process = subprocess.Popen([COMMAND, "history", *arguments], cwd=home, stderr=subprocess.PIPE, text=True)
    for _ in range(2):
        assert fifo.read_text(encoding="utf-8") == "built "
    assert process.stderr
    while "3 of 3" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Interrupted after 2 of 3: the same command goes on" in said
    assert len(git(home, "worktree", "list").splitlines()) == 1
    fifo.unlink()
    done = call(home, *arguments)
    assert done.returncode == 0
    assert fifo.read_text(encoding="utf-8") == "built "


def test_a_checkout_that_was_interrupted_leaves_nothing_in_the_repository(make_repository):
    home = make_repository()
    (commit,) = commits_between(spec_of(home), "HEAD..HEAD", tagged=False)
    with commit.ready(Manner(60)) as spec:
        Path(spec.cwd or "").with_name(".git").unlink()  # Git writes it late.
    assert len(git(home, "worktree", "list").splitlines()) == 1


@pytest.mark.attack
def test_a_filter_that_hangs_in_a_checkout_ends_with_the_command(make_repository, tmp_path):
    home = make_repository()
    fifo, repository = tmp_path / "fifo", home.parent
    os.mkfifo(fifo)
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "attributes").write_text("* filter=slow\n", encoding="utf-8")
    _ = git(repository, "config", "filter.slow.smudge", f"exec >'{fifo}'; sleep 120")
    process = subprocess.Popen([COMMAND, "history", "--commits", "HEAD~1..HEAD"], cwd=home, stderr=subprocess.PIPE)
    with fifo.open("rb") as pipe:  # Waits until the filter runs.
        process.send_signal(signal.SIGTERM)
        _ = process.communicate(timeout=60)
        assert select.select([pipe], [], [], 60)[0], "the filter goes on"
        assert pipe.read() == b""
    assert process.returncode == 143
    assert len(git(home, "worktree", "list").splitlines()) == 1


def test_where_the_last_commit_cannot_be_set_up_or_asked_the_bisection_exits_3(make_repository):
    home = make_repository(broken=(40,))
    done = call(home, "--commits", "HEAD~2..HEAD", "--bisect", "6.A.1")
    assert (done.returncode, done.stdout) == (3, "")
    assert "no compiler for this" in done.stderr
    assert call(home, "--commits", "HEAD~2..HEAD~1", "--bisect", "6.A.1").returncode == 2  # It did not change.
    config = home / "datc.toml"
    _ = config.write_text(config.read_text().replace("./engine.py", "/nowhere"), encoding="utf-8")
    done = call(home, "--commits", "HEAD~2..HEAD~1", "--bisect", "6.A.1")
    assert (done.returncode, done.stdout) == (3, "")
    assert "was not asked 6.A.1: " in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mine"], "name either --versions V,… or --commits A..B"),
        (["mine", "--versions", "1", "--commits", "A..B"], "name either --versions"),
        (["pydip", "--versions", "0.1.8", "--tags"], "--tags chooses from --commits A..B"),
        (["mine", "--commits", "HEAD"], "write A..B, such as v1.0..HEAD"),
        (["mine", "--commits", "HEAD..HEAD~1"], "HEAD does not come before HEAD~1"),
        (["mine", "--commits", "--all..HEAD"], "git rev-parse"),
        (["mine", "--commits", "nothing..HEAD"], "git rev-parse"),
        (["mime", "--commits", "HEAD~1.."], "has no 'mime': did you mean 'mine'?"),
        (["mine", "--versions", "1"], "there is no bridge 'mine'"),
        (["pydip", "--versions", "1,../x"], "'../x' is no version"),
        (["radip", "--versions", "all"], "the releases of radip cannot be listed by a command; name them"),
        (["mine", "--commits", "HEAD~1..", "--bisect", "6.A"], "--bisect 6.A names 12 cases: name one"),
        (["mine", "--commits", "A..", "--report", "junit:x.xml"], "only html, markdown and json can show a history"),
    ],
)
def test_what_is_wrong_with_the_command_is_told_before_anything_is_done(make_repository, arguments, message):
    home = make_repository()
    done = call(home, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())
    assert not (home.parents[1] / "builds").exists()


def test_a_folder_that_is_no_repository_is_told(tmp_path):
    with pytest.raises(HarnessError, match="not a git repository"):
        _ = commits_between(EngineSpec("mine", ("./mine",), cwd=str(tmp_path)), "A..B", tagged=False)
    with pytest.raises(HarnessError, match="is not started by a command line"):
        _ = commits_between(EngineSpec("mine", url="http://localhost"), "A..B", tagged=False)


def test_releases_are_those_named_once_each_and_the_usual_one_is_the_bridge_itself():
    found = named_releases("pydip", "0.1.7, 0.1.8,0.1.7")
    assert [release.bridge.name for release in found] == ["pydip@0.1.7", "pydip"]
    with pytest.raises(EngineSpecError, match="'' is no version"):
        _ = named_releases("pydip", "0.1.7,")


def test_a_run_is_stored_under_all_that_its_answers_follow_from(make_repository, tmp_path):
    spec = spec_of(make_repository())
    changes = ({}, {"notation": "daide"}, {"start_seconds": 3.0}, {"request_seconds": 3.0}, {"environment": {"A": "1"}})
    specs = [replace(spec, **change) for change in changes]
    assert len({commits_between(each, "HEAD..HEAD", tagged=False)[0].identity for each in specs}) == len(changes)
    (release,) = named_releases("pydip", "0.1.7")
    folder = tmp_path / "pydip"
    _ = shutil.copytree(release.bridge.folder, folder)
    (folder / "bridge.py").write_text("another bridge", encoding="utf-8")
    assert release.identity != Release(dataclasses.replace(release.bridge, folder=folder)).identity
    assert named_releases("js_diplomacy", "latest")[0].identity == ()
    assert Release(dataclasses.replace(release.bridge, source=tmp_path)).identity == ()


def test_a_release_that_is_set_up_is_asked(ready_bridge):
    bridge = ready_bridge("pydip")
    (version,) = history([Release(bridge)]).versions()
    assert version.engine is not None
    assert (version.trouble, version.engine.version, version.changes) == ("", "0.1.8", {})


class Scripted:
    """A version that is a program of the tests, or that cannot be set up."""

    def __init__(self, label, behaviour="", title="", identity=("x",)):
        self.label, self.title, self.identity = label, title, (*identity, label)
        self.behaviour = behaviour

    @contextmanager
    def ready(self, _manner):
        if not self.behaviour:
            raise SetUpError("no compiler\nhere")
        yield EngineSpec("scripted", (sys.executable, str(FAKE), self.behaviour))


FAKE = Path(__file__).parents[2] / "engines" / "fake.py"


def test_no_text_of_an_engine_or_a_repository_breaks_out_of_a_report():
    hostile = "<script>alert(1)</script>`|\x1b[31m"
    crashing = Scripted("v3", "crashes-at-start")
    versions = [Scripted(hostile, "behaves", hostile), Scripted("v2", title=hostile), crashing]
    data = HistoryData(
        harness=HarnessData(name="datc-check", version="1"),
        engine=hostile,
        ruleset=RulesetData(name="datc-3.2", choices={}),
        cases=len(CASES),
        versions=[*history(versions).versions()],
    )
    page = render_html(data).decode()
    assert "<script>alert" not in page
    assert "\x1b" not in page
    assert page.count("<rect") >= 1
    assert "could not be set up" in page
    assert "It was not asked to the end" in page
    table = render_markdown(data).decode().splitlines()
    assert [line.count(" | ") for line in table[2:]] == [5, 5, 5]
    assert "\x1b" not in "".join(table)
