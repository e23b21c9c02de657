"""`datc.toml` is read, and what is wrong with it is said with the nearest right word."""

from pathlib import Path

import pytest

from datc.harness.config import Config, read_config
from datc.harness.errors import ConfigError
from datc.reference_engine import nearest

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


def test_a_full_config_is_read(tmp_path):
    file = tmp_path / "datc.toml"
    file.write_text(FULL, encoding="utf-8")
    config, folder = read_config(file)
    assert config.run.engine == "mine"
    assert config.choices == {"4.A.3": "dptg-explicit"}
    assert config.deviations == {"6.B.3": "on purpose"}
    spec = config.engines(folder)["mine"]
    assert spec.command == (str(tmp_path / "engine"), "--json-rpc")
    assert spec.cwd == str(tmp_path / "build")
    assert spec.environment == {"MODE": "test"}


def test_without_a_file_nothing_is_configured(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read_config(None) == (Config(), Path())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[run]\nenigne = 1", "unknown field `enigne`.*did you mean 'engine'"),
        ("[engine.mine]\ncomand = []", "unknown field `comand`.*did you mean 'command'"),
        ("[engine.mine]\ncommand = []", "command is empty"),
        ("[engine.mine]\ncommand = 3", r"Expected `array`.*engine\[\.\.\.\]\.command"),
        ("[run", "is not TOML"),
        ("[run]\njobs = 'many'", r"Expected `int \| null`"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, content, message):
    file = tmp_path / "datc.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=message) as raised:
        _ = read_config(file)
    assert str(file) in str(raised.value)


def test_a_file_that_is_named_must_be_there(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        _ = read_config(tmp_path / "other.toml")


def test_a_far_word_gets_the_whole_list():
    assert nearest("xyz", ["alpha", "beta"]) == ": it is alpha, beta"
