"""`datc.toml` and the names of cases are read, and what is wrong is said with the nearest right word."""

import os
import sys
from pathlib import Path

import pytest

from datc.cases import load_suite, suite_names
from datc.cases.errors import UnknownCaseError
from datc.harness.config.config import Config, find_config, read_config
from datc.harness.config.preparing import find_case, find_cases, open_config_engine
from datc.harness.errors import ConfigError, NoEngineError
from datc.reference_engine.errors import nearest

FULL = """
[engine.mine]
command = ["./engine", "--json-rpc"]
cwd = "build"
environment = { MODE = "test" }

[run]
engine = "mine"
ruleset = "datc-3.1"
timeout = 2.5
jobs = 2

[choices]
"4.A.3" = "dptg-explicit"

[deviations]
"6.B.3" = "on purpose"
"""


@pytest.fixture
def write(tmp_path):
    """Write a config, and return its path."""

    def write(content):
        (tmp_path / "datc.toml").write_text(content, encoding="utf-8")
        return tmp_path / "datc.toml"

    return write


def test_a_full_config_is_read(tmp_path, write):
    config, folder = read_config(write(FULL))
    assert config.run.engine == "mine"
    assert config.choices == {"4.A.3": "dptg-explicit"}
    assert config.deviations == {"6.B.3": "on purpose"}
    spec = config.engines(folder)["mine"]
    assert spec.command == (str(tmp_path / "engine"), "--json-rpc")
    assert spec.cwd == str(tmp_path / "build")
    assert spec.environment == {"MODE": "test"}


def test_how_long_an_answer_may_take_is_the_options_before_the_config_s(write):
    file = write(FULL)
    assert open_config_engine("mine", file, None, None, {}).limits.request == 2.5
    assert open_config_engine("mine", file, 7, None, {}).limits.request == 7


def test_without_a_file_nothing_is_configured(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read_config(None) == (Config(), Path())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('ruleset = "2023"', r"ruleset belongs under \[run\]"),
        ("[run]\nenigne = 1", "unknown field `enigne`.*did you mean 'engine'"),
        ("[engine.mine]\ncomand = []", "unknown field `comand`.*did you mean 'command'"),
        ("[engine.mine]\ncommand = []", "command is empty"),
        ("[engine.mine]", "has either a command, .* or a url"),
        ("[engine.mine]\ncommand = ['x']\nurl = 'http://h'", "has either a command, .* or a url"),
        ("[engine.mine]\nurl = 'ftp://h'", r"engine\.mine\.url: 'ftp://h' is not the URL of an engine"),
        ("[engine.mine]\nurl = 'http://me:secret@h'", "has a user or a password in it"),
        ("[engine.mine]\nurl = 'http://h'\ncwd = 'x'", "cwd is of no use to an engine with a url"),
        ("[engine.mine]\ncommand = ['x']\nheaders = { A = 'b' }", "headers is of no use to an engine with a command"),
        ("[engine.mine]\ncommand = ['x']\nsetup = [[]]", r"setup\[0\] is empty"),
        ("[engine.mine]\ncommand = ['x']\ntimeout = 0", "Expected `float` > 0"),
        ("[engine.mine]\ncommand = ['x']\nnotation = 'prose'", "value 'prose'.*it is document, codes, names"),
        ("[run]\nfail_on = ['fail']", "Invalid enum value 'fail'.*did you mean 'failed'"),
        (
            "[run]\nsuite = 'x'",
            "`suite`.*: it is engine, ruleset, timeout, jobs, fail_on, strict, skip, editions, baseline$",
        ),
        ("[deviations]\n6.A.1 = 'why'", 'write it in quotes, "4.A.1" = …'),
        ("[run]\njobs = 0", "Expected `int` >= 1"),
        ("[run]\ntimeout = -1", "Expected `float` > 0"),
        ("[engine.mine]\ncommand = 3", r"Expected `array \| null`.*engine\[\.\.\.\]\.command"),
        ("[run", "is not TOML"),
        ("a." * 30_000 + "a = 1", "is not TOML: it has a dotted key of more than 100 parts"),
        ("""[engine."a" . 'b'""" + ".c" * 100 + "]", "is not TOML: it has a dotted key of more than 100 parts"),
        ("[run]\njobs = 'many'", r"Expected `int \| null`"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(write, content, message):
    file = write(content)
    with pytest.raises(ConfigError, match=message) as raised:
        _ = read_config(file)
    assert str(file) in str(raised.value)


def test_a_far_word_gets_the_whole_list_unless_nobody_would_read_it():
    many = [f"alpha{number}" for number in range(164)]
    assert nearest("xyz", ["alpha", "beta"]) == ": it is alpha, beta"
    assert nearest("xyz", many) == ": it is one of 164, from alpha0 to alpha163"
    assert nearest("alpha99", many) == ": did you mean 'alpha99'?"


def test_the_example_of_the_protocol_is_read_with_its_secrets_kept(write, monkeypatch):
    monkeypatch.setenv("SITE_TOKEN", "Bearer s3cret")
    document = (Path(__file__).parents[3] / "docs" / "protocol.md").read_text(encoding="utf-8")
    example = document.partition("```toml\n")[2].partition("```")[0]
    not_set = example.replace("{ Authorization =", '{ X-Other = "NOT_SET_ANYWHERE", Authorization =')
    config, folder = read_config(write(f'{not_set}notation = "codes"\n'))
    spec = config.engines(folder)["site"]
    assert (spec.url, spec.notation) == ("https://example.org/adjudicate", "codes")
    assert spec.headers == {"X-Client": "datc-check", "Authorization": "Bearer s3cret"}
    assert "s3cret" not in repr(spec)
    assert (spec.limits().start, spec.limits().request, spec.limits(9).request) == (60, 20, 9)


def project(tmp_path, content):
    """Make a project with a config and a folder in it; give the folder."""
    (tmp_path / "datc.toml").write_text(content, encoding="utf-8")
    inside = tmp_path / "src" / "deep"
    inside.mkdir(parents=True)
    return inside


def test_the_nearest_config_is_found_in_a_parent_folder_with_what_it_names(tmp_path, monkeypatch):
    inside = project(tmp_path, FULL)
    monkeypatch.chdir(inside)
    config, folder = read_config(None)
    assert config.run.engine == "mine"
    assert config.engines(folder)["mine"].command == (str(tmp_path / "engine"), "--json-rpc")
    (inside.parent / "datc.toml").write_text("", encoding="utf-8")
    assert read_config(None) == (Config(), inside.parent)


def test_a_program_that_is_a_symlink_stays_one(tmp_path, write):
    """`.venv/bin/python` is one, and knows by it where its packages are."""
    program = tmp_path / "venv" / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.symlink_to(sys.executable)
    config, folder = read_config(write('[engine.mine]\ncommand = ["venv/bin/python", "x.py"]\n'))
    assert config.engines(folder)["mine"].command == (str(program), "x.py")


def test_a_config_of_somebody_else_in_a_parent_folder_is_not_read(tmp_path, monkeypatch):
    """Whoever can write to a folder above could name a program to start."""
    monkeypatch.chdir(project(tmp_path, FULL))
    stat = Path.stat

    def of_another(path, **options):
        found = stat(path, **options)
        return os.stat_result((*found[:4], found.st_uid + 1, *found[5:10])) if path.name == "datc.toml" else found

    monkeypatch.setattr(Path, "stat", of_another)
    assert find_config() is None


def test_the_search_ends_at_a_folder_for_everyone(tmp_path, monkeypatch):
    monkeypatch.chdir(project(tmp_path, FULL))
    assert find_config() == tmp_path / "datc.toml"
    tmp_path.chmod(0o1777)
    assert find_config() is None


def test_without_a_name_the_engine_is_that_of_the_config(write):
    one = "[engine.mine]\ncommand = ['mine']\n"
    assert open_config_engine(None, write(one), None, None, {}).spec.text == "mine"
    file = write(f"{one}[engine.other]\ncommand = ['other']\n[run]\nengine = 'other'")
    assert open_config_engine(None, file, None, None, {}).spec.text == "other"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("engine = { one = { command = ['x'] }, two = { command = ['x'] } }", r"toml has several engines \(one, two\)"),
        ("[choices]", r"datc\.toml has none.*write engine = \"NAME\" below \[run\]"),
    ],
)
def test_without_any_engine_none_stands_in(write, content, message):
    file = write(content)
    with pytest.raises(NoEngineError, match=message):
        _ = open_config_engine(None, file, None, None, {})


def keys(*selections, suites=()):
    return [case.key for case in find_cases(suites, selections)]


def test_capitals_and_commas_make_no_difference_and_the_suite_gives_the_order():
    assert keys("6.f.2,6.a.1", "6.F.1") == ["datc-3.2/6.A.1", "datc-3.2/6.F.1", "datc-3.2/6.F.2"]
    assert keys("V3.2-4.a.4") == keys("v3.2-4.A.4")


def test_a_case_of_any_suite_is_named_with_its_suite():
    assert keys("extended/4.d.1-four-sets, 6.A.1") == ["datc-3.2/6.A.1", "extended/4.D.1-four-sets"]
    assert keys("datc-3.1/6.A.1", suites=["extended"]) == ["datc-3.1/6.A.1"]


def test_without_a_suite_all_of_them_are_searched():
    assert keys("4.D.1-four-sets") == ["extended/4.D.1-four-sets"]
    assert {key.split("/")[0] for key in keys("DPTG.XIII")} == {"dptg"}


def test_all_suites_can_be_asked():
    assert {case.suite for case in find_cases(["all"], ())} == set(suite_names())


@pytest.mark.parametrize(
    ("selection", "suites", "message"),
    [
        ("6.F.101", [], "--select 6.F.101: there is no such case, section or issue in the suite: did you mean '6.F.1"),
        ("4.D.1-four-sets", ["datc-3.2"], "in the suite; there is extended/4.D.1-four-sets$"),
        ("extended/6.F.3", [], "in extended; there is datc-3.1/6.F.3 and datc-3.2/6.F.3$"),
        ("nowhere/6.F.3", [], "in nowhere; there is "),
        (" , ", [], "names no case: write an id, a section or an issue"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(selection, suites, message):
    with pytest.raises(UnknownCaseError, match=message):
        _ = find_cases(suites, [selection])


def test_a_single_case_is_found_in_the_usual_edition_then_in_the_others():
    named = (("6.f.1", None), ("4.D.1-four-sets", "all"), ("datc-3.1/6.F.1", None))
    found = [case.key for key, suite in named if (case := find_case(key, suite)) is not None]
    assert found == ["datc-3.2/6.F.1", "extended/4.D.1-four-sets", "datc-3.1/6.F.1"]
    assert find_case("4.D.1-four-sets", "datc-3.2") is None
    assert find_case("6.F.101", None) is None


def test_an_id_of_several_suites_must_say_which(monkeypatch):
    """No suite but the editions has an id of another one today."""
    monkeypatch.setattr("datc.harness.config.preparing.USUAL_EDITION", "extended")
    assert load_suite("extended").name == "extended"
    with pytest.raises(UnknownCaseError, match="several suites have a case '6.F.1': write datc-3.1/6.F.1 and datc-3.2"):
        _ = find_case("6.F.1", None)
