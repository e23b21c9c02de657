"""The board as a picture: one function from a scene to SVG, and scenes of what the project has.

>>> from datc.reference_engine import start_position
>>> from datc.reports.boardmap import draw_board, scene_of_orders
>>> draw_board(scene_of_orders(start_position(), []), title="Spring 1901")[:4]
'<svg'
"""

from .drawing import board_style, draw_board, draw_legend, draw_picture, drawn_province, page_style, shared_map
from .geography import Window, make_environment, standard_geography, whole_map, window_around
from .scenes import DrawnOrder, Scene, phase_scenes, scene_after, scene_of_orders
from .style import power_class

__all__ = [
    "DrawnOrder",
    "Scene",
    "Window",
    "board_style",
    "draw_board",
    "draw_legend",
    "draw_picture",
    "drawn_province",
    "make_environment",
    "page_style",
    "phase_scenes",
    "power_class",
    "scene_after",
    "scene_of_orders",
    "shared_map",
    "standard_geography",
    "whole_map",
    "window_around",
]
