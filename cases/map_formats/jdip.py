"""Reads the variants of jDip: `variants.xml` with powers and centers, and the XML file of borders that it names.

An entity is never expanded, and nothing is read but files in the folder of the first. Source: the DTDs in these files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from ...reference_engine.board import province_code
from ...reference_engine.errors import nearest
from .draft import MapDraft, Nation, Space, read_bytes, refused

_DEEPEST = 20
_SEASONS: Mapping[str, str] = {"spring": "spring", "fall": "autumn", "autumn": "autumn", "winter": "winter"}
_COAST_TYPES: Mapping[str, str] = {"xc": "", "nc": "NC", "sc": "SC", "wc": "WC", "ec": "EC"}


@dataclass
class _Element:
    name: str
    values: Mapping[str, str]
    children: list[_Element] = field(default_factory=list["_Element"])

    def all(self, name: str) -> Iterator[_Element]:
        return (each for each in self.children if each.name == name)

    def get(self, name: str) -> str:
        return self.values.get(name, "").strip()


def read_jdip_variant(file: Path, name: str) -> MapDraft:
    """Read a variant by its name, or the only one. Raises `SuiteError`, which lists the names where none was given."""
    root = _read_xml(file)
    variants = {each.get("name"): each for each in root.all("VARIANT")}
    if not variants:
        raise refused(file.name, "has no VARIANT: name the variants.xml of a variant of jDip")
    if not name and len(variants) > 1:
        raise refused(file.name, f"has {len(variants)} variants: name one, {file.name}#NAME: {', '.join(variants)}")
    if name and name not in variants:
        raise refused(file.name, f"has no variant {name!r}{nearest(name, [*variants])}")
    variant = variants[name] if name else next(iter(variants.values()))
    draft = MapDraft(file.name, variant.get("name"), f"the file {file.name} of jDip")
    draft.begins = next((each.get("turn") for each in variant.all("STARTINGTIME")), "")
    codes = _read_borders(draft, file, variant)
    _read_powers(draft, variant, codes)
    for option in (each for options in variant.all("RULEOPTIONS") for each in options.all("RULEOPTION")):
        if option.get("name") == "OPTION_BUILDS":
            draft.builds_anywhere = option.get("value") == "VALUE_BUILDS_ANY_OWNED"
    return draft


def _read_xml(file: Path) -> _Element:
    top = _Element("", {})
    open_elements = [top]
    parser = expat.ParserCreate()

    def start(name: str, values: dict[str, str]) -> None:
        if len(open_elements) > _DEEPEST:
            raise refused(file.name, f"is nested more than {_DEEPEST} deep: it is no map")
        open_elements[-1].children.append(element := _Element(name, values))
        open_elements.append(element)

    def entity(name: str, *_: object) -> None:
        raise refused(file.name, f"declares the entity {name!r}: a map needs none, and none is expanded")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _name: open_elements.pop()
    parser.EntityDeclHandler = entity
    try:
        _ = parser.Parse(read_bytes(file), True)  # noqa: FBT003 - expat has no name for it
    except (expat.ExpatError, ValueError, LookupError) as error:  # The latter for an unknown encoding.
        raise refused(file.name, f"is not XML: {error}") from error
    return top.children[0]


def _read_borders(draft: MapDraft, file: Path, variant: _Element) -> Mapping[str, str]:
    """Read the provinces; return the code of each by all names that it has."""
    named = next((each.get("adjacencyURI") for each in variant.all("MAP")), "")
    if not named or Path(named).name != named:
        raise refused(file.name, f"has its borders in {named!r}: only a file in its own folder is read")
    root = _read_xml(file.with_name(named))
    provinces = {each.get("shortname").lower(): each for each in root.all("PROVINCE")}
    if "" in provinces or len(provinces) < len([*root.all("PROVINCE")]):
        raise refused(named, "has a province twice, or one without a shortname")
    codes = _codes_by_name(provinces)
    for code, province in provinces.items():
        space = Space(province.get("fullname"), [each.get("name") for each in province.all("UNIQUENAME")])
        for adjacency in province.all("ADJACENCY"):
            kind = adjacency.get("type").lower() or "mv"
            refs = [_place(codes, each) for each in re.split(r"[\s,;:]+", adjacency.get("refs").lower()) if each]
            if kind == "mv":
                space.armies = refs
            elif kind in _COAST_TYPES:
                space.fleets[_COAST_TYPES[kind]] = refs
            else:
                draft.problem(code, "ADJACENCY", f"has the type {kind!r}: it is mv, {', '.join(_COAST_TYPES)}")
        if space.armies == [code] and not space.fleets:
            draft.impassable.append(space.name)
            continue
        draft.spaces[code] = space
        if province.get("isConvoyableCoast") == "true":
            draft.convoying.append(code)
    effects = {each.get("id"): each for part in root.all("BORDER_DEFINITIONS") for each in part.all("BORDER")}
    for code, province in provinces.items():
        for effect in (effects[each] for each in province.get("borders").split() if each in effects):
            _read_effect(draft, code, effect, codes)
    return codes


def _codes_by_name(provinces: Mapping[str, _Element]) -> dict[str, str]:
    """Return the code of a province by its short name and by each other name that it has: files use either."""
    codes = {code: code for code in provinces}
    for code, each in provinces.items():
        for name in (*(other.get("name") for other in each.all("UNIQUENAME")), each.get("fullname")):
            _ = codes.setdefault(name.lower(), code)
    return codes


def _place(codes: Mapping[str, str], text: str) -> str:
    """Return a location: `spa/nc` of `spa-nc` or `esp/nc`."""
    code, slash, coast = text.replace("-", "/").partition("/")
    if text in codes:
        return codes[text]
    return codes.get(code, code) + (slash + coast if coast != "xc" else "")


def _read_effect(draft: MapDraft, code: str, effect: _Element, codes: Mapping[str, str]) -> None:
    """Read what is special about a province, or about the passage to it from another one."""
    seasons = [_SEASONS[each] for each in effect.get("season").lower().replace(",", " ").split() if each in _SEASONS]
    origins = [_place(codes, each) for each in effect.get("from").lower().replace(",", " ").split()]
    narrows = {"unitTypes", "orderTypes", "year", "phase"} & effect.values.keys()
    if effect.get("baseMoveModifier") == "-1" and origins and not narrows and not seasons:
        to = draft.spaces[code]
        by = {"armies": to.armies or [], "fleets": [each for some in to.fleets.values() for each in some]}
        for kind, neighbours in by.items():
            passages = [(origin, code) for origin in origins if origin in map(province_code, neighbours)]
            draft.difficult.setdefault(kind, []).extend(passages)
    elif seasons and not origins and not narrows and not effect.get("baseMoveModifier"):
        draft.ice[code] = sorted({*draft.ice.get(code, []), *seasons})
    else:
        draft.problem(code, "borders", f"has {effect.get('id')!r}, a condition that map files do not have")


def _read_powers(draft: MapDraft, variant: _Element, codes: Mapping[str, str]) -> None:
    aliases: dict[str, Nation] = {}
    for power in variant.all("POWER"):
        name = power.get("name")
        others = [each.strip() for each in power.get("altnames").split(",")]
        words = [each for each in (power.get("adjective"), *others) if each]
        draft.nations[name] = Nation(name, words)
        aliases |= {each.lower(): draft.nations[name] for each in (name, *words)}

    def holder(element: _Element, role: str, code: str) -> Nation:
        name = element.get(role).lower()
        if name not in ("", "none") and name not in aliases:
            draft.problem(code, role, f"is {name!r}, which is no power of this variant")
        return aliases.get(name, Nation(""))

    for center in variant.all("SUPPLYCENTER"):
        code = _place(codes, center.get("province").lower())
        draft.centers.append(code)
        holder(center, "homepower", code).home.append(code)
        holder(center, "owner", code).owns.append(code)
    for unit in variant.all("INITIALSTATE"):
        coast = unit.get("unitcoast").upper()
        code = _place(codes, unit.get("province").lower())
        is_fleet = unit.get("unit").lower() == "fleet"
        place = f"{code}/{coast}" if coast in ("NC", "SC", "EC", "WC") and is_fleet else code
        holder(unit, "power", code).start.append(("F" if is_fleet else "A", place))
