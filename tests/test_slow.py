"""The quick tests are those that are not marked as slow."""

from .conftest import SLOW


def test_every_slow_file_is_there():
    assert [file for file in SLOW if not file.is_file()] == []
