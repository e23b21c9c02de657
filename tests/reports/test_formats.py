"""Where reports are written to."""

import errno

import pytest

from datc.reports import write_report


def test_a_report_takes_the_place_of_an_earlier_one(tmp_path):
    path = tmp_path / "report.html"
    for content in (b"earlier", b"now"):
        write_report(str(path), content, str)
        assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
def test_a_report_that_is_not_written_to_its_end_leaves_the_earlier_one_and_nothing_else(tmp_path, monkeypatch, error):
    path = tmp_path / "report.html"
    path.write_bytes(b"earlier")

    def fail(*_):
        raise error

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(type(error)):
        write_report(str(path), b"now", str)
    assert path.read_bytes() == b"earlier"
    assert list(tmp_path.iterdir()) == [path]
