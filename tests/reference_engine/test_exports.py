"""What a package exports is what its `__all__` says, and nothing else."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest

FOR_CHECKERS = {"TYPE_CHECKING", "annotations"}
"""What a package has whose names are imported when they are used, for those who check types."""
PACKAGES = ("datc.reference_engine", "datc.cases", "datc.adapters", "datc.reports")


@pytest.mark.parametrize("package", PACKAGES)
def test_all_exports_are_listed(package: str) -> None:
    module = importlib.import_module(package)
    named = {name for name in dir(module) if not name.startswith("_")} - FOR_CHECKERS
    public = {name for name in named if not isinstance(getattr(module, name), ModuleType)}
    assert public == set(module.__all__)


@pytest.mark.parametrize("package", PACKAGES)
def test_exports_are_sorted_and_unique(package: str) -> None:
    listed: list[str] = importlib.import_module(package).__all__
    assert len(set(listed)) == len(listed)
    # Constants, classes, functions: as ruff sorts them.
    assert listed == sorted(listed, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
