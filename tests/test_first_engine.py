"""The tutorial builds an engine that fails no case: its blocks are put together as its readers do that."""

import ast
import re

from .test_docs import DOCS, blocks, run_console

PAGE = DOCS / "first-engine.md"
LAST = 'if __name__ == "__main__":'


def names(tree):
    return {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def merged(program, block):
    """Add the functions of a block in front of the last lines, in place of those with the same names."""
    lines = program.splitlines(keepends=True)
    new = names(ast.parse(block))
    for node in ast.parse(program).body:
        if getattr(node, "name", None) in new:
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    head, last, tail = "".join(lines).partition(LAST)
    return f"{head}{block}\n\n{last}{tail}"


def test_each_stage_is_passed_when_the_page_says_so_and_the_last_is_the_whole_datc(tmp_path):
    engine = tmp_path / "engine.py"
    engine.touch()
    stages, shown = [], ""
    for _, kind, text in blocks(PAGE):
        if kind == "python":
            engine.write_text(merged(engine.read_text("utf-8"), text), encoding="utf-8")
        elif kind == "toml":
            (tmp_path / "datc.toml").write_text(text, encoding="utf-8")
        elif kind == "sh":
            run_console(f"$ {text}", tmp_path)
        else:
            run_console(text, tmp_path)
            shown += text
            stages += re.findall(r"^first-engine 1: (?:stage|all) (\d+)", text, re.MULTILINE)
    assert stages == [*map(str, range(1, 15)), "14"]
    assert "import datc" not in engine.read_text("utf-8")
    assert "176 of 176" in shown
    assert shown.endswith("exit code 0\n"), "the run passes with the config that the page comes to"


def test_the_program_of_the_page_has_no_dead_code():
    """What no later block replaces is used."""
    program = ""
    for block in blocks(PAGE, "python"):
        program = merged(program, block.text)
    tree = ast.parse(program)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert names(tree) <= used
