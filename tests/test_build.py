"""The build of a wheel with the engine compiled: it is compiled, or the build fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from datc.cases import loading, suite_names
from datc.reference_engine.toml import loads

ROOT = Path(__file__).parents[1]
WITHOUT_COMPILER = """
import runpy, sys
sys.modules["mypyc"] = None
sys.argv = ["setup.py", *sys.argv[1:]]
print(runpy.run_path("setup.py")["compiled_modules"]())
"""

BUILD = """
import runpy, sys
from setuptools import Distribution
build = runpy.run_path("setup.py")["BuildWithSuites"](Distribution())
build.build_lib = sys.argv[1]
build.ensure_finalized()
build.run()
"""


def modules_without_compiler(command):
    """Ask `setup.py` for the compiled modules, as pip does when it runs a command of setuptools."""
    pytest.importorskip("setuptools", reason="setuptools, which builds the wheel, is not installed")
    program = [sys.executable, "-c", WITHOUT_COMPILER, command]
    return subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", ["bdist_wheel", "editable_wheel"])
def test_a_wheel_that_should_be_compiled_is_not_built_without_the_compiler(command):
    done = modules_without_compiler(command)
    assert done.returncode == 1
    assert 'mypyc is not installed. Run: pip install "mypy[mypyc]==' in done.stderr


def test_pip_can_ask_what_to_install_before_it_installs_the_compiler():
    assert modules_without_compiler("egg_info").stdout == "[]\n"


def test_the_build_stores_suites_that_the_package_takes(tmp_path, monkeypatch):
    pytest.importorskip("setuptools", reason="setuptools, which builds the wheel, is not installed")
    program = "import pathlib, runpy, sys; runpy.run_path('setup.py')['store_suites'](pathlib.Path(sys.argv[1]))"
    _ = subprocess.run([sys.executable, "-c", program, str(tmp_path / "stored")], cwd=ROOT, check=True)
    monkeypatch.setattr(loading, "_STORED", tmp_path / "stored")
    assert [name for name in suite_names() if loading._stored_suite(name) is None] == []


def test_a_build_that_cannot_store_the_suites_goes_on_without(tmp_path):
    pytest.importorskip("setuptools", reason="setuptools, which builds the wheel, is not installed")
    reader = tmp_path / "reader"
    reader.mkdir()
    _ = (reader / "msgspec.py").write_text("raise ImportError('not for this Python')", "utf-8")
    library = tmp_path / "library"
    environment = {**os.environ, "PYTHONPATH": str(reader)}
    command = [sys.executable, "-c", BUILD, str(library)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "the suites are not stored, and each start reads their TOML: ImportError: not for this Python" in done.stderr
    assert not library.exists()


def test_the_wheels_of_a_release_are_tested_to_be_compiled():
    wheels = loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["cibuildwheel"]
    assert wheels["environment"] == {"DATC_CHECK_COMPILE": "1"}
    assert wheels["test-command"][-1].endswith('import is_compiled; raise SystemExit(not is_compiled())"')
