"""Measures two versions in turns."""
