"""Reports as comment, JSON and terminal text."""
