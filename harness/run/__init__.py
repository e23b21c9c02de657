"""Runs of cases: their events, what fails a run, the smoke test, the stages of `next`, requests sent again."""
