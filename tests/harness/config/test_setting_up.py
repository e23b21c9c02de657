"""Setting engines up: what is run, what is said where it fails, and that nothing is left running."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from filelock import FileLock

from datc.adapters import EngineSpecError
from datc.adapters.bridges import Bridge, BridgeTable, find_bridge, labelled
from datc.harness.config.setting_up import Manner, releases, run_set_up, set_up_bridge
from datc.harness.errors import MissingProgramError, SetUpError

from ..cli.running import COMMAND, call, spawn

PATIENT = Manner(60)
TOUCH = "import pathlib, sys; pathlib.Path(sys.argv[1]).touch()"
HANGS_WITH_A_CHILD = """
import os, subprocess, sys
pipe = os.open(sys.argv[1], os.O_WRONLY)
child = subprocess.Popen(["/bin/sleep", "1000"], pass_fds=[pipe])
os.close(pipe)
print("it hangs", flush=True)
child.wait()
"""


PYTHON = ("{python}", "-S", "-c")
RELEASES = "print('fake (2.10)\\nAvailable versions: 2.10, 2.0, 2.0rc1, 1.9\\n  LATEST: 2.10')"


@pytest.fixture
def make_bridge(tmp_path, monkeypatch):
    """Make a bridge whose set-up is these lines of Python, each with its arguments; or one that does nothing.

    With a label, it is to another release or a checkout. Another line of Python lists the releases.
    """
    monkeypatch.setenv("DATC_CHECK_HOME", str(tmp_path / "homes"))
    folder = tmp_path / "fake"
    folder.mkdir()
    (folder / "bridge.py").write_text("print('the bridge')", encoding="utf-8")

    def make(*lines, label=None, source=None, listing=RELEASES, **fields):
        setup = [[*PYTHON, *line] for line in lines or [["pass"]]]
        table = BridgeTable(
            engine="fake", version="1", language="Python", licence="MIT", url="", setup=setup, setup_version=setup,
            setup_source=setup, releases=[*PYTHON, listing], command=["{python}", "{bridge}/bridge.py", "{home}"],
        )  # fmt: skip
        bridge = Bridge("fake", msgspec.structs.replace(table, **fields), folder)
        return bridge if label is None else labelled(bridge, label, source)

    return make


def test_a_bridge_is_set_up_in_its_home_one_line_after_the_other_without_a_shell(make_bridge):
    said = []
    bridge = make_bridge(
        (TOUCH, "$HOME; a > b"), ("import os; os.rename('$HOME; a > b', 'two')",), (TOUCH, "{home}/{three}")
    )
    with pytest.raises(EngineSpecError, match="is not set up: datc-check engines setup fake"):
        _ = bridge.ready_command()
    set_up_bridge(bridge, dataclasses.replace(PATIENT, tell=said.append))
    assert {path.name for path in bridge.home.iterdir()} >= {"two", "{three}"}
    assert bridge.is_ready
    assert bridge.ready_command() == (sys.executable, str(bridge.folder / "bridge.py"), str(bridge.home))
    assert [line.partition(":")[0] for line in said] == ["1 of 3", "2 of 3", "3 of 3"]


def test_a_line_that_fails_ends_the_set_up_with_its_last_words(make_bridge):
    noise = "import sys\nfor n in range(1000): print('line', n, flush=True)\nsys.exit('no compiler \\x1b[31mhere')"
    bridge = make_bridge((noise,), (TOUCH, "after"))
    with pytest.raises(SetUpError) as caught:
        set_up_bridge(bridge, PATIENT)
    lines = str(caught.value).splitlines()
    assert lines[-1] == "  no compiler �[31mhere"
    assert lines[-2] == "  line 999"
    assert "failed with exit code 1" in str(caught.value)
    assert len(lines) < 30
    assert not (bridge.home / "after").exists()
    assert not bridge.is_ready


def test_what_is_shown_is_not_shown_again(capfd):
    line = [sys.executable, "-S", "-c", "import sys; print('here'); sys.exit('there')"]
    with pytest.raises(SetUpError, match="failed with exit code 1$"):
        run_set_up([line], Path(), Manner(60, show=True))
    assert capfd.readouterr() == ("here\n", "there\n")


def test_a_program_that_is_missing_is_named_before_anything_is_done(make_bridge):
    bridge = make_bridge((TOUCH, "one"), needs=[sys.executable, "no-such-compiler", "no-such-linker"])
    with pytest.raises(MissingProgramError, match="fake needs no-such-compiler and no-such-linker, not found"):
        set_up_bridge(bridge, PATIENT)
    assert not bridge.home.exists()


@pytest.mark.parametrize("command", ["/no/such/program", "nul\0", "."])
def test_a_program_that_cannot_be_started_is_named(tmp_path, command):
    with pytest.raises(SetUpError, match="cannot be started"):
        run_set_up([[command]], tmp_path, PATIENT)


def test_a_home_that_cannot_be_made_is_named(make_bridge, tmp_path):
    (tmp_path / "homes").write_text("a file", encoding="utf-8")
    with pytest.raises(SetUpError, match="cannot be made or written to"):
        set_up_bridge(make_bridge(), PATIENT)


def test_two_at_once_are_one_set_up(make_bridge):
    """The second waits for the first, which another process is, and finds its work done."""
    bridge = make_bridge(("import pathlib; pathlib.Path('times').open('a').write('once ')",))
    bridge.home.mkdir(parents=True)
    other = FileLock(bridge.home / "set-up.lock", is_singleton=False)
    said = []

    def hear(text):
        said.append(text)
        if "waiting" in text:
            other.release()

    with other:
        with pytest.raises(SetUpError, match="still setting it up"):
            set_up_bridge(bridge, Manner(0.01, tell=said.append))
        set_up_bridge(bridge, dataclasses.replace(PATIENT, tell=hear))
    assert [text.partition(":")[0] for text in said] == ["it is being set up already"] * 2 + ["1 of 1"]
    with other:
        set_up_bridge(bridge, dataclasses.replace(PATIENT, tell=hear))
    assert (bridge.home / "times").read_text() == "once "


def test_a_set_up_that_fails_or_is_interrupted_later_leaves_it_not_ready(make_bridge):
    def interrupt(text):
        if text.startswith("2 of 2"):
            raise KeyboardInterrupt

    bridge = make_bridge((TOUCH, "one"), (TOUCH, "two"))
    set_up_bridge(bridge, PATIENT)
    with pytest.raises(KeyboardInterrupt):
        set_up_bridge(bridge, dataclasses.replace(PATIENT, tell=interrupt))
    assert not bridge.is_ready
    set_up_bridge(bridge, PATIENT)
    with pytest.raises(SetUpError, match="exit code 7"):
        set_up_bridge(make_bridge(("raise SystemExit(7)",)), PATIENT)
    assert not bridge.is_ready


def test_what_takes_too_long_is_ended_with_all_that_it_started(make_bridge, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with os.fdopen(os.open(fifo, os.O_RDONLY | os.O_NONBLOCK), "rb") as pipe:
        with pytest.raises(SetUpError, match="the time for the set-up is over") as caught:
            set_up_bridge(make_bridge((HANGS_WITH_A_CHILD, str(fifo))), Manner(3))
        assert str(caught.value).endswith("it hangs")
        os.set_blocking(pipe.fileno(), True)
        assert pipe.read() == b""  # Its other end is closed in every process.


def test_a_bridge_that_changed_is_not_ready(make_bridge):
    bridge = make_bridge()
    set_up_bridge(bridge, PATIENT)
    for name in ("README.md", "expected.toml", "__pycache__/bridge.cpython-311.pyc", "target/release/bridge"):
        (bridge.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (bridge.folder / name).write_text("of no matter", encoding="utf-8")
        assert bridge.is_ready, name
    assert not make_bridge(version="2").is_ready
    for name in ("src/more.py", "requirements.txt", "package-lock.json"):
        (bridge.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (bridge.folder / name).write_text("more", encoding="utf-8")
        assert not bridge.is_ready, name
        (bridge.folder / name).unlink()
        assert bridge.is_ready
    (bridge.folder / "bridge.py").write_text("print('another bridge')", encoding="utf-8")
    assert not bridge.is_ready


def test_another_release_is_set_up_beside_the_usual_one(make_bridge):
    bridge = make_bridge((TOUCH, "of {version}"), label="2.0")
    set_up_bridge(bridge, PATIENT)
    assert bridge.home.name == "fake@2.0"
    assert (bridge.home / "of 2.0").exists()
    assert bridge.is_ready
    assert not make_bridge(label="1").is_ready
    assert make_bridge(label="1").name == "fake"


def test_the_only_release_is_told(make_bridge):
    for without, told in (({}, "for 1, or a checkout of it with --source DIR"), ({"setup_source": []}, "for 1")):
        with pytest.raises(SetUpError, match=f"^the bridge to fake can only be set up {told}$"):
            set_up_bridge(make_bridge(label="2.0", setup_version=[], **without), PATIENT)


def test_of_an_engine_in_no_registry_a_checkout_is_set_up(make_bridge, tmp_path):
    bridge = make_bridge((TOUCH, "{home}/made"), setup=[], setup_version=[])
    in_none = r"^fake is in no registry: take a checkout from .+ name it with --source DIR$"
    with pytest.raises(SetUpError, match=in_none):
        set_up_bridge(bridge, PATIENT)
    assert bridge.set_up_line == "datc-check engines setup fake --source DIR"
    (tmp_path / "checkout").mkdir()
    bridge = dataclasses.replace(bridge, source=tmp_path / "checkout")
    set_up_bridge(bridge, PATIENT)
    assert bridge.is_ready
    assert bridge.set_up_line == f"datc-check engines setup fake --source {tmp_path / 'checkout'}"


def test_what_the_registry_does_not_have_is_told_with_what_it_has(make_bridge):
    fails = ("raise SystemExit(7)",)
    with pytest.raises(SetUpError, match=r"exit code 7\nfake has no release 3\.0, but 1\.9, 2\.0rc1, 2\.0, 2\.10$"):
        set_up_bridge(make_bridge(fails, label="3.0"), PATIENT)
    unlisted = make_bridge(fails, label="3.0", listing="raise SystemExit(1)")
    for bridge in (make_bridge(fails, label="2.0"), unlisted):
        with pytest.raises(SetUpError, match=r"exit code 7\nthe bridge was written for fake 1, and another release"):
            set_up_bridge(bridge, PATIENT)


@pytest.mark.parametrize(
    ("listing", "found"),
    [
        ("fake (2.0)\nAvailable versions: 2, 1.0.post1, 1.0, 1.0rc1, 1.0b\n", "1.0b 1.0rc1 1.0 1.0.post1 2"),
        ('["1.0.0-rc.1", "1.0.0", "0.9.9", "20240101.0.0+x"]', "1.0.0-rc.1 1.0.0 0.9.9 20240101.0.0+x"),
        ('"1.0.0"', "1.0.0"),
        ('["-e", "1.0 x", "../1", "1.0\\u001b[31m", "1.0"]', "1.0"),
        ("example.org/fake v0.9.0 v1.0.0-rc.1 v1.0.0\n", "0.9.0 1.0.0-rc.1 1.0.0"),
    ],
)
def test_the_releases_are_in_the_order_of_the_registry(make_bridge, listing, found):
    assert releases(make_bridge(listing=f"print({listing!r})")) == found.split()


@pytest.mark.parametrize("listing", ["", "no 1.0 here", "{}", "[1]", "[" * 100_000, "Available versions: ", "a.b/c\n"])
def test_a_registry_that_lists_nothing_is_told(make_bridge, listing):
    (make_bridge().folder / "listing").write_text(listing, encoding="utf-8")
    with pytest.raises(SetUpError, match="the registry names no releases of fake; name them"):
        _ = releases(make_bridge(listing="print(open('{bridge}/listing').read())"))


@pytest.mark.parametrize("label", ["", "-e", ".", "..", "a/b", "1 2", "1\n", "1;2", "$HOME", "a" * 65, "é"])
def test_a_label_that_could_be_an_option_or_a_path_is_refused(make_bridge, label):
    with pytest.raises(EngineSpecError, match="is no version: write letters, digits"):
        _ = make_bridge(label=label)


SOURCES = ("pyproject.toml", "src/target/rules.py", "lib/build/rules.py", "dist/rules.js")


@pytest.fixture
def checkout(tmp_path):
    """Make a folder of sources with what belongs to no sources in it."""
    folder = tmp_path / "checkout"
    no_sources = ".git/HEAD node_modules/x.js build/old.py src/__pycache__/x.pyc target/CACHEDIR.TAG v/pyvenv.cfg"
    for name in (*SOURCES, *no_sources.split()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("a file", encoding="utf-8")
    (folder / "dangling").symlink_to("nowhere")
    return folder


def test_a_checkout_is_copied_without_what_is_built_and_stays_as_it_is(make_bridge, checkout):
    def tree(folder):
        return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}

    os.utime(checkout / "pyproject.toml", (0, 0))
    (checkout / "dist" / "rules.js").chmod(0o755)
    before = tree(checkout)
    alter = "import pathlib, sys; (pathlib.Path(sys.argv[1]) / 'built').touch()"
    bridge = make_bridge((alter, "{source}"), label="mine", source=checkout)
    set_up_bridge(bridge, PATIENT)
    assert tree(checkout) == before
    assert tree(bridge.copy) == {*SOURCES, "dangling", "built"}
    assert (bridge.copy / "pyproject.toml").stat().st_mtime > 0  # Cargo builds again what is newer than its build.
    assert os.access(bridge.copy / "dist" / "rules.js", os.X_OK)
    assert make_bridge(label="mine").source == checkout
    (checkout / "pyproject.toml").unlink()
    set_up_bridge(bridge, PATIENT)
    assert "pyproject.toml" not in tree(bridge.copy)


def test_what_is_private_in_a_checkout_is_not_copied(make_bridge, checkout):
    (checkout / "config.toml").write_text("token", encoding="utf-8")
    (checkout / "src" / "config.toml").write_text("a source", encoding="utf-8")
    bridge = make_bridge(label="mine", source=checkout, private=["config.toml"])
    set_up_bridge(bridge, PATIENT)
    assert [*bridge.copy.rglob("config.toml")] == [bridge.copy / "src" / "config.toml"]
    tokens = find_bridge("diplomacygm").table
    assert "config.toml" in tokens.private
    assert ["touch", "{home}/engine/config.toml"] in tokens.setup_source


def test_a_checkout_that_holds_the_homes_is_copied_without_them(make_bridge, tmp_path):
    bridge = make_bridge(label="mine", source=tmp_path)
    set_up_bridge(bridge, PATIENT)
    assert (bridge.copy / "fake" / "bridge.py").exists()
    assert not (bridge.copy / "homes").exists()


def test_a_checkout_that_cannot_be_copied_is_named(make_bridge, tmp_path, checkout):
    with pytest.raises(SetUpError, match="there is no folder"):
        set_up_bridge(make_bridge(label="mine", source=tmp_path / "none"), PATIENT)
    os.mkfifo(checkout / "pipe")
    with pytest.raises(SetUpError, match="cannot be copied: .*named pipe"):
        set_up_bridge(make_bridge(label="mine", source=checkout), PATIENT)


@pytest.mark.attack
def test_a_checkout_with_endless_folders_in_folders_is_named(make_bridge, tmp_path, checkout):
    deep = str(checkout)
    for _ in range(sys.getrecursionlimit()):
        deep += "/d"
        os.mkdir(deep)  # noqa: PTH102 - each path of pathlib would hold a thousand parts
    for _ in range(2):  # The second time, there is what was copied before.
        with pytest.raises(SetUpError, match="cannot be copied: maximum recursion depth"):
            set_up_bridge(make_bridge(label="mine", source=checkout), PATIENT)
    _ = subprocess.run(["rm", "-rf", *map(str, tmp_path.iterdir())], check=True)  # Nor could pytest remove it.


@pytest.mark.parametrize("label", ["1", "2.0"])
def test_a_checkout_cannot_take_the_name_of_a_release(make_bridge, checkout, label):
    with pytest.raises(EngineSpecError, match=f"is the name of a release: .* --version my-{label}"):
        _ = make_bridge(label=label, source=checkout)


class TestTheCommand:
    """`datc-check engines list` and `setup`."""

    def call(self, *arguments, cwd, **environment):
        return call("engines", *arguments, cwd=cwd, **{"DATC_CHECK_HOME": str(cwd / "homes"), **environment})

    def config(self, folder, text):
        setup = json.dumps([[sys.executable, "-S", "-c", text]])
        mine = f'[engine.mine]\ncommand = ["./mine"]\nsetup = {setup}\nenvironment.LEVEL = "nine"\n'
        engines = f'{mine}[engine.bare]\ncommand = ["./bare"]\n'
        (folder / "datc.toml").write_text(engines, encoding="utf-8")

    def test_it_lists_bridges_and_engines(self, tmp_path):
        self.config(tmp_path, "pass")
        listed = self.call(cwd=tmp_path)
        assert listed.returncode == 0
        assert all(len(line) <= 80 for line in listed.stdout.splitlines() if "/" not in line)
        assert "\nradip           radip                  0.1.0    Rust        AGPL-3.0-only  no\n" in listed.stdout
        rows = f"  mine  {tmp_path / 'mine'}\n  bare  {tmp_path / 'bare'}\n"
        assert listed.stdout.endswith(f"\nEngines of datc.toml\n{rows}")
        data = json.loads(self.call("list", "--json", cwd=tmp_path).stdout)
        assert [engine["name"] for engine in data["engines"]] == ["mine", "bare"]
        bridge = data["bridges"][0]
        assert (bridge["name"], bridge["ready"]) == ("diplomacy_pypi", False)
        assert bridge["home"] == str(tmp_path / "homes" / "diplomacy_pypi")
        assert bridge["not_passing"] == {"deviated": 19, "failed": 5}

    def test_it_says_which_program_is_missing(self, tmp_path):
        listed = self.call(cwd=tmp_path, PATH="/nowhere")
        assert "radip needs cargo, not found on the PATH\n" in listed.stdout
        done = self.call("setup", "js_diplomacy", cwd=tmp_path, PATH="/nowhere")
        assert done.returncode == 2
        assert "needs node and npm, not found on the PATH" in done.stderr

    def test_an_engine_of_the_config_is_set_up_in_its_folder_and_environment_or_exits_3(self, tmp_path):
        self.config(tmp_path, "import os, pathlib; pathlib.Path(os.environ['LEVEL']).touch(); print('building')")
        done = spawn("engines", "setup", "mine", "--verbose", cwd=tmp_path)  # What it starts prints there, too.
        assert (done.returncode, done.stderr) == (0, "")
        assert "building\n" in done.stdout
        assert done.stdout.endswith("mine is set up.\n")
        assert (tmp_path / "nine").exists()
        assert "building\n" not in spawn("engines", "setup", "mine", cwd=tmp_path).stdout
        self.config(tmp_path, "import sys; sys.exit('no compiler here')")
        fails = self.call("setup", "mine", cwd=tmp_path)
        assert (fails.returncode, fails.stderr[:20]) == (3, "mine is not set up: ")
        assert fails.stderr.endswith("failed with exit code 1\n  no compiler here\n")

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["radib"], "there is no bridge 'radib': did you mean 'radip'?"),
            (["bare"], "[engine.bare] of datc.toml has no setup"),
            (["pydip", "--version", "../x"], "'../x' is no version"),
            (["pydip@0.1.7", "--version", "0.1.6"], "pydip@0.1.7 names a version already"),
            (["pydip@../x"], "'../x' is no version"),
            (["mine", "--version", "2"], "mine is an engine of datc.toml"),
        ],
    )
    def test_what_cannot_be_set_up_exits_2(self, tmp_path, arguments, message):
        self.config(tmp_path, "pass")
        done = self.call("setup", *arguments, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
        assert not (tmp_path / "homes").exists()

    def test_it_lists_each_release_and_checkout_that_is_set_up(self, tmp_path):
        for home, source in (("pydip", ""), ("pydip@0.1.7", ""), ("pydip@mine", "/my/pydip"), ("pydip@$HOME", "")):
            folder = tmp_path / "homes" / home
            folder.mkdir(parents=True)
            (folder / "set-up-of-version").write_text("of an older bridge", encoding="utf-8")
            if source:
                (folder / "set-up-from-folder").write_text(source, encoding="utf-8")
        listed = self.call(cwd=tmp_path).stdout.splitlines()
        rows = [line.split(maxsplit=2) for line in listed[listed.index("") + 1 :] if line.startswith("pydip@")]
        outdated = "datc-check engines setup pydip"
        assert [(row[0], row[2].split("  ")[0], row[2].split()[-1]) for row in rows] == [
            ("pydip@0.1.8", outdated, "release"),
            ("pydip@0.1.7", f"{outdated} --version 0.1.7", "release"),
            ("pydip@mine", f"{outdated} --source /my/pydip --version mine", "/my/pydip"),
        ]
        data = json.loads(self.call("list", "--json", cwd=tmp_path).stdout)
        found = {bridge["name"]: bridge["set_up"] for bridge in data["bridges"]}
        versions = [("0.1.8", None), ("0.1.7", None), ("mine", "/my/pydip")]
        assert [(each["version"], each["source"]) for each in found["pydip"]] == versions
        assert not any(each["ready"] for each in found["pydip"])
        assert found["radip"] == []

    def test_interrupted_it_ends_what_runs(self, tmp_path):
        fifo = tmp_path / "fifo"
        os.mkfifo(fifo)
        self.config(tmp_path, HANGS_WITH_A_CHILD.replace("sys.argv[1]", repr(str(fifo))))
        process = subprocess.Popen([COMMAND, "engines", "setup", "mine"], stderr=subprocess.PIPE, cwd=tmp_path)
        with fifo.open("rb") as pipe:  # Waits until the set-up runs.
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
            assert pipe.read() == b""  # Its other end is closed in every process.
        assert (process.returncode, said) == (130, b"mine is not set up: interrupted\n")

    def test_what_is_set_up_is_not_set_up_again(self, ready_bridge, tmp_path):
        bridge = ready_bridge("diplomacy_pypi")
        done = self.call("setup", bridge.name, cwd=tmp_path, DATC_CHECK_HOME=str(bridge.home.parent))
        assert done.stdout == "diplomacy_pypi is set up already: datc-check run diplomacy_pypi\n"
        assert done.returncode == 0
