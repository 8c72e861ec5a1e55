"""One file a sub-command: argv in, exit code out."""
