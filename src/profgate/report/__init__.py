"""A Report in, documents out: comment, JSON, terminal, CSV, pages."""
