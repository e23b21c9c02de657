"""Plays the phases of a case or a position on an adjudicator."""
