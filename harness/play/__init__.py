"""Asks an adjudicator the phases of a position, compares answers, and gives cases their verdicts."""
