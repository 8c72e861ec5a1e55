"""Where profiles come from."""
