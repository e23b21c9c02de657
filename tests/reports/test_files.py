"""Files that are written whole or not at all, on a disk that has no room for more."""

import errno

import pytest

from datc.reports import write_report
from datc.reports.files import append_whole, write_whole

from ..disk import room_for


@pytest.mark.promise("Files are written whole or not at all")
@pytest.mark.attack
def test_what_does_not_fit_leaves_the_earlier_file_and_nothing_else(tmp_path):
    path = tmp_path / "cases.toml"
    write_whole(path, b"earlier")
    with room_for(100_000), pytest.raises(OSError, match="File too large") as failure:
        write_whole(path, b"x" * 200_000)
    assert failure.value.errno == errno.EFBIG
    assert path.read_bytes() == b"earlier"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_keeps_the_mode_of_the_one_that_it_replaces(tmp_path, mode):
    path = tmp_path / "report.html"
    write_whole(path, b"earlier")
    path.chmod(mode)
    write_whole(path, b"now")
    assert path.stat().st_mode & 0o777 == mode


@pytest.mark.attack
@pytest.mark.parametrize("earlier", [b"", b"earlier\n" * 1000])
def test_what_does_not_fit_is_not_added_in_part(tmp_path, earlier):
    path = tmp_path / "chunks.jsonl"
    append_whole(path, earlier)
    with room_for(100_000), pytest.raises(OSError, match="File too large"):
        append_whole(path, b"x" * 200_000)
    assert path.read_bytes() == earlier
    append_whole(path, b"more")
    assert path.read_bytes() == earlier + b"more"


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
def test_a_report_takes_the_place_of_an_earlier_one_once_it_is_written_to_its_end(tmp_path, monkeypatch, error):
    path = tmp_path / "report.html"
    write_report(str(path), b"earlier", str)

    def fail(*_):
        raise error

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(type(error)):
        write_report(str(path), b"now", str)
    assert path.read_bytes() == b"earlier"
    assert list(tmp_path.iterdir()) == [path]
    monkeypatch.undo()
    write_report(str(path), b"now", str)
    assert path.read_bytes() == b"now"
    assert list(tmp_path.iterdir()) == [path]
