"""`datc.toml` and the options: which engines, cases and rules a command uses."""
