"""One file for each detection strategy."""
