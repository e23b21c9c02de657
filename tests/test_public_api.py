"""The public API is what `__all__` of each floor names, and an import goes down the floors (see `pyproject.toml`)."""

import importlib
import inspect
import pkgutil
import re
import sys
from pathlib import Path

import pytest

from datc.reference_engine import DatcCheckError
from datc.reference_engine.toml import loads

from .conftest import ROOT, SLOW
from .programs import run

LISTED = Path(__file__).with_name("public_api.txt")
with pytest.MonkeyPatch.context() as patched:
    patched.syspath_prepend(ROOT / "docs" / "generate")
    from api import FLOORS, api_page, definition, public_names  # pyright: ignore[reportMissingImports] - the site's generators are no package


def test_the_public_names_are_the_listed_ones() -> None:
    public = [f"datc.{floor}.{name}" for floor in FLOORS for name in importlib.import_module(f"datc.{floor}").__all__]
    assert public == LISTED.read_text("utf-8").split(), (
        "The public API is not what tests/public_api.txt lists. Where that is meant, say it in CHANGELOG.md and write "
        "the list again: a line for each name of `__all__`, floor by floor, as in the assertion"
    )


@pytest.mark.parametrize("floor", FLOORS)
def test_no_public_name_is_that_of_a_submodule(floor: str) -> None:
    """An import of the submodule would put it in the place of what the name stands for."""
    package = importlib.import_module(f"datc.{floor}")
    inside = pkgutil.walk_packages(package.__path__, f"datc.{floor}.")
    packages = [package, *(importlib.import_module(each.name) for each in inside if each.ispkg)]
    hidden = [
        f"{each.__name__}.{module.name}"
        for each in packages
        for module in pkgutil.iter_modules(each.__path__)
        if module.name in getattr(each, "__all__", ())
    ]
    assert hidden == []


@pytest.mark.parametrize("floor", FLOORS)
def test_every_public_name_has_a_docstring(floor: str) -> None:
    names = public_names(floor)
    missing = [name for name in names if not definition(ROOT / floor / "__init__.py", name)[1]]
    assert missing == []


def test_the_page_of_the_api_has_every_public_name() -> None:
    page = api_page()
    for floor in FLOORS:
        assert all(f"{{#{floor}.{name}}}" in page for name in public_names(floor))


@pytest.mark.parametrize("floor", FLOORS)
def test_a_floor_has_its_public_names_and_no_others(floor: str) -> None:
    package = importlib.import_module(f"datc.{floor}")
    assert set(package.__all__) <= set(dir(package))
    assert all(hasattr(package, name) for name in package.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = package.nothing


def test_a_program_that_lists_the_names_of_the_harness_imports_none_of_them() -> None:
    program = (
        "import datc.harness, sys; print('compare' in dir(datc.harness), 'datc.harness.play.session' in sys.modules)"
    )
    done = run([sys.executable, "-c", program])
    assert (done.stdout, done.stderr) == ("True False\n", "")


@pytest.mark.parametrize("floor", FLOORS)
def test_every_error_of_a_floor_derives_from_the_one_root(floor: str) -> None:
    module = importlib.import_module(f"datc.{floor}.errors")
    errors = [each for _, each in inspect.getmembers(module, inspect.isclass) if issubclass(each, Exception)]
    assert errors
    assert [each for each in errors if not issubclass(each, DatcCheckError)] == []


def test_an_import_goes_down_never_up() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    done = run([command, "--no-cache", "--config", ROOT / "pyproject.toml"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 kept, 0 broken" in done.stdout


def test_the_rooms_of_the_harness_are_described_as_they_are_checked() -> None:
    tools = loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    (contract,) = [each for each in tools["importlinter"]["contracts"] if each.get("containers") == ["datc.harness"]]
    _, _, section = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## The rooms of the harness\n")
    rows = re.findall(r"^\| (`.+?`) \|", section.partition("\n## ")[0], re.MULTILINE)
    assert [re.findall(r"\w+", row) for row in rows] == [layer.split(" | ") for layer in contract["layers"]]


def test_a_format_of_reports_is_in_both_contracts() -> None:
    """That of the layers has every module. The format `github` uses that of Markdown, and `html` has two modules."""
    tools = loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    contracts = {contract["name"].partition(":")[0]: contract for contract in tools["importlinter"]["contracts"]}
    independent = {module.rpartition(".")[2] for module in contracts["A format of reports knows no other"]["modules"]}
    _, formats, *_ = contracts["In the reports"]["layers"]
    assert set(formats.split(" : ")) - independent == {"github", "html_cases"}


def test_every_file_that_is_marked_as_slow_is_there() -> None:
    assert [file for file in SLOW.split() if not (ROOT / "tests" / f"{file}.py").is_file()] == []
