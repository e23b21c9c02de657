"""The build of a wheel with the engine compiled: it is compiled, or the build fails."""

import sys
import tarfile
from pathlib import Path

import pytest

from datc.reference_engine.toml import loads

from .programs import run

ROOT = Path(__file__).parents[1]
WITHOUT_COMPILER = """
import runpy, sys
sys.modules["mypyc"] = None
sys.argv = ["setup.py", *sys.argv[1:]]
print(runpy.run_path("setup.py")["compiled_modules"]())
"""


def modules_without_compiler(command):
    """Ask `setup.py` for the compiled modules, as pip does when it runs a command of setuptools."""
    pytest.importorskip("setuptools", reason="setuptools, which builds the wheel, is not installed")
    program = [sys.executable, "-c", WITHOUT_COMPILER, command]
    return run(program, cwd=ROOT)


@pytest.mark.parametrize("command", ["bdist_wheel", "editable_wheel"])
def test_a_wheel_that_should_be_compiled_is_not_built_without_the_compiler(command):
    done = modules_without_compiler(command)
    assert done.returncode == 1
    assert 'mypyc is not installed. Run: pip install "mypy[mypyc]==' in done.stderr


def test_pip_can_ask_what_to_install_before_it_installs_the_compiler():
    assert modules_without_compiler("egg_info").stdout == "[]\n"


def test_the_wheels_of_a_release_are_tested_to_be_compiled():
    wheels = loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["cibuildwheel"]
    assert wheels["environment"] == {"DATC_CHECK_COMPILE": "1"}
    assert wheels["test-command"][-1].endswith('import is_compiled; raise SystemExit(not is_compiled())"')


TWO_TIMES = """#!/usr/bin/env bash
# What `python -m build` makes: an archive whose files are dated as they were made, by somebody; and of it, a wheel.
case $3 in
--sdist) cd "$TIME" && echo content >name-1/file && tar czf "$5/name-1.tar.gz" name-1 ;;
--wheel) stat --format="%n %a %Y" "$6"/* | sed "s#$6##" >"$5/wheel" ;;
esac
"""


def test_two_source_archives_of_a_commit_are_equal_whenever_and_by_whomever_they_are_built(tmp_path):
    archives = []
    (tmp_path / "python").write_text(TWO_TIMES, "utf-8")
    (tmp_path / "python").chmod(0o755)
    for name, mode in (("1", 0o644), ("2", 0o600)):
        (tmp_path / name / "name-1").mkdir(parents=True)
        (tmp_path / name / "name-1" / "file").touch(mode=mode)
        environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "SOURCE_DATE_EPOCH": "1000000000"}
        told = {"TIME": str(tmp_path / name), "TMPDIR": str(tmp_path), "TZ": f"UTC-{name}"}
        done = run(["bash", ROOT / "ci" / "build", tmp_path / name], env=environment | told)
        assert done.returncode == 0, done.stderr
        archives.append((tmp_path / name / "name-1.tar.gz").read_bytes())
        assert (tmp_path / name / "wheel").read_text("ascii") == "/file 644 1000000000\n"
    assert archives[0] == archives[1]
    with tarfile.open(tmp_path / "1" / "name-1.tar.gz") as archive:
        assert [(one.name, one.mtime, one.mode) for one in archive.getmembers() if one.isfile()] == [
            ("name-1/file", 1000000000, 0o644)
        ]


def test_what_belongs_to_the_texts_of_others_goes_with_every_wheel():
    project = loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["license-files"] == ["LICENSE", "NOTICE"]
    assert project["authors"] == [{"name": "The datc-check authors"}]
    notice = (ROOT / "NOTICE").read_text("utf-8")
    for file in (ROOT / "cases").glob("*/suite.toml"):
        suite = loads(file.read_text("utf-8"))
        assert suite.get("url", "") in notice
        assert f"cases/{file.parent.name}" in notice or file.parent.name in {"extended", "field"}


@pytest.mark.parametrize("lock", ["wheels", "action"])
def test_what_compiles_and_tests_a_wheel_is_locked(lock):
    wheels = loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["cibuildwheel"]
    install = wheels["before-build" if lock == "wheels" else "before-test"]
    assert install.endswith(
        f"pip install --require-hashes --only-binary :all: -r {{project}}/ci/requirements/{lock}.txt"
    )
    assert wheels["build-frontend"]["args"] == ["--no-isolation"]
