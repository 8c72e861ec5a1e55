"""Flame graphs of a comparison: the page, the static picture and folded stacks."""
