"""Positions made for questions: random ones, known paradoxes, and positions moved to other places and powers."""
