"""A page for each map of the project, with its board, its powers and its special rules."""

from __future__ import annotations

from collections.abc import Mapping

from datc.harness.cli.commands.maps import map_lines
from datc.reference_engine import start_position
from datc.reference_engine.maps import load_board, map_table, own_map_names
from datc.reports.boardmap.drawing import draw_picture
from datc.reports.boardmap.geography import whole_map
from datc.reports.boardmap.scenes import scene_of_orders


def map_pages() -> Mapping[str, str]:
    """Return the page and the picture of each map, by their paths in the documentation."""
    names = own_map_names()
    return {f"maps/{name}.md": _page(name) for name in names} | {f"maps/{name}.svg": _picture(name) for name in names}


def map_list() -> str:
    """Link each page, with the size of its map."""
    lines = ["| map | is | provinces | centers | powers |", "|:--|:--|--:|--:|--:|"]
    for name in own_map_names():
        board = load_board(name)
        counts = f"{len(board.provinces)} | {len(board.supply_centers)} | {len(board.powers)}"
        lines.append(f"| [`{name}`](maps/{name}.md) | {_title(name)} | {counts} |")
    return "\n".join(lines)


def _title(name: str) -> str:
    return map_table(name).get("title", name)


def _page(name: str) -> str:
    title, board = _title(name), load_board(name)
    size, *lines = map_lines(board)
    return "\n".join(
        (
            f"# {title}",
            "",
            f"{size}. Source: {map_table(name).get('source', '').rstrip('.')}.",
            "",
            f'<figure class="board whole" tabindex="0" role="group" aria-label="{title}">',
            f'<img src="../{name}.svg" width="{whole_map(board).width:g}" alt="{title}, with the units at the start">',
            f'<figcaption>The units at the start. <a href="../{name}.svg">The picture alone</a></figcaption>',
            "</figure>",
            "",
            *(f"- {line.strip()}" for line in lines),
            "",
            "The cases of DATC 3.2 at places of this map, and positions drawn on it:",
            "",
            "```sh",
            f"datc-check run ENGINE --map {name}",
            f"datc-check hunt ENGINE --map {name}",
            "```",
            "",
        )
    )


def _picture(name: str) -> str:
    board = load_board(name)
    scene = scene_of_orders(start_position(board), [])
    return draw_picture(scene, title=_title(name), window=whole_map(board)) + "\n"
