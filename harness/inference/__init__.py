"""Which choices an engine makes."""
