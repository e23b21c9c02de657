"""What is installed is locked with hashes, what workflows use is pinned, and known vulnerabilities are asked for."""

import re
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from datc.adapters.bridges import bridge_names, find_bridge
from datc.reference_engine.installation import package_version
from datc.reference_engine.toml import loads

from .conftest import unreachable
from .programs import run

ROOT = Path(__file__).parents[1]
ENGINES = ROOT / "adapters" / "engines"
PYTHON_LOCKS = sorted([*(ROOT / "ci" / "requirements").glob("*"), *ENGINES.glob("*/*.txt")])
NPM_LOCKS = sorted([*ENGINES.glob("*/package-lock.json"), ROOT / "docs/generate/pyodide/package-lock.json"])
SIDES = ROOT / "benchmarks" / "sides"
CARGO_LOCKS = sorted([*ENGINES.glob("*/Cargo.lock"), *SIDES.glob("*/Cargo.lock")])
GO_LOCKS = sorted([*ENGINES.glob("*/go.sum"), *SIDES.glob("*/go.sum")])
WORKFLOWS = sorted(
    [ROOT / "action.yml", *(ROOT / ".github" / "workflows").iterdir(), *(ROOT / "examples").rglob("workflows/*.yml")]
)
REQUIREMENT = re.compile(r"([\w.-]+)==([\w.]+)(?: ; [^\\\n]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n")
PIP_INSTALL = ["{home}/venv/bin/python", "-m", "pip", "install"]
LOCKING = {"--require-hashes", "--only-binary", ":all:"}
NEED_NO_NETWORK = {"cp", "rm", "ln", "mkdir", "touch", "jar", "javac", "sha256sum"}
RELEASE = [".github/workflows/release.yml", ".github/workflows/audit.yml"]
MORE_RIGHTS = {
    "attest": {"id-token": "write", "attestations": "write"},
    "deploy": {"pages": "write", "id-token": "write"},
    "publish": {"id-token": "write"},
}
"""The jobs that may do more than read, each because a service has to know who it is."""


def named(file):
    return str(file.relative_to(ROOT))


def locked_in_python(file):
    """Read a lock of pip: every line belongs to a requirement that has a version and hashes, or is a comment."""
    text = re.sub(r"^ *#.*\n", "", file.read_text("utf-8"), flags=re.MULTILINE)
    found = REQUIREMENT.findall(text)
    assert REQUIREMENT.sub("", text) == ""
    names = [name for name, _, _ in found]
    assert len(set(names)) == len(names), "one version for all Pythons, so that one question asks about all"
    return {name: version for name, version, _ in found}


def locked_in_npm(file):
    packages = msgspec.json.decode(file.read_bytes())["packages"]
    del packages[""]
    assert all(package["integrity"].startswith("sha512-") for package in packages.values())
    return {name.removeprefix("node_modules/"): package["version"] for name, package in packages.items()}


def locked_in_cargo(file):
    packages = loads(file.read_text("utf-8"))["package"]
    others = [package for package in packages if not package["name"].startswith(("datc-bridge-", "datc-benchmark-"))]
    assert len(others) == len(packages) - 1
    for package in others:
        assert package["source"] == "registry+https://github.com/rust-lang/crates.io-index"
        assert re.fullmatch(r"[0-9a-f]{64}", package["checksum"])
    return {package["name"]: package["version"] for package in others}


def locked_in_go(file):
    """Read `go.sum`: each line is the hash of a module or of its `go.mod`, and a build needs both of what it uses."""
    lines = [line.split() for line in file.read_text("utf-8").splitlines()]
    assert all(re.fullmatch(r"h1:[0-9A-Za-z+/]{43}=", digest) for _, _, digest in lines)
    return {name: version.removeprefix("v") for name, version, _ in lines if not version.endswith("/go.mod")}


READERS = {"Cargo.lock": locked_in_cargo, "go.sum": locked_in_go}


def check_jars(bridge, commands):
    """What Maven downloads is compared with hashes before it is used."""
    downloads = [place for place, command in enumerate(commands) if command[0] == "mvn"]
    (compared,) = [place for place, command in enumerate(commands) if command[0] == "sha256sum"]
    assert max(downloads) < compared < [command[0] for command in commands].index("javac")
    assert commands[compared] == ["sha256sum", "--check", "--strict", "{bridge}/jars.sha256"]
    hashes = (bridge.folder / "jars.sha256").read_text("utf-8")
    artifacts = re.findall(r"-Dartifact=\S+?:(\S+?):([\d.]+)", " ".join(word for line in commands for word in line))
    assert re.findall(r"^[0-9a-f]{64}  lib/(.+)-([\d.]+)\.jar$", hashes, re.MULTILINE) == artifacts
    assert all(re.search(r":maven-dependency-plugin:[\d.]+:copy$", commands[place][3]) for place in downloads)


def test_ci_checks_with_versions_that_are_pinned():
    extras = loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    tools = re.findall(r"^[\w.-]+", "\n".join(each for extra in extras.values() for each in extra), re.MULTILINE)
    pinned = {line.partition("==")[0] for line in (ROOT / "ci" / "constraints.txt").read_text("utf-8").splitlines()}
    assert {name.lower().replace(".", "-") for name in tools} - {"datc-check"} <= pinned


@pytest.mark.parametrize("file", [*PYTHON_LOCKS, *CARGO_LOCKS, *GO_LOCKS], ids=named)
def test_a_lock_has_a_hash_of_everything(file):
    assert READERS.get(file.name, locked_in_python)(file)


@pytest.mark.parametrize("name", bridge_names())
def test_a_bridge_installs_nothing_but_what_its_lock_has(name):
    bridge = find_bridge(name)
    commands = bridge.table.setup or bridge.table.setup_source
    locked = {}
    for command in commands:
        *options, last = command
        file = bridge.folder / last.removeprefix("{bridge}/")
        if command[:4] == PIP_INSTALL:
            assert set(options[4:]) >= LOCKING
            assert options[-1] == "-r"
            if "--no-binary" in options:
                assert "--no-build-isolation" in options, "else pip fetches what builds it, without a hash"
                assert options[options.index("--no-binary") + 1] in locked_in_python(file)
            locked |= locked_in_python(file)
        elif command[0] == "npm":
            assert command[1] == "ci"
            assert "--ignore-scripts" in command
            locked |= locked_in_npm(bridge.folder / "package-lock.json")
        elif command[0] == "cargo":
            assert "--locked" in command
            locked |= locked_in_cargo(bridge.folder / "Cargo.lock")
        elif command[0] == "go":
            assert command[1:5] == ["build", "-C", "{bridge}", "-mod=readonly"], "go then takes what go.sum has"
            locked |= locked_in_go(bridge.folder / "go.sum")
        elif command[0] == "mvn":
            check_jars(bridge, commands)
        else:
            assert command[0] in NEED_NO_NETWORK or command[1:3] == ["-m", "venv"], (
                "nothing else is known to fetch nothing"
            )
    if bridge.table.setup:
        (package,) = [package for package in locked if bridge.table.url.rstrip("/").endswith(f"/{package}")]
        assert locked[package] == bridge.table.version


@pytest.mark.parametrize(
    ("error", "offline", "why"),
    [
        ("go build failed\n  dial tcp: no such host\n", False, "dial tcp: no such host"),
        ("mvn failed\n  reason phrase: 403 Forbidden\n", True, "reason phrase: 403 Forbidden"),
        ("mvn failed\n  reason phrase: 403 Forbidden\n", False, None),
        ("sha256sum: WARNING: 1 computed checksum did NOT match", True, None),
    ],
)
def test_only_a_registry_that_cannot_be_reached_skips_the_tests_of_a_bridge(error, offline, why):
    assert unreachable(error, is_offline=lambda: offline) == why


def test_a_wheel_has_all_that_a_set_up_reads():
    patterns = loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-data"]
    shipped = {file for pattern in patterns["datc.adapters"] for file in (ROOT / "adapters").glob(pattern)}
    read = {
        find_bridge(name).folder / word.removeprefix("{bridge}/")
        for name in bridge_names()
        for command in (*find_bridge(name).table.setup, *find_bridge(name).table.setup_source)
        for word in command
        if word.startswith("{bridge}/")
    }
    assert len(read) >= len(bridge_names())
    assert {ENGINES / file.parent.name / file.name for file in read} <= shipped


@pytest.mark.parametrize("file", WORKFLOWS, ids=named)
def test_what_others_wrote_is_pinned_by_its_digest(file):
    for used in re.findall(r"^\s*-? *uses: (.+)$", file.read_text("utf-8"), re.MULTILINE):
        ours = re.fullmatch(r"\./\.github/workflows/[\w-]+\.yml|OWNER/datc-check@v[\d.]+", used)
        assert ours or re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used), used


@pytest.mark.parametrize("file", sorted((ROOT / ".github" / "workflows").iterdir()), ids=named)
def test_a_workflow_may_do_no_more_than_it_must(file):
    yaml = pytest.importorskip("yaml", reason="PyYAML, which comes with the extra `docs`, is not installed")
    workflow = yaml.safe_load(file.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert job.get("permissions", {}) == MORE_RIGHTS.get(name, {})
    assert "secrets." not in file.read_text("utf-8")


@pytest.mark.parametrize("file", ["action.yml", "Containerfile", *RELEASE], ids=str)
def test_what_users_get_is_installed_from_locks(file):
    """Or without dependencies: from the sources, or the version from PyPI that the input of the action names."""
    text = (ROOT / file).read_text("utf-8").replace("\\\n", "")
    installs = re.findall(r'(?:^ *install|\bpip"? install) ((?!--quiet "\$@)[^&\n]+)', text, re.MULTILINE)
    assert installs
    for words in map(str.split, installs):
        if "--require-hashes" in words:
            assert set(words) >= LOCKING
            assert ROOT / words[words.index("-r") + 1].strip('"').replace("$SOURCES/", "") in PYTHON_LOCKS
        else:
            assert "--no-deps" in words
    for tool in re.findall(r"(?:cargo|go) install (.+)", text):
        assert re.fullmatch(r"(?:--locked )?\S+@v?\d+\.\d+\.\d+", tool), tool


def test_the_dependencies_that_the_action_locks_are_those_of_the_project():
    project = loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    locked = locked_in_python(ROOT / "ci" / "requirements" / "action.txt")
    for requirement in wanted:
        ((name, least),) = re.findall(r"^([\w-]+)>=([\d.]+)", requirement)
        assert [int(part) for part in locked[name].split(".")] >= [int(part) for part in least.split(".")]


STAND_IN = """#!/bin/sh
echo "$0 $*" >>"$TOLD"
for word in "$@"; do case "$word" in */requirements.txt) cat "$word" >>"$TOLD" ;; esac; done
[ "${0##*/}" != "$FAILING" ]
"""


LOCKING_STAND_IN = """#!/bin/sh
echo "${0##*/} ${PWD##*/sources/} $*" >>"$TOLD"
[ "${0##*/}" != go ] || touch go.sum
for word in "$@"; do case "$word" in
    -Dartifact=*" "* | -Dartifact=*"
"*) exit 1 ;;
    -DoutputDirectory=*) mkdir -p "${word#*=}" && touch "${word#*=}/library.jar" ;;
esac; done
"""


def test_every_lock_file_is_renewed_and_nothing_is_left_behind(tmp_path):
    sources, programs, work = tmp_path / "sources", tmp_path / "programs", tmp_path / "work"
    for folder in ("ci", "adapters/engines", "benchmarks/sides", "docs/generate/pyodide"):
        shutil.copytree(ROOT / folder, sources / folder, ignore=shutil.ignore_patterns("target", "node_modules"))
    programs.mkdir()
    work.mkdir()
    for name in ("uv", "npm", "cargo", "go", "mvn"):
        (programs / name).write_text(LOCKING_STAND_IN, "utf-8")
        (programs / name).chmod(0o755)
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "TOLD": str(tmp_path / "told"), "TMPDIR": str(work)}
    lock = sources / "ci" / "lock"
    done = run(["bash", lock], env=environment)
    assert done.returncode == 0, done.stderr
    told = (tmp_path / "told").read_text("utf-8")
    versions = re.findall(
        r"^uv .* --python-version (\S+) .* --output-file (\S+) .*--generate-hashes$", told, re.MULTILINE
    )
    assert sorted(file for _, file in versions) == sorted(map(named, PYTHON_LOCKS))
    assert {file for least, file in versions if least != "3.10"} == {"adapters/engines/diplomacygm/requirements.txt"}
    assert all(f"npm {named(file.parent)} install --package-lock-only" in told for file in NPM_LOCKS)
    assert all(f"--manifest-path {named(file.parent / 'Cargo.toml')}\n" in told for file in CARGO_LOCKS)
    assert all(f"go {named(file.parent)} mod tidy\n" in told for file in GO_LOCKS)
    assert (sources / "adapters/engines/jdip/jars.sha256").read_text("utf-8").endswith("  lib/library.jar\n")
    assert [*work.iterdir()] == []


@pytest.mark.parametrize("failing", ["", "pip-audit", "npm", "cargo", "govulncheck"])
def test_the_audit_asks_about_every_lock_and_fails_where_one_answer_is_missing(tmp_path, failing):
    for name in ("pip-audit", "npm", "cargo", "govulncheck"):
        (tmp_path / name).write_text(STAND_IN, "utf-8")
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "TOLD": str(tmp_path / "told"), "FAILING": failing}
    done = run(["bash", ROOT / "ci" / "audit"], env=environment)
    assert done.returncode == (1 if failing else 0), done.stdout + done.stderr
    told = (tmp_path / "told").read_text("utf-8")
    asked = re.findall(r"^== (\S+): ", done.stdout, re.MULTILINE)
    assert sorted(asked) == sorted(map(named, [*PYTHON_LOCKS, *NPM_LOCKS, *CARGO_LOCKS, *GO_LOCKS]))
    assert told.count("pip-audit --strict --disable-pip --require-hashes") == len(PYTHON_LOCKS)
    assert told.count("--offline=false --audit-level=info") == len(NPM_LOCKS)
    assert all(f"govulncheck -C {named(lock.parent)} ./...\n" in told for lock in GO_LOCKS)
    for lock in PYTHON_LOCKS:
        for name, version in locked_in_python(lock).items():
            assert f"\n{name}=={version} \\\n" in told, "asked whatever Python or system needs it"


def test_the_audit_fails_where_it_finds_no_lock(tmp_path):
    (tmp_path / "ci").mkdir()
    (tmp_path / "ci" / "audit").write_bytes((ROOT / "ci" / "audit").read_bytes())
    done = subprocess.run(["bash", tmp_path / "ci" / "audit"], capture_output=True, check=False)
    assert done.returncode != 0


def test_the_version_that_is_cited_is_that_of_the_package():
    assert f"\nversion: {package_version()}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_no_document_says_that_it_is_on_pypi_before_it_is_released():
    """The release workflow ends where the sentence is still there; the first section of the changes says what is."""
    released = "Not released yet" not in (ROOT / "CHANGELOG.md").read_text("utf-8")
    for name in ("README.md", "docs/ci.md"):
        text = (ROOT / name).read_text("utf-8")
        assert ("not on PyPI yet" in text) != released
        assert bool(re.search(r'pip install "?datc-check"?$|^`uvx datc-check', text, re.MULTILINE)) == released
    assert 'grep -n "not on PyPI yet" README.md docs/ci.md' in (ROOT / ".github/workflows/release.yml").read_text(
        "utf-8"
    )
