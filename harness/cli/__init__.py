"""The command line: a command a module, and the options that several share."""

COMPLETE = "_DATC_CHECK_COMPLETE"
"""The variable with which a shell asks what can come next."""
