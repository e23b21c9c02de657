"""placeholder"""

from __future__ import annotations
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from collections.abc import Mapping
from .geometry import Point


@dataclass(frozen=True)
class Place:
    kind: str
    path: str
    unit: Point
    label: Point
    beside: Point
    supply_center: Point | None
    coasts: Mapping[str, Point]


@dataclass(frozen=True)
class Geography:
    width: int
    height: int
    provinces: Mapping[str, Place]


@cache
def standard_geography() -> Geography:
    data = json.loads(Path("/tmp/draw_ph/standard.json").read_text())
    return Geography(
        data["viewBox"][2],
        data["viewBox"][3],
        {
            c: Place(
                p["kind"],
                p["path"],
                Point(*p["unit"]),
                Point(*p["label"]),
                Point(*p["beside"]),
                Point(*p["supply_center"]) if "supply_center" in p else None,
                {k: Point(*v) for k, v in p.get("coasts", {}).items()},
            )
            for c, p in data["provinces"].items()
        },
    )


def base_map() -> str:
    g = standard_geography()
    return (
        f'<rect class="bm-sea" width="{g.width}" height="{g.height}"/>'
        + "".join(f'<path class="bm-{p.kind}" d="{p.path}"/>' for p in g.provinces.values())
        + "".join(f'<text class="bm-label" x="{p.label.x}" y="{p.label.y}">{c}</text>' for c, p in g.provinces.items())
    )


MAP_STYLE = ".bm-sea{fill:var(--sea,#cfe0ee)}@media(prefers-color-scheme:dark){.dm{--sea:#182430;--land:#33322c}}.dm.dark,[data-theme=dark] .dm{--sea:#182430;--land:#33322c} .bm-sea{stroke:#8885}.bm-land{fill:var(--land,#ece5d3);stroke:#8888}.bm-label{font:9px sans-serif;text-anchor:middle;fill:#8888}"
