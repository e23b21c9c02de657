"""The board as a picture: one function from a scene to SVG, and scenes of what the project has.

>>> from datc.reference_engine import start_position
>>> from datc.reports.boardmap.drawing import draw_board
>>> from datc.reports.boardmap.scenes import scene_of_orders
>>> draw_board(scene_of_orders(start_position(), []), title="Spring 1901")[:4]
'<svg'
"""
