"""Measures two versions in turns on one machine."""
