"""Render a report as comment, JSON, terminal text and CSV."""
