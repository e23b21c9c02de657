"""Loads suites by their names: those of the project are kept as they were read."""

from __future__ import annotations

import os
import pickle
from functools import cache
from hashlib import blake2b
from pathlib import Path

from platformdirs import user_cache_path

from ..reference_engine.installation import package_version
from .errors import UnknownSuiteError
from .suite import SUITE_FILE, Suite

_HERE = Path(__file__).parent
_SOURCES = (_HERE, _HERE.with_name("reference_engine"))
"""The folders with the suites and with the code that reads them."""
_VARIANTS = "variants"
"""The folder of the suites on other maps."""


@cache
def suite_names() -> tuple[str, ...]:
    """Name the suites that come with the project, all on the standard map."""
    return tuple(sorted(file.parent.name for file in _HERE.glob(f"*/{SUITE_FILE}")))


@cache
def variant_suites() -> tuple[str, ...]:
    """Name the suites of the project with cases on other maps than the standard one."""
    return tuple(sorted(file.parent.name for file in _HERE.glob(f"{_VARIANTS}/*/{SUITE_FILE}")))


@cache
def load_suite(name: str) -> Suite:
    """Load a suite by one of `suite_names()` or `variant_suites()`, or the author's own by its folder.

    Raises `UnknownSuiteError`, and `SuiteError` with all problems where it cannot be used.
    """
    own = *suite_names(), *variant_suites()
    if name in own:
        return _own_suite(name)
    if Path(name, SUITE_FILE).is_file():
        from .reading import read_suite  # Here, since it takes long to import.

        return read_suite(Path(name))
    raise UnknownSuiteError(f"there is no suite {name!r}: it is {' or '.join(own)}, or a folder with a {SUITE_FILE}")


def _own_suite(name: str) -> Suite:
    """Return a suite of the project as it was kept; read it and keep it where that is not possible.

    Reading the TOML of a suite takes longer than all else that a short run does, so what was read is kept in the user's
    cache folder, with the digest of the files that it follows from. It counts for these files alone.
    """
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
    from tempfile import NamedTemporaryFile  # These here, since they take long to import.

    from .reading import read_suite

    suite = read_suite(_HERE / (f"{_VARIANTS}/{name}" if name in variant_suites() else name))
    for case in suite.cases:
        _ = case.alternatives  # They are kept with the case, and take half as long to find as the case to read.
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=kept.parent, delete=False) as written:
            _ = written.write(digest + pickle.dumps(suite, protocol=5))
        _ = Path(written.name).replace(kept)
    except OSError:
        pass  # The next command reads the TOML again.
    return suite


@cache
def _digest() -> bytes:
    digest = blake2b()
    for folder in _SOURCES:
        for file in sorted(f"{place}/{name}" for place, _, names in os.walk(folder) for name in names):
            if file.endswith((".py", ".toml")):
                digest.update(f"\n{file.removeprefix(str(folder))}\n".encode())
                with open(file, "rb") as content:  # noqa: PTH123 - pathlib takes twice as long
                    digest.update(content.read())
    return digest.digest()
