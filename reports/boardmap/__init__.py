"""The board as a picture: one function from a scene to SVG, and scenes of what the project has.

>>> from datc.reference_engine import start_position
>>> from datc.reports.boardmap import draw_board, scene_of_orders
>>> draw_board(scene_of_orders(start_position(), []), title="Spring 1901")[:4]
'<svg'
"""

from .describe import describe_scene
from .drawing import Base, Theme, board_style, draw_board, shared_map
from .geography import Area, Geography, Link, Province, base_map_svg, map_style, standard_geography
from .legend import draw_legend
from .palette import PALETTE, Colors, Palette
from .scene import DrawnDislodged, DrawnOrder, DrawnUnit, Outcome, Scene, UnitMark
from .scenes import OutcomeSource, PhaseScenes, case_scenes, phase_scenes, scene_after, scene_of_orders
from .window import Window, whole_map, window_around

__all__ = [
    "PALETTE",
    "Area",
    "Base",
    "Colors",
    "DrawnDislodged",
    "DrawnOrder",
    "DrawnUnit",
    "Geography",
    "Link",
    "Outcome",
    "OutcomeSource",
    "Palette",
    "PhaseScenes",
    "Province",
    "Scene",
    "Theme",
    "UnitMark",
    "Window",
    "base_map_svg",
    "board_style",
    "case_scenes",
    "describe_scene",
    "draw_board",
    "draw_legend",
    "map_style",
    "phase_scenes",
    "scene_after",
    "scene_of_orders",
    "shared_map",
    "standard_geography",
    "whole_map",
    "window_around",
]
