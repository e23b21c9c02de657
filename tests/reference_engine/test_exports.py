"""What a package exports is what its `__all__` says, and nothing else."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest

PACKAGES = ("datc.reference_engine", "datc.cases", "datc.adapters", "datc.reports")


@pytest.mark.parametrize("package", PACKAGES)
def test_all_exports_are_listed(package: str) -> None:
    module = importlib.import_module(package)
    public = {
        name for name, value in vars(module).items() if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert public == set(module.__all__)


@pytest.mark.parametrize("package", PACKAGES)
def test_exports_are_sorted_and_unique(package: str) -> None:
    listed: list[str] = importlib.import_module(package).__all__
    assert len(set(listed)) == len(listed)
    # Constants, classes, functions: as ruff sorts them.
    assert listed == sorted(listed, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
