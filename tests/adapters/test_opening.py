import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

from datc.adapters import Engine, EngineSpec, EngineSpecError, Limits, errors, open_engine, parse_engine_spec
from datc.adapters.bridges import bridge_names, find_bridge, labelled
from datc.adapters.builtin import BuiltinEngine
from datc.adapters.process import ProcessEngine

from .fake_sites import Connection
from .fakes import FAKE, PATIENT, ask, does_not_start, echo, fails

MINE = EngineSpec("mine", ("./my-engine",), cwd="/somewhere", environment={"LEVEL": "9"})


@pytest.mark.promise("No shell")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("builtin", None),
        ("exec:./my-engine", ("./my-engine",)),
        ("exec: ./my-engine  --json-rpc -v ", ("./my-engine", "--json-rpc", "-v")),
        ("exec:'my engine' \"a b\" c\\ d ''", ("my engine", "a b", "c d", "")),
        ("exec:java -jar C:engine.jar", ("java", "-jar", "C:engine.jar")),
        ("exec:sh -c 'echo $HOME; exit'", ("sh", "-c", "echo $HOME; exit")),
        ("exec:my-engine | tee ~/log", ("my-engine", "|", "tee", "~/log")),
    ],
)
def test_a_command_line_is_split_as_a_shell_would(text, words):
    assert parse_engine_spec(text, {}) == EngineSpec(text, words)


@pytest.mark.parametrize("name", ["mine", "builtin", "pydip@1"])
def test_a_known_name_is_what_the_author_says_even_a_name_or_a_release_of_ours(name):
    assert parse_engine_spec(name, {name: MINE}) is MINE


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no engine '': it is builtin, builtin:PROCEDURE, exec:COMMAND LINE, http://…, or mine, theirs, "),
        ("min", "there is no engine 'min': did you mean 'mine'?"),
        ("./my-engine", "there is no engine './my-engine': it is builtin, builtin:PROCEDURE, exec:COMMAND LINE, "),
        ("Builtin", "there is no engine 'Builtin'"),
        ("exec:   ", "exec: needs a command line after it"),
        ("exec:my-engine 'oops", 'the command line "my-engine \'oops" cannot be split: No closing quotation'),
    ],
)
def test_what_names_no_engine_is_told_what_does(text, message):
    with pytest.raises(EngineSpecError, match=f"^{re.escape(message)}"):
        _ = parse_engine_spec(text, {"mine": MINE, "theirs": MINE})


def test_a_spec_opens_its_kind_of_engine_without_starting_it():
    assert isinstance(open_engine(EngineSpec("builtin"), PATIENT), BuiltinEngine)
    engine = open_engine(EngineSpec("mine", ("/no/such/engine",)), PATIENT)
    assert isinstance(engine, ProcessEngine)
    does_not_start(engine)


@pytest.fixture(params=["process", "http"])
def opens(request, start_fake, opened) -> Callable[..., Engine]:
    """Open an engine of either kind by what it does: one that behaves, or hangs."""

    def open_site(name: str, *limits: Limits) -> Engine:
        behaviour = Connection.behave if name == "behaves" else Connection.wait_for_the_end
        return opened.engine(opened.site(behaviour, at_start=name == "hangs-at-start"), *limits)

    return start_fake if request.param == "process" else open_site


def test_a_request_may_be_large(opens):
    assert echo(opens("behaves").adjudicate(ask("A London Hold", bulk=1 << 22))).orders == ["A London Hold"]


def test_closing_twice_or_before_the_start_is_nothing(opens):
    engine = opens("behaves")
    engine.close()
    engine.close()
    _ = fails(engine, kind=errors.EngineClosedError)
    with pytest.raises(errors.EngineClosedError):
        _ = engine.start()


@pytest.mark.parametrize("behaviour", ["hangs", "hangs-at-start"])
def test_nothing_is_waited_for_after_the_time_of_the_run(opens, behaviour):
    engine = opens(behaviour, structs.replace(PATIENT, stop_at=time.monotonic() + 1))
    for _ in range(2):
        with pytest.raises(errors.EngineClosedError, match="^the time of the whole run is up$"):
            _ = engine.start() if behaviour == "hangs-at-start" else engine.adjudicate(ask())


@pytest.mark.parametrize(
    ("given", "said"),
    [({"cwd": str(FAKE.parent), "environment": {"LEVEL": "nine"}}, "engines nine"), ({}, f"{Path.cwd().name} ten")],
)
def test_a_process_has_the_folder_and_the_environment_of_its_spec_or_those_of_this_process(monkeypatch, given, said):
    monkeypatch.setenv("LEVEL", "ten")
    report = "import os, sys; sys.exit(os.path.basename(os.getcwd()) + ' ' + os.environ['LEVEL'])"
    spec = EngineSpec("mine", (sys.executable, "-S", "-c", report), **given)
    does_not_start(open_engine(spec, PATIENT), rf"\(its log ends: {said}\)")


@pytest.mark.parametrize("text", ["{}/my-bridge", "{}/my-bridge --json-rpc"])
def test_a_program_is_told_to_be_written_with_exec(tmp_path, text):
    (tmp_path / "my-bridge").touch()
    with pytest.raises(EngineSpecError, match="is a program: to start it as an engine, write '?exec:/.*my-bridge"):
        _ = parse_engine_spec(text.format(tmp_path), {})


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["/nowhere/engine"], "No such file.* Build it first: datc-check engines setup mine"),
        ([sys.executable, "-S", "/nowhere/engine.py"], "If it is not built: datc-check"),
    ],
)
def test_an_engine_that_is_not_built_yet_says_how_to_build_it(words, message):
    spec = EngineSpec("mine", tuple(words), setup=(("make",),))
    does_not_start(open_engine(spec, spec.limits()), message)


WITHOUT_RELEASES = {"diplomacygm", "jdip"}
"""Engines that are in no registry. Their bridges are to checkouts."""


@pytest.mark.parametrize("name", bridge_names())
def test_another_release_and_a_checkout_of_every_bridge_have_a_set_up_of_their_own(name, tmp_path, monkeypatch):
    monkeypatch.setenv("DATC_CHECK_HOME", str(tmp_path))
    release = find_bridge(f"{name}@9.9.9")
    checkout = labelled(find_bridge(name), "mine", tmp_path / "checkout")
    assert (release.setup == ()) == (name in WITHOUT_RELEASES)
    marked = [(checkout, str(checkout.copy))] + [(release, "9.9.9")] * bool(release.setup)
    for bridge, mark in marked:
        lines = [[word.replace("=../source", f"={checkout.copy}") for word in line] for line in bridge.setup]
        words = [word.replace(str(release.home), "") for line in lines for word in line]
        assert any(mark in word for word in words)
        assert not any("{" in word for word in words)
    if name in WITHOUT_RELEASES:
        with pytest.raises(EngineSpecError, match=rf"not set up: datc-check engines setup {name} --source DIR$"):
            _ = parse_engine_spec(name, {})
        return
    said = rf"9\.9\.9 is not set up: datc-check engines setup {name} --version 9\.9\.9$"
    with pytest.raises(EngineSpecError, match=said):
        _ = parse_engine_spec(f"{name}@9.9.9", {})
    with pytest.raises(EngineSpecError, match="is no version"):
        _ = parse_engine_spec(f"{name}@../{name}", {})
