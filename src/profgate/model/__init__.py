"""Immutable data types that all packages share."""
