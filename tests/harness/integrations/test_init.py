"""The skeletons of `datc-check init`: each runs as it is written, and as an author fills it in."""

import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from datc.harness.config.config import read_config

from ...programs import run
from ..cli import running
from ..cli.running import invoke

SKELETONS = Path(__file__).parents[3] / "harness" / "integrations" / "skeletons"
USUAL_PLACES = (Path(sys.executable).parent, Path("/usr/local/go/bin"), Path.home() / ".cargo" / "bin")
PATH = os.pathsep.join((os.environ["PATH"], *map(str, USUAL_PLACES)))
ENVIRONMENT = {**os.environ, "PATH": PATH, "COLUMNS": "80", "NO_COLOR": "1"}
CANNOT_BE_FETCHED = re.compile(r"(?i)could not (resolve|transfer|connect)|failed to (get|download)|unknown host")
NO_HEADER = re.compile(r"nlohmann/json\.hpp('|: No such) file")
"""What GCC and Clang say where the header that the skeleton in C++ needs is not installed."""

PROGRAMS = {
    "python": ("datc_bridge.py", "python3"),
    "node": ("datc_bridge.mjs", "node"),
    "go": ("datc_bridge/main.go", "go"),
    "rust": ("datc_bridge/src/main.rs", "cargo", "cc"),
    "java": ("datc_bridge/src/main/java/DatcBridge.java", "java", "mvn"),
    "cpp": ("datc_bridge/main.cpp", "c++"),
    "php": ("datc_bridge.php", "php"),
    "ruby": ("datc_bridge.rb", "ruby"),
}
"""The program of each skeleton, and the tools that it needs."""
FAULTS = {
    "python": 'print("noise")\n    if params["phase"] == "retreat":\n        raise ValueError("on fire")',
    "node": 'console.log("noise"); if (params.phase === "retreat") throw new Error("on fire");',
    "go": 'fmt.Println("noise"); if params.Phase == "retreat" { panic("on fire") }',
    "rust": 'println!("noise"); if phase == "retreat" { panic!("on fire"); }',
    "java": 'System.out.println("noise"); if (params.phase().equals("retreat")) throw new RuntimeException("on fire");',
    "cpp": 'std::cout << "noise"; std::printf("noise\\n"); if (std::system("echo noise") != 0) return {};'
    ' if (phase == "retreat") throw std::runtime_error("on fire");',
    "php": 'echo "noise"; printf("noise"); system("echo noise");'
    ' if ($phase === "retreat") throw new RuntimeException("on fire");',
    "ruby": 'puts "noise"; STDOUT.puts "noise"; system "echo noise"; raise "on fire" if params["phase"] == "retreat"',
}
"""What an engine can do wrong, as the author's code in `adjudicate`: print, and fail in a retreat phase."""


def call(*command, cwd, **options):
    return run(command, cwd=cwd, env=ENVIRONMENT, **options)


def datc_check(*words, cwd):
    """Run the command in this process; the engine is found where the tools are."""
    return running.call(*words, cwd=cwd, PATH=PATH)


def is_here(tool: str) -> bool:
    return shutil.which(tool, path=PATH) is not None


def write(kind, folder):
    done = datc_check("init", kind, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def set_up(folder):
    """Build what was written, with the commands of its `datc.toml`."""
    config, _ = read_config(folder / "datc.toml")
    for command in config.engine["mine"].setup:
        done = call(*command, cwd=folder)
        output = done.stdout + done.stderr
        if NO_HEADER.search(output):
            pytest.skip("the header nlohmann/json.hpp is not here: apt install nlohmann-json3-dev")
        if done.returncode and CANNOT_BE_FETCHED.search(output):
            pytest.skip(f"{command[0]} lacks what the skeleton needs: {output[-500:]}")
        assert done.returncode == 0, output
        assert "unused" not in output


def ask(folder, *messages):
    """Send lines to the engine of a `datc.toml`, and read the answers; `\\udcff` stands for a byte that is no text."""
    config, _ = read_config(folder / "datc.toml")
    lines = [message if isinstance(message, str) else json.dumps(message) for message in messages]
    command = config.engines(folder)["mine"].command or ()
    done = call(*command, cwd=folder, input="\n".join(lines) + "\n", errors="surrogateescape")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def request(number, method, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def verdicts(folder, *options):
    """Run section 6.A as the config says: how many cases got which verdict."""
    done = datc_check("run", "--select=6.A", "--report=json:-", *options, cwd=folder)
    assert done.returncode == 1, done.stderr
    return {verdict: count for verdict, count in json.loads(done.stdout)["summary"].items() if count}


@pytest.fixture(scope="module", params=PROGRAMS)
def kind(request):
    for tool in PROGRAMS[request.param][1:]:
        if not is_here(tool):
            pytest.skip(f"{tool} is not here")
    return request.param


@pytest.fixture(scope="module")
def built(kind, tmp_path_factory):
    """A folder with a skeleton, ready to run."""
    folder = tmp_path_factory.mktemp(kind)
    _ = write(kind, folder)
    set_up(folder)
    return folder


def test_it_runs_at_once_and_answers_unsupported(built):
    assert verdicts(built) == {"unsupported": 12}


@pytest.mark.parametrize(
    ("kind", "setup", "command", "said"),
    [
        ("python", None, "python datc_bridge.py", "datc-check run --select 6.A"),
        ("http", None, None, "python datc_server.py "),
        ("go", "go build -C datc_bridge -o datc_bridge.exe .", "datc_bridge/datc_bridge.exe", "engines setup mine"),
        (
            "cpp",
            "datc_bridge/datc_bridge.exe datc_bridge/main.cpp",
            "datc_bridge/datc_bridge.exe",
            "engines setup mine",
        ),
        ("rust", "datc_bridge/Cargo.toml", "datc_bridge/target/release/datc-bridge.exe", "engines setup mine"),
    ],
)
def test_on_windows_it_names_the_programs_as_they_are_called_there(tmp_path, monkeypatch, kind, setup, command, said):
    with monkeypatch.context() as patched:
        patched.setattr(sys, "platform", "win32")
        done = invoke("init", kind, tmp_path)
    assert done.exit_code == 0
    assert said in done.output
    engine = read_config(tmp_path / "datc.toml")[0].engine["mine"]
    assert " ".join(engine.command or []) == (command or "")
    assert " ".join(engine.setup[0] if engine.setup else []).endswith(setup or "")
    assert not [file for file in tmp_path.iterdir() if file.is_file() and "python3 " in file.read_text("utf-8")]


def test_it_answers_whatever_comes(built):
    answers = ask(
        built,
        '{"jsonrpc": "2.0", "id": 1, "method"',
        "\udcff",
        "[]",
        '{"jsonrpc": "2.0", "id": 4}',
        "",
        request("five", "fly"),
        request(6, "adjudicate"),
        '{"id": 1, "method": "\udcff"}',
        request(7, "initialize", protocol=1),
    )
    codes = [answer.get("error", {}).get("code") for answer in answers]
    assert codes[:5] == [-32700, -32700, -32600, -32600, -32601]
    assert codes[5] in (-32004, -32603)
    assert codes[6] is not None
    assert [answers[number]["id"] for number in (4, 5, -1)] == ["five", 6, 7]
    assert all(answer["jsonrpc"] == "2.0" and ("result" in answer) != ("error" in answer) for answer in answers)
    assert answers[-1]["result"]["protocol"] == 1


def test_filled_in_it_is_judged_and_survives_its_engine(kind, built, tmp_path):
    """The example in its comments, that all units hold, in the place of the error behind it."""
    folder = shutil.copytree(built, tmp_path / "engine")
    program = folder / PROGRAMS[kind][0]
    example = re.compile(r"^( +|\t)(?://|#) (return .*)\n.*-32004.*\n", re.MULTILINE)
    filled, count = example.subn(
        lambda found: f"{found[1]}{FAULTS[kind]}\n{found[1]}{found[2]}\n", program.read_text("utf-8")
    )
    assert count == 1
    _ = program.write_text(filled, encoding="utf-8")
    set_up(folder)
    assert verdicts(folder, "--jobs=4", "--no-experiments") == {"passed": 10, "failed": 2}
    retreat = request(1, "adjudicate", phase="retreat", units=[], dislodged=[], orders=[], centers={})
    first, second = ask(folder, retreat, request(2, "initialize", protocol=1))
    assert first["error"]["code"] == -32603
    assert "on fire" in first["error"]["message"]
    assert "result" in second


@pytest.mark.parametrize(
    ("tool", "arguments", "files"),
    [
        ("gofmt", ["-l"], "*.go"),
        ("rustfmt", ["--check", "--edition=2021"], "*.rs"),
        ("node", ["--check"], "*.mjs"),
        ("php", ["-l"], "*.php"),
        ("ruby", ["-wc"], "*.rb"),
        ("ruff", ["format", "--check"], "*.py"),
    ],
)
def test_it_is_formatted_as_its_language_is(tool, arguments, files):
    if not is_here(tool):
        pytest.skip(f"{tool} is not here")
    programs = [str(file) for file in sorted(SKELETONS.rglob(files))]
    assert programs
    done = call(tool, *arguments, *programs, cwd=SKELETONS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "" or tool in ("ruff", "php", "ruby")


@pytest.fixture
def server(tmp_path):
    """The HTTP skeleton, running: the port that it answers at."""
    _ = write("http", tmp_path)
    words = [sys.executable, "datc_server.py", "0"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline().strip().rstrip("/").rpartition(":")[2])
        process.terminate()


def post(connection, message):
    connection.request("POST", "/", message if isinstance(message, bytes) else json.dumps(message))
    response = connection.getresponse()
    assert (response.status, response.getheader("Content-Type")) == (200, "application/json")
    return json.loads(response.read())


def test_the_server_answers_on_one_connection_without_waiting(server):
    connection = http.client.HTTPConnection("127.0.0.1", server, timeout=60)
    assert post(connection, request(0, "initialize", protocol=1))["result"]["protocol"] == 1
    own_port = connection.sock.getsockname()[1]
    taken = []
    for number in range(100):
        asked = request(number, "adjudicate", phase="movement", units=[], orders=[])
        began = time.perf_counter()
        assert post(connection, asked)["error"]["code"] == -32004
        taken.append(time.perf_counter() - began)
    assert min(taken) < 0.04, "each one is held back for 40 ms"
    assert post(connection, b"nonsense")["error"]["code"] == -32700
    assert post(connection, request(1, "fly"))["error"]["code"] == -32601
    assert connection.sock.getsockname()[1] == own_port
    connection.request("POST", "/", iter([b"a piece"]), {"Transfer-Encoding": "chunked"})
    assert connection.getresponse().status == 411, "it wants a length"
    connection.close()


def test_the_server_can_be_run(server, tmp_path):
    config = (tmp_path / "datc.toml").read_text(encoding="utf-8")
    _ = (tmp_path / "datc.toml").write_text(config.replace("8321", str(server)), encoding="utf-8")
    assert verdicts(tmp_path) == {"unsupported": 12}


def test_the_server_is_one_file_with_the_messages_of_the_bridge(tmp_path):
    _ = write("http", tmp_path)
    server = (tmp_path / "datc_server.py").read_text("utf-8")
    bridge = (SKELETONS / "python" / "datc_bridge.py").read_text("utf-8")
    messages = bridge.partition("    # What is asked:")[2].partition("def main")[0]
    assert messages in server
    for checks in (["format", "--check"], ["check", "--select=E,F,I"]):
        done = call("ruff", *checks, "--isolated", "--line-length=120", "datc_server.py", cwd=tmp_path)
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("kind", [*PROGRAMS, "http"])
def test_it_says_what_it_wrote_and_what_its_config_leaves_in_comments_is_right(kind, tmp_path):
    said = write(kind, tmp_path).splitlines()
    there = sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file())
    assert sorted(line.removeprefix("Wrote ") for line in said if line.startswith("Wrote ")) == there
    assert sum(line.startswith("  ") for line in said) == 2
    assert any("datc-check run --select 6.A" in line for line in said)
    text = (tmp_path / "datc.toml").read_text(encoding="utf-8")
    examples = re.sub(r"^# ((\w+|\"\S+\") = |\[)", r"\1", text, flags=re.MULTILINE)
    _ = (tmp_path / "examples.toml").write_text(examples, encoding="utf-8")
    config, _ = read_config(tmp_path / "examples.toml")
    assert (config.engine["mine"].start_timeout, config.engine["mine"].timeout) == (60, 30)
    assert (config.run.engine, config.run.ruleset, config.run.jobs) == ("mine", "1982", 4)
    assert [*config.choices, *config.deviations, *config.run.skip] == ["4.A.3", "6.B.3", "6.F.*"]
    assert datc_check("run", "builtin", "--config=examples.toml", "--select=6.A", cwd=tmp_path).returncode == 0


@pytest.mark.skipif(not is_here("go"), reason="go is not here")
def test_the_bridge_in_go_builds_in_the_folder_of_an_engine_and_can_import_it(tmp_path):
    _ = write("go", tmp_path)
    (tmp_path / "go.mod").write_text("module example.com/my-engine\n\ngo 1.21\n", encoding="utf-8")
    (tmp_path / "engine.go").write_text('package engine\n\nconst Name = "from the engine"\n', encoding="utf-8")
    module, program = tmp_path / "datc_bridge" / "go.mod", tmp_path / PROGRAMS["go"][0]
    _ = module.write_text(re.sub("(?m)^// (require|replace)", r"\1", module.read_text("utf-8")), "utf-8")
    filled = program.read_text("utf-8").replace('"runtime/debug"', '"runtime/debug"\n\tengine "example.com/my-engine"')
    _ = program.write_text(filled.replace('"name": "my-engine"', '"name": engine.Name'), encoding="utf-8")
    set_up(tmp_path)
    (answer,) = ask(tmp_path, request(1, "initialize", protocol=1))
    assert answer["result"]["engine"]["name"] == "from the engine"


def test_into_another_folder(tmp_path):
    done = datc_check("init", "go", "my tools/bridge", cwd=tmp_path)
    assert done.returncode == 0
    assert "  cd 'my tools/bridge'\n  datc-check engines setup mine " in done.stdout
    assert (tmp_path / "my tools" / "bridge" / "datc_bridge" / "main.go").is_file()


@pytest.mark.attack
def test_nothing_is_overwritten_and_a_full_disk_leaves_what_was_there_as_it_was(tmp_path):
    from ...disk import room_for  # Not on Windows, where the other tests run.

    config = tmp_path / "datc.toml"
    _ = config.write_text("mine", encoding="utf-8")
    done = datc_check("init", "python", cwd=tmp_path)
    with room_for(60):
        full = datc_check("init", "python", "--force", cwd=tmp_path)
    assert (done.returncode, full.returncode) == (2, 2)
    assert ("datc.toml" in done.stderr, "datc_bridge.py" in done.stderr) == (True, False)
    assert "cannot be written: File too large" in full.stderr
    assert [file.read_text(encoding="utf-8") for file in tmp_path.iterdir()] == ["mine"]
    assert datc_check("init", "python", "--force", cwd=tmp_path).returncode == 0
    assert "[engine.mine]" in config.read_text(encoding="utf-8")
    assert (tmp_path / "datc_bridge.py").exists()


def test_a_link_to_nowhere_is_in_the_way(tmp_path):
    (tmp_path / "datc.toml").symlink_to(tmp_path / "elsewhere")
    assert datc_check("init", "python", cwd=tmp_path).returncode == 2
    assert not (tmp_path / "elsewhere").exists()
