"""Which mutants the wrong answers of an engine look like."""
