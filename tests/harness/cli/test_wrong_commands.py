"""What is wrong with a command is said, with what would be right, before anything is asked or written."""

import shlex

import pytest

from ..search.games import game, write
from .running import invoke

WRONG_WORDS = """
compare run.json run.json --select 6.B | stored runs are compared as they are: leave out --select
run --nothing | No such option '--nothing'
run builtin --timeout nan | 'nan' is not a number of seconds
hunt builtin --time nan | 'nan' is not a number of seconds
doctor builtin --mutants | --mutants asks no engine
preferences builtin --run /dev/null | not both
fly | No such command 'fly'.
rnu | No such command 'rnu'. Did you mean 'run'?
cases lst | No such command 'lst'. Did you mean 'list'?
compare builtin | name two engines or stored runs at least
hunt builtin --resume | --store
hunt builtin builtin --again . | --again asks one engine
hunt builtin --again . --seed 3 | leave out --seed
hunt builtin --again . --source random --processes 2 | leave out --source and --processes
hunt builtin --again . --ruleset datc-2.4 | leave out --ruleset
replay games.jsonl --resume | --store
replay games.jsonl --against reference | --engine
replay games.jsonl --infer --engine builtin | leave out --engine
report | Missing argument 'FILE
report nowhere.json | No such file or directory
baseline update builtin:dptg --run text | not both
init pyhton | there is no skeleton for 'pyhton': did you mean 'python'?
init cobol | there is no skeleton for 'cobol': it is python, node, go, rust, java, cpp, php, ruby, http
init | Missing argument
init go datc_bridge | is a file
shadow builtin | name two engines
"""
"""Commands that are written wrongly, which show the usage, in a folder with the files below, and what they say."""
WRONG = """
run no-such | there is no engine 'no-such': it is builtin, builtin:PROCEDURE, exec:COMMAND LINE
run builtin --select 6.Z | there is no such case, section or issue
run builtin --suite datc-9 | there is no suite 'datc-9'
run builtin --ruleset 2042 | there is no ruleset '2042'
run builtin --choice 4.A.1 | write ISSUE=CHOICE
run builtin --choice 4.A.1=maybe | it is any-route, all-routes
run builtin --choice 4.Z.1=maybe | there is no issue '4.Z.1'
run builtin --report pdf:x | FORMAT is html, markdown, badge, json
run builtin --report json:nowhere/x | there is no folder 'nowhere'
run builtin --config nowhere.toml | cannot be read
rulesets show 1983 | did you mean '1982'
cases show 6.F.90 | did you mean '6.F.9'
cases check nowhere | there is no suite 'nowhere'
cases list --select 6.Z | --select 6.Z: there is no such case, section or issue
explain nowhere.json | no case in any suite: it is one of 176, from 6.A.1 to 6.J.12
explain LONG | File name too long
run builtin --suite LONG | File name too long
run builtin --report json:LONG | File name too long
compare LONG.json builtin | File name too long
engines check 'http://a b/' | 'http://a b/' is not the URL of an engine
run builtin --config deep.toml | deep.toml: is not TOML: it is nested too deeply
explain deep.toml | it is nested too deeply
run builtin --config digits.toml | is not TOML: it has an integer of too many digits
explain digits.toml | it has an integer of too many digits
explain hexadecimal.toml | it has an integer of too many digits
explain digits.json | Integer value out of range
engine --mutant swap-by-sea | did you mean 'swap-by-land'
engine --mutant swap-by-land --procedure none | there is no procedure
preferences -o rules.pdf | the name of the page ends in .md, .html or .bbcode
preferences -o nowhere/rules.md | there is no folder 'nowhere'
preferences -o rules.md --json | leave out -o
preferences --run /dev/null | it is empty
infer builtin --report junit:x | only html, markdown and json can show which rules an engine plays
compare builtin bultin | did you mean 'builtin'
compare builtin builtin --report tap:- | can show several runs
draw 6.F.99 | '6.F.99' is no file, and no case in any suite: did you mean '6.F.9'?
draw 6.A.1 --phase 2 | case 6.A.1 has 1
draw 6.A.1 -o /nowhere/at/all.svg | cannot be written
hunt builtin --source dreams | random, paradoxes, metamorphic, battles, or real:FILE
hunt builtin --source real: | random, paradoxes, metamorphic, battles, or real:FILE
hunt builtin --source real:nowhere.jsonl | nowhere.jsonl: cannot be read: No such file or directory
hunt builtin --store text | text is a file: name a folder
hunt builtin --cases / | --cases /: '/' is a folder: name a file in it
hunt builtin --profile denser | did you mean 'dense'
hunt builtin builtin --infer | several engines
hunt builtin --choice 4.A.3=never | 4.A.3
hunt builtin --report html | FORMAT:PATH
hunt builtin --again /nowhere | /nowhere holds no hunt
replay nowhere.jsonl | nowhere.jsonl: cannot be read: No such file
replay games.jsonl --format jsonn | there is no format 'jsonn' of archives: did you mean 'json'?
replay games.jsonl --format '\x1b[31m' | there is no format
report text | text: it is not JSON
report future.json | future.json: it is of format 2, and this datc-check reads format 1
report empty | empty: it is empty
report run.json --report html:nowhere/x | there is no folder 'nowhere'
report run.json --report jsonl:folder | --report jsonl:folder: 'folder' is a folder: name a file in it
report run.json --report json:x --report html:x | --report: 'x' is named twice, but a file holds one report
baseline update | no engine is named
run builtin --baseline deep.toml | deep.toml: it is not JSON
run builtin --baseline no-run.json | no-run.json
compare no-run.json no-run.json | no-run.json
run builtin --trace text | there can be no such folder: File exists
run builtin --fail-on passed | no such verdict to fail on
baseline update builtin:dptg --baseline text | text: it is not JSON
baseline update builtin:dptg --baseline nowhere/b.json | there is no folder 'nowhere'
init go | datc_bridge: cannot be written
shadow builtin biultin | did you mean 'builtin'
shadow builtin builtin --store nowhere/found.jsonl | cannot be written
shadow --port 0 builtin builtin --host nowhere.invalid | cannot serve at nowhere.invalid
ask builtin /no/such/file | /no/such/file
run | no engine is named, and there is no datc.toml in this folder or above it.
infer | datc-check init
watch | no engine is named
run builtin --config declared.toml | '6.B.33', which is in no suite
run builtin --config declared-pattern.toml | '6.K.*', which is in no suite
engine --http --host nowhere.invalid | cannot serve at nowhere.invalid, port
engine --http --host aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | cannot serve at aaaa
engine --http --host 256.0.0.1.2 | cannot serve at 256.0.0.1.2, port
engine --http --host ::zz | cannot serve at ::zz, port
engine --http --port 0 --allow-host 'a b' | 'a b' is no
engine --http --port 0 --allow-origin 'a b' | 'a b' is no
run builtin --report run.txt | --report run.txt: write FORMAT:PATH, where FORMAT is html, markdown,
run builtin --report run | a PATH that ends in .html, .md, .svg, .json, .jsonl, .xml, .tap, .sarif needs none
run builtin --report html: | --report html:: write FORMAT:PATH, where FORMAT is html, markdown,
run builtin --report xml:run.foo | --report xml:run.foo: write FORMAT:PATH, where FORMAT is html, markdown,
report run.json run.json --report html:x --report junit:y | --report junit:y: only html, markdown and json can show
"""
"""Commands that are written as they should be, but ask for what cannot be."""
FILES = {
    "deep.toml": "deep = " + "[" * 100_000,
    "digits.toml": "[run]\njobs = " + "9" * 5000,
    "hexadecimal.toml": "[[case]]\nid='X'\nyear = 0x" + "F" * 5000,
    "digits.json": '{"phase":"movement","units":[],"year":' + "9" * 5000 + "}",
    "future.json": '{"format": 2}',
    "declared.toml": '[deviations]\n"6.B.33" = "why"',
    "declared-pattern.toml": '[deviations]\n"6.K.*" = "why"',
    "no-run.json": "{}",
    "text": "a text\nof lines",
    "datc_bridge": "a file",
    "empty": "",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wrong")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "folder").mkdir()
    _ = write(folder / "games.jsonl", game())
    assert invoke("run", "builtin", "-q", "--select=6.A.1", f"--report=json:{folder / 'run.json'}").exit_code == 0
    return folder


@pytest.mark.parametrize(
    ("begins", "row"),
    [
        (begins, row)
        for begins, rows in (("Usage: ", WRONG_WORDS), ("Error: ", WRONG))
        for row in rows.split("\n")[1:-1]
    ],
)
def test_what_is_wrong_with_a_command_is_said_and_nothing_is_written(folder, monkeypatch, begins, row):
    monkeypatch.chdir(folder)
    words, message = row.replace("LONG", "x" * 300).split(" | ")
    before = {file: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    done = invoke(*shlex.split(words))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(begins)
    said = " ".join(done.stderr.replace("│", " ").split())
    assert message in said
    assert "\x1b" not in said
    assert {file: file.read_bytes() for file in folder.iterdir() if file.is_file()} == before


def test_a_report_in_a_folder_that_is_read_only_is_refused_before_anything_is_asked(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("os.access", lambda path, _mode: str(path) not in (".", "/dev"))
    done = invoke("run", "exec:touch started", "--report", "json:report.json", "--report", "html:/dev/null")
    assert (done.exit_code, done.stderr) == (2, "Error: --report json:report.json: '.' cannot be written to\n")
    assert not folder.joinpath("started").exists()
