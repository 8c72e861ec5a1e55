"""Differential flame graphs: the page, SVG and folded export."""
