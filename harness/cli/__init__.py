"""The command line: a command a module, and the options that several share."""
