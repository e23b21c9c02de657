"""One command a file; each module has its `command`."""
