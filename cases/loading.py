"""Suites by their names: those of the project, and folders of an author's own.

Reading the TOML of a suite takes longer than all else that a short run does, so what was read is kept in the user's
cache folder, with the digest of the files that it follows from. It counts for these files alone.
"""

from __future__ import annotations

import hashlib
import pickle
import tempfile
from functools import cache
from pathlib import Path

from platformdirs import user_cache_path

from ..reference_engine.installation import package_version
from .errors import UnknownSuiteError
from .reading import read_suite
from .suite import Suite
from .tables import SUITE_FILE

_HERE = Path(__file__).parent
_SOURCES = (_HERE, _HERE.with_name("reference_engine"))
"""The folders with the suites and with the code that reads them."""


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
        return _own_suite(name)
    if Path(name, SUITE_FILE).is_file():
        return read_suite(Path(name))
    raise UnknownSuiteError(
        f"there is no suite {name!r}: it is {' or '.join(suite_names())}, or a folder with a {SUITE_FILE}"
    )


def _own_suite(name: str) -> Suite:
    """Return a suite of the project as it was kept; read it and keep it where that is not possible."""
    kept = user_cache_path("datc-check") / package_version() / name
    digest = _digest()
    try:
        content = kept.read_bytes()
        if content.startswith(digest):
            suite: object = pickle.loads(content[len(digest) :])  # noqa: S301 - this user's own cache
            if isinstance(suite, Suite):
                return suite
    except Exception:  # noqa: BLE001, S110 - whatever is wrong with the file, the TOML is there
        pass
    suite = read_suite(_HERE / name)
    for case in suite.cases:
        _ = case.alternatives  # They are kept with the case, and take half as long to find as the case to read.
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as written:
            _ = written.write(digest + pickle.dumps(suite, protocol=5))
        _ = Path(written.name).replace(kept)
    except OSError:
        pass  # The next command reads the TOML again.
    return suite


@cache
def _digest() -> bytes:
    """Return the digest of the suites and of the code that reads them."""
    digest = hashlib.blake2b()
    for folder in _SOURCES:
        for file in sorted(folder.rglob("*")):
            if file.suffix in {".py", ".toml"}:
                digest.update(f"\n{file.relative_to(folder).as_posix()}\n".encode())
                digest.update(file.read_bytes())
    return digest.digest()
