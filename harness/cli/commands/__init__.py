"""The commands: `run` is the function `run_command`. `group.py` says which module has it."""
