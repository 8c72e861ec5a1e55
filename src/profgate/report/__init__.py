"""Reports as comment, JSON, terminal text and CSV."""
