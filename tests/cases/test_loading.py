"""Stored suites: the same as those read from TOML, and left alone where anything has changed."""

from dataclasses import replace

import pytest

from datc.cases import loading, suite_names
from datc.cases.loading import load_suite, store_suites
from datc.cases.reading import read_suite


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Store all suites, with one more file that they follow from."""
    folder, code = tmp_path_factory.mktemp("stored"), tmp_path_factory.mktemp("code")
    _ = (code / "more.py").write_text("1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "_STORED", folder)
        patch.setattr(loading, "_CODE", (*loading._CODE, code))
        store_suites()
        yield folder, code / "more.py"


def as_data(suite):
    """Return a suite with its positions as what they were made from: they have no equality of their own."""
    fields = ("units", "phase", "dislodged", "centers", "flying_dutchmen")

    def plain(phase):
        position = phase.position
        return replace(phase, position=position and {name: getattr(position, name) for name in fields})

    return [replace(case, phases=tuple(map(plain, case.phases))) for case in suite.cases]


@pytest.mark.parametrize("name", suite_names())
def test_a_stored_suite_is_the_one_that_is_read(stored, name):
    kept = loading._stored_suite(name)
    assert kept is not None
    fresh = read_suite(loading._HERE / name)
    assert as_data(kept) == as_data(fresh)
    assert replace(kept, sections=()) == replace(fresh, sections=())
    assert [case.alternatives for case in kept.cases] == [case.alternatives for case in fresh.cases]


def test_a_suite_is_read_again_where_a_file_that_it_follows_from_has_changed(stored):
    assert loading._stored_suite("datc-3.2") is not None
    stored[1].write_text("2")
    assert loading._stored_suite("datc-3.2") is None
    assert len(load_suite.__wrapped__("datc-3.2").cases) == 176
    stored[1].write_text("1")


def test_a_stored_suite_follows_from_those_that_it_inherits_from(stored):
    assert (stored[0] / "datc-3.2").read_bytes()[loading._DIGEST_SIZE :].startswith(b"datc-3.2 datc-3.1\n")


@pytest.mark.parametrize("place", [0, 40, 20_000, -1])
def test_a_corrupt_stored_suite_is_not_used(stored, place):
    file = stored[0] / "alexander"
    content = bytearray(file.read_bytes())
    content[place % len(content)] ^= 1
    try:
        file.write_bytes(content)
        assert loading._stored_suite("alexander") is None
    finally:
        content[place % len(content)] ^= 1
        file.write_bytes(content)


@pytest.mark.parametrize("content", [b"", b"x", b"\xff" * 100, b"0" * 32 + b"../../..\n"])
def test_what_is_no_stored_suite_is_not_used(stored, content):
    (stored[0] / "nothing").write_bytes(content)
    assert loading._stored_suite("nothing") is None
