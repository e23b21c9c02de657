"""Reads a variant in the schema of diplicity (`schemaVersion` 1), whose borders say which units pass them.

Source: `service/variant.schema.yaml` of johnpooch/diplicity-react.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from .draft import MapDraft, Nation, Space, refused


class _Adjacency(msgspec.Struct):
    to: str
    by: Literal["army", "fleet", "both"] = msgspec.field(name="pass")


class _Province(msgspec.Struct, rename="camel"):
    id: str
    name: str
    type: Literal["land", "sea", "coastal"]
    adjacencies: list[_Adjacency]
    supply_center: bool = False
    home_nation: str | None = None


class _NamedCoast(msgspec.Struct, rename="camel"):
    id: str
    parent_province: str
    adjacencies: list[_Adjacency]


class _Nation(msgspec.Struct):
    id: str
    name: str


class _Unit(msgspec.Struct):
    nation: str
    type: Literal["Army", "Fleet"]
    location: str


class _Ownership(msgspec.Struct):
    nation: str
    province: str


class _InitialState(msgspec.Struct, rename="camel"):
    units: list[_Unit]
    supply_centers: list[_Ownership]


class _Variant(msgspec.Struct, rename="camel"):
    schema_version: Literal[1]
    name: str
    nations: list[_Nation]
    provinces: list[_Province]
    named_coasts: list[_NamedCoast]
    initial_state: _InitialState
    adjudication_modifiers: list[str] = []


def read_diplicity_variant(file: Path, content: object) -> MapDraft:
    """Read a variant from the JSON in a file. Raises `SuiteError`."""
    try:
        variant = msgspec.convert(content, _Variant)
    except msgspec.ValidationError as error:
        raise refused(file.name, f"is no variant in the schema of diplicity, version 1: {error}") from error
    draft = MapDraft(file.name, variant.name, f"the file {file.name} in the schema of diplicity")
    spaces = draft.spaces
    for each in variant.provinces:
        if each.id in spaces:
            draft.problem(each.id, "id", "is there twice")
        space = spaces[each.id] = Space(each.name)
        if each.type != "sea":
            space.armies = _reached(each.adjacencies, "army")
        if each.type != "land":
            space.fleets[""] = _reached(each.adjacencies, "fleet")
        if each.supply_center:
            draft.centers.append(each.id)
    for coast in variant.named_coasts:
        parent, _, name = coast.id.partition("/")
        if parent != coast.parent_province or parent not in spaces:
            draft.problem(coast.id, "namedCoasts", f"is no coast of {coast.parent_province!r}, a province of this map")
            continue
        _ = spaces[parent].fleets.pop("", None)
        spaces[parent].fleets[name] = _reached(coast.adjacencies, "fleet")
    _leave_out_parents(draft)
    _read_nations(draft, variant)
    draft.builds_anywhere = "allow-builds-in-non-home-centers" in variant.adjudication_modifiers
    return draft


def _reached(adjacencies: list[_Adjacency], unit: Literal["army", "fleet"]) -> list[str]:
    return [each.to for each in adjacencies if each.by in (unit, "both")]


def _leave_out_parents(draft: MapDraft) -> None:
    """Leave out a fleet's border to a province with coasts: those to its coasts are there as well."""
    with_coasts = {code for code, space in draft.spaces.items() if space.fleets.keys() - {""}}
    for space in draft.spaces.values():
        space.fleets = {
            coast: [each for each in neighbours if each not in with_coasts]
            for coast, neighbours in space.fleets.items()
        }


def _read_nations(draft: MapDraft, variant: _Variant) -> None:
    nations = {each.id: Nation(each.name) for each in variant.nations}

    def nation(name: str, place: str) -> Nation:
        if name not in nations:
            draft.problem(place, "nation", f"is of {name!r}, which is no nation of this variant")
        return nations.get(name, Nation(""))

    for each in variant.provinces:
        if each.home_nation is not None:
            nation(each.home_nation, each.id).home.append(each.id)
    for owned in variant.initial_state.supply_centers:
        nation(owned.nation, owned.province).owns.append(owned.province)
    for unit in variant.initial_state.units:
        nation(unit.nation, unit.location).start.append((unit.type[0], unit.location))
    draft.nations = nations
