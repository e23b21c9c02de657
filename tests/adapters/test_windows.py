"""Processes on Windows, with stand-ins elsewhere for the system: what is asked of it, and in which sequence."""

import ctypes
import importlib
import subprocess
import sys
from types import SimpleNamespace

import pytest

JOB, ITSELF = 0x1_0000_0001, 0x1_0000_0002


class Stub:
    """A function of Windows: it keeps its arguments, and returns a value that is set."""

    def __init__(self, name, said, results):
        self.name, self.said, self.results = name, said, results

    def __call__(self, *arguments):
        self.said.append((self.name, *(getattr(one, "value", one) for one in arguments)))
        return self.results.get(self.name, 1)


class Library:
    """Its functions are attributes, each the same one every time."""

    def __init__(self, said, results):
        self.said, self.results = said, results

    def __getattr__(self, name):
        setattr(self, name, Stub(name, self.said, self.results))
        return getattr(self, name)


@pytest.fixture
def start(monkeypatch):
    """Start a process with functions of Windows that return what is given. Return the calls, and what ends it."""

    monkeypatch.setattr("shutil.which", lambda _program: None)  # That of this system does not work as if on Windows.

    def started(command=("engine",), **results):
        said = []
        results = {"CreateJobObjectW": JOB, "OpenProcess": ITSELF, **results}
        kill = Stub("kill", said, {})

        class Popen(SimpleNamespace):
            def __init__(self, words, **options):
                said.append(("Popen", words, options))
                super().__init__(pid=77, kill=kill)

            def __class_getitem__(cls, _):
                return cls

        library = Library(said, results)
        monkeypatch.setattr(ctypes, "WinDLL", lambda _name, **_: library, raising=False)
        monkeypatch.setattr(ctypes, "WinError", lambda code: OSError(code, "no job"), raising=False)
        monkeypatch.setattr(ctypes, "get_last_error", lambda: 5, raising=False)
        monkeypatch.setattr(sys, "platform", "win32")
        windows = importlib.import_module("datc.adapters.windows")
        monkeypatch.setattr(subprocess, "Popen", Popen)
        error = None
        end = lambda: None  # noqa: E731
        try:
            _, end = windows.start_in_job(command, cwd=None)
        except OSError as failure:
            error = failure
        return said, end, error

    return started


def test_a_process_runs_only_once_it_is_in_a_job_which_ends_with_the_last_handle(start):
    said, end, error = start()
    assert error is None
    assert [name for name, *_ in said] == [
        "CreateJobObjectW",
        "SetInformationJobObject",
        "Popen",
        "OpenProcess",
        "AssignProcessToJobObject",
        "NtResumeProcess",
        "CloseHandle",
    ]
    calls = {name: arguments for name, *arguments in said}
    job, kind, limits, size = calls["SetInformationJobObject"]
    # On 64 bits the flags are at 16 of 144 bytes: `sizeof` and `offsetof` of the header say so.
    assert (job, kind, size, limits[16:20].hex(), limits.strip(b"\0")) == (JOB, 9, 144, "00200000", b"\x20")
    assert calls["Popen"][1] == {"creationflags": 4, "cwd": None}
    assert calls["AssignProcessToJobObject"] == [JOB, ITSELF]
    assert calls["NtResumeProcess"] == calls["CloseHandle"] == [ITSELF]
    del said[:]
    end()
    end()
    assert said == [("kill",), ("CloseHandle", JOB)]


@pytest.mark.parametrize("fails", ["SetInformationJobObject", "OpenProcess", "AssignProcessToJobObject"])
def test_a_process_that_cannot_be_in_a_job_does_not_run(start, fails):
    said, _, error = start(**{fails: 0})
    names = [name for name, *_ in said]
    assert error.errno == 5
    assert "NtResumeProcess" not in names
    assert said[-1] == ("CloseHandle", JOB)
    assert ("kill" in names) == ("Popen" in names)


@pytest.mark.parametrize(("program", "file"), [("mvn", "C:/maven/mvn.CMD"), ("nowhere", "nowhere")])
def test_a_program_is_found_whatever_its_name_ends_with(start, monkeypatch, program, file):
    monkeypatch.setattr("shutil.which", {"mvn": "C:/maven/mvn.CMD"}.get)
    said, _, _ = start([program, "package"])
    assert [call[1] for call in said if call[0] == "Popen"] == [[file, "package"]]
