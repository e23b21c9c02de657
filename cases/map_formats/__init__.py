"""Maps in the files of other programs, read as those of this one, and maps written as the files of this one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import msgspec

from ...reference_engine import PositionError
from ...reference_engine.maps import MAPS, MapTable, own_map_names
from ...reference_engine.toml import toml_list, toml_string
from ..maps import MapData, checked_map, read_map_file, read_map_table
from .diplicity import read_diplicity_variant
from .diplomacy import read_dpjudge_map
from .draft import MapDraft, read_bytes, refused
from .jdip import read_jdip_variant

__all__ = ["is_map_file", "map_toml", "read_any_map"]

_SUFFIXES = (".toml", ".map", ".xml", ".json")


def is_map_file(source: str) -> bool:
    """Whether a source is a map of the project or a file, so that no engine is meant."""
    return source in own_map_names() or Path(source.partition("#")[0]).suffix.lower() in _SUFFIXES


def read_any_map(source: str) -> MapData:
    """Read a map of the project by its name, or a file: `x.toml`, `x.map`, `x.json`, `variants.xml#Loeb9`.

    Raises `SuiteError` where a file is no map, and `PositionError` where it is not known what is meant.
    """
    if source in own_map_names():
        return read_map_file(MAPS / f"{source}.toml")
    path, _, name = source.partition("#")
    file = Path(path)
    match file.suffix.lower():
        case ".toml":
            return read_map_file(file)
        case ".map":
            return _finished(read_dpjudge_map(file), file.stem)
        case ".xml":
            draft = read_jdip_variant(file, name)
            return _finished(draft, draft.title)
        case ".json":
            return _read_json(file)
        case _:
            raise PositionError(f"{source!r} is no map of the project, and no file: {', '.join(_SUFFIXES)}")


def _read_json(file: Path) -> MapData:
    try:
        content: object = msgspec.json.decode(read_bytes(file))
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise refused(file.name, f"is not JSON: {error}") from error
    fields = cast("dict[str, Any]", content) if isinstance(content, dict) else {}
    if isinstance(fields.get("provinces"), dict):  # As an engine gives it.
        return read_map_table(file.name, fields, file.stem)
    return _finished(read_diplicity_variant(file, fields), file.stem)


def _finished(draft: MapDraft, name: str) -> MapData:
    table = draft.table()
    return checked_map(draft.file, name, table, draft.problems)


def map_toml(table: MapTable) -> str:
    """Write a map as a map file."""
    width = max(map(len, table), default=0)
    lines = [f"{field:{width}} = {_value(value)}" for field, value in table.items() if not isinstance(value, dict)]
    inline = ("seasons", "ice", "difficult", "canal", "railway")
    lines += [f"{field:{width}} = {_value(table.get(field))}" for field in inline if field in table]
    for heading in ("powers", "provinces"):
        lines += ["", f"[{heading}]"]
        lines += [f"{_key(code)} = {_value(entry)}" for code, entry in table.get(heading, {}).items()]
    if places := table.get("places"):
        lines += ["", "[places]", *(f"{_key(place)} = [{x:g}, {y:g}]" for place, (x, y) in sorted(places.items()))]
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    if isinstance(value, dict):
        entries = cast("Mapping[str, object]", value).items()
        return "{ " + ", ".join(f"{_key(name)} = {_value(each)}" for name, each in entries) + " }"
    if isinstance(value, list):
        return toml_list(map(str, cast("list[object]", value)))
    return str(value) if isinstance(value, int) else toml_string(str(value))


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_string(name)
