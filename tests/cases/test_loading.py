"""Suites that are kept in the user's cache: the same as those read from TOML, and left alone where anything changed."""

from dataclasses import replace

import pytest

from datc.cases import read_suite, reading, suite_names
from datc.reference_engine import standard_board


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "user_cache_path", lambda _: tmp_path)
    return tmp_path


def as_data(suite):
    """Return a suite with its positions as what they were made from: they have no equality of their own."""
    fields = ("units", "phase", "dislodged", "centers", "flying_dutchmen")

    def plain(phase):
        position = phase.position
        return replace(phase, position=position and {name: getattr(position, name) for name in fields})

    return [replace(case, phases=tuple(map(plain, case.phases))) for case in suite.cases]


def kept_files(cache):
    return [file for file in cache.rglob("*") if file.is_file()]


@pytest.mark.parametrize("name", suite_names())
def test_a_kept_suite_is_the_one_that_is_read(cache, monkeypatch, name):
    _ = reading._own_suite(name)
    monkeypatch.setattr(reading, "read_suite", lambda _: pytest.fail("it is read again"))
    kept = reading._own_suite(name)
    assert as_data(kept) == as_data(read_suite(reading._HERE / name))
    positions = [phase.position for case in kept.cases for phase in case.phases if phase.position]
    assert all(position.board is standard_board() for position in positions)
    assert len(kept_files(cache)) == 1


@pytest.mark.parametrize("damage", [lambda _: b"", lambda old: old[:-9], lambda old: old[:64] + b"x" + old[65:]])
def test_a_damaged_file_is_ignored_and_replaced(cache, damage):
    _ = reading._own_suite("alexander")
    (file,) = kept_files(cache)
    good = file.read_bytes()
    _ = file.write_bytes(damage(good))
    assert reading._own_suite("alexander").name == "alexander"
    assert kept_files(cache) == [file]
    assert file.read_bytes()[:64] == good[:64]


def test_a_suite_is_read_again_where_a_file_that_it_follows_from_has_changed(cache, monkeypatch):
    _ = reading._own_suite("alexander")
    monkeypatch.setattr(reading, "_digest", lambda: bytes(64))
    monkeypatch.setattr(reading, "read_suite", lambda folder: read_suite(folder.with_name("dptg")))
    assert reading._own_suite("alexander").name == "dptg"


def test_a_cache_that_cannot_be_written_is_no_error(cache, monkeypatch):
    _ = (cache / "file").write_text("")
    monkeypatch.setattr(reading, "user_cache_path", lambda _: cache / "file")
    assert reading._own_suite("alexander").name == "alexander"
