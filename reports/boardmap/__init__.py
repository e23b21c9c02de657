"""The board as a picture: one function from a scene to SVG, and scenes of what the project has.

>>> from datc.reference_engine import start_position
>>> from datc.reports.boardmap import draw_board, scene_of_orders
>>> draw_board(scene_of_orders(start_position(), []), title="Spring 1901")[:4]
'<svg'
"""

from .describe import describe_scene
from .drawing import Base, Theme, board_style, draw_board, shared_map
from .legend import draw_legend
from .scene import DrawnDislodged, DrawnOrder, DrawnUnit, Outcome, Scene, UnitMark
from .scenes import OutcomeSource, PhaseScenes, case_scenes, phase_scenes, scene_after, scene_of_orders
from .window import Window, whole_map, window_around

__all__ = [
    "Base",
    "DrawnDislodged",
    "DrawnOrder",
    "DrawnUnit",
    "Outcome",
    "OutcomeSource",
    "PhaseScenes",
    "Scene",
    "Theme",
    "UnitMark",
    "Window",
    "board_style",
    "case_scenes",
    "describe_scene",
    "draw_board",
    "draw_legend",
    "phase_scenes",
    "scene_after",
    "scene_of_orders",
    "shared_map",
    "whole_map",
    "window_around",
]
