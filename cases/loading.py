"""Suites by their names: those of the project as its build has stored them, others from their TOML.

Reading TOML takes most of the time of a short run, so the build stores each suite as it was read, beside the code. The
TOML is the only source: what is stored counts only with the digest of itself and of all that it follows from, the code
that reads it included. Without it, or with another one, the TOML is read.
"""

from __future__ import annotations

import hashlib
import io
import pickle
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, final

from ..reference_engine import Dislodged, FlyingDutchman, Phase, Position, Unit
from .errors import SuiteError, UnknownSuiteError
from .inheritance import with_ancestors
from .reading import read_suite
from .suite import Suite
from .tables import SUITE_FILE

_HERE = Path(__file__).parent
_STORED = _HERE / "stored"
_REFERENCE_ENGINE = _HERE.parent / "reference_engine"
_CODE = (_HERE, _HERE / "rulesets", _REFERENCE_ENGINE, _REFERENCE_ENGINE / "data")
"""The folders that all suites follow from, beside their own."""


@cache
def suite_names() -> tuple[str, ...]:
    """Name the suites that come with the project."""
    return tuple(sorted(file.parent.name for file in _HERE.glob(f"*/{SUITE_FILE}")))


@cache
def load_suite(name: str) -> Suite:
    """Load a suite of the project, or the author's own.

    Args:
        name: One of `suite_names()`, or a folder with a `suite.toml`.

    Raises:
        UnknownSuiteError: There is no such suite.
        SuiteError: It cannot be used; the error has all problems.
    """
    if name in suite_names():
        return _stored_suite(name) or read_suite(_HERE / name)
    if Path(name, SUITE_FILE).is_file():
        return read_suite(Path(name))
    raise UnknownSuiteError(
        f"there is no suite {name!r}: it is {' or '.join(suite_names())}, or a folder with a {SUITE_FILE}"
    )


def store_suites() -> None:
    """Store the suites of the project: the build does it, in the package that it makes. Raises `OSError`."""
    _STORED.mkdir(exist_ok=True)
    for name in suite_names():
        try:
            suite = read_suite(_HERE / name)
        except SuiteError:  # A run that asks for it tells what is wrong.
            continue
        for case in suite.cases:
            _ = case.alternatives  # They are kept with the case, and take as long to find as the case to read.
        pickled = io.BytesIO()
        _Pickler(pickled, protocol=5).dump(suite)
        folders = " ".join(with_ancestors(name))
        content = f"{folders}\n".encode() + pickled.getvalue()
        _ = _STORED.joinpath(name).write_bytes(_digest(content) + content)


def _stored_suite(name: str) -> Suite | None:
    """Return a suite of the project as it is stored; `None` where it is not, or not as its files now are."""
    try:
        stored = _STORED.joinpath(name).read_bytes()
        digest, content = stored[:_DIGEST_SIZE], stored[_DIGEST_SIZE:]
        if digest != _digest(content):
            return None
        suite: object = pickle.loads(content.partition(b"\n")[2])  # noqa: S301 - the build wrote it, as it did the code
    except Exception:  # noqa: BLE001 - whatever is wrong with it, the TOML is there
        return None
    return suite if isinstance(suite, Suite) else None


def _digest(content: bytes) -> bytes:
    """Return the digest of what is stored and of all files that it follows from, with their names.

    Raises `OSError` and `ValueError` where those cannot be found.
    """
    names = content.partition(b"\n")[0].decode().split()
    digest = hashlib.sha256(content)
    for folder in (*_CODE, *(_HERE / name for name in names)):
        for file in sorted(folder.iterdir(), key=lambda file: file.name):  # On Windows, paths sort otherwise.
            if file.suffix in (".py", ".toml"):
                digest.update(f"\n{folder.name}/{file.name}\n".encode())
                digest.update(file.read_bytes())
    return digest.digest()


_DIGEST_SIZE = hashlib.sha256().digest_size


@final
class _Pickler(pickle.Pickler):
    """Stores a position as what it is made from: the rest is its board and what follows from both."""

    def reducer_override(self, obj: object, /) -> Any:  # noqa: ANN401 - as pickle has it
        if not isinstance(obj, Position):
            return NotImplemented
        return _position, (obj.units, obj.phase, obj.dislodged, obj.centers, obj.flying_dutchmen)


def _position(
    units: Iterable[Unit],
    phase: Phase,
    dislodged: Iterable[Dislodged],
    centers: dict[str, frozenset[str]],
    flying_dutchmen: Iterable[FlyingDutchman],
) -> Position:
    return Position(units, phase=phase, dislodged=dislodged, centers=centers, flying_dutchmen=flying_dutchmen)
