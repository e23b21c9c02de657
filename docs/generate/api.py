"""The page of the Python API: what `__all__` of each floor names, from the sources."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).parents[2]
FLOORS = ("reference_engine", "cases", "adapters", "reports", "harness")
_SECTION = re.compile(r"^(Args|Returns|Yields|Raises):\n((?:[ ]+.*\n?|\n)+)", re.MULTILINE)
_WIDTH = 100

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Definition: TypeAlias = _Function | ast.ClassDef | ast.Assign | ast.AnnAssign

_INTRODUCTION = """# Python API

The names in the `__all__` of `datc.reference_engine`, `datc.cases`, `datc.adapters`, `datc.reports` and `datc.harness`
are public: [the promise about versions](changelog.md) covers them. Everything else may change in any version,
including the `__all__` of packages inside these five. All errors derive from `datc.reference_engine.DatcCheckError`.
"""


def api_page() -> str:
    """Return every public name with its signature and its docstring."""
    return "\n".join([_INTRODUCTION, *(line for floor in FLOORS for line in _floor_lines(floor))]) + "\n"


def public_names(floor: str) -> Sequence[str]:
    """Return the `__all__` of a floor."""
    for node in _tree(ROOT / floor / "__init__.py").body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [str(name) for name in ast.literal_eval(node.value)]
    raise LookupError(f"{floor} has no __all__")


def definition(file: Path, name: str) -> tuple[Definition, str]:
    """Return where a name is defined, following imports from the file, and its docstring, empty where it has none.

    Raises `LookupError` where it is defined nowhere.
    """
    body = _tree(file).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
            return node, ast.get_docstring(node) or ""
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and name in _assigned(node):
            return node, _text(after)
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.ImportFrom) and name in {alias.asname or alias.name for alias in node.names}:
            return definition(_imported_file(file, node), name)
    raise LookupError(f"{name} is not defined in {file}")


def _floor_lines(floor: str) -> Iterator[str]:
    init = ROOT / floor / "__init__.py"
    yield from ("", f"## datc.{floor}", "", *_docstring_lines(ast.get_docstring(_tree(init)) or ""))
    for name in public_names(floor):
        node, docstring = definition(init, name)
        yield from ("", f"### {name} {{#{floor}.{name}}}", "", "```python", _signature(node), "```", "")
        yield from _docstring_lines(docstring)
        if isinstance(node, ast.ClassDef):
            yield from _members(node)


def _members(node: ast.ClassDef) -> Iterator[str]:
    """The public fields and methods of a class."""
    fields = [
        (each, after)
        for each, after in zip(node.body, [*node.body[1:], None], strict=True)
        if isinstance(each, ast.AnnAssign) and not _assigned(each)[0].startswith("_")
    ]
    methods = [each for each in node.body if isinstance(each, _Function) and _is_public_method(each)]
    if fields or methods:
        yield ""
    for field, after in fields:
        yield from _item(ast.unparse(field), _text(after))
    for method in methods:
        yield from _item(_signature(method), ast.get_docstring(method) or "")


def _item(code: str, docstring: str) -> Iterator[str]:
    """An item of a list: the code, and its docstring below."""
    yield f"- `{' '.join(code.split())}`"
    yield from (f"    {line}" if line else "" for line in ["", *_docstring_lines(docstring), ""])


def _is_public_method(method: _Function) -> bool:
    return not method.name.startswith("_") or (method.name == "__init__" and ast.get_docstring(method) is not None)


def _signature(node: Definition) -> str:
    if isinstance(node, ast.ClassDef):
        bases = [ast.unparse(base) for base in node.bases]
        return f"class {node.name}" + (f"({', '.join(bases)})" if bases else "")
    if not isinstance(node, _Function):
        return line if len(line := ast.unparse(node)) <= _WIDTH else line.partition(" = ")[0]
    is_property = any(ast.unparse(each) in {"property", "cached_property"} for each in node.decorator_list)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    if is_property:
        return node.name + returns.replace(" -> ", ": ")
    arguments = ast.unparse(node.args)
    line = f"{node.name}({arguments}){returns}"
    if len(line) <= _WIDTH:
        return line
    return f"{node.name}(\n    " + re.sub(r", (?=\*{0,2}\w+(?::|,|$)|\*,|/)", ",\n    ", arguments) + f",\n){returns}"


def _docstring_lines(docstring: str) -> Iterator[str]:
    """Markdown of a docstring: Google-style sections as lists, sessions of Python as code."""
    text = _SECTION.sub(lambda found: f"**{found[1]}:**\n\n{_list(found[2])}\n", docstring)
    for paragraph in text.split("\n\n"):
        if paragraph.startswith(">>> "):
            yield from ("```pycon", paragraph, "```", "")
        else:
            yield from (*paragraph.replace("<", "&lt;").splitlines(), "")


def _list(entries: str) -> str:
    """Items of a section, each of which begins at the same indentation."""
    lines = [line for line in entries.splitlines() if line.strip()]
    least = min(len(line) - len(line.lstrip()) for line in lines)
    shown = (f"- {line[least:]}" if line[least] != " " else f"  {line.strip()}" for line in lines)
    return re.sub(r"^- (\w+)(?: \([^)]*\))?: ", r"- `\1`: ", "\n".join(shown), flags=re.MULTILINE)


def _assigned(node: ast.Assign | ast.AnnAssign) -> list[str]:
    return [ast.unparse(each) for each in (node.targets if isinstance(node, ast.Assign) else [node.target])]


def _text(node: ast.stmt | None) -> str:
    """The text that stands alone below an assignment: its docstring."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return "\n".join(line.strip() for line in node.value.value.splitlines())
    return ""


def _imported_file(file: Path, node: ast.ImportFrom) -> Path:
    """The file that a relative import names."""
    folder = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
    return package if (package := folder / "__init__.py").is_file() else folder.with_suffix(".py")


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))
