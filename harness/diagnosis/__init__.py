"""Which known faults the wrong answers of an engine look like."""
