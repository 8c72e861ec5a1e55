"""Flame graphs of a comparison as HTML pages, static SVG images and folded stacks."""
