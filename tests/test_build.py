"""The build of a wheel with the engine compiled: it is compiled, or the build fails."""

import sys
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
