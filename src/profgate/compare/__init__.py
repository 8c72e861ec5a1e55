"""Compares two sides: pairs profiles, checks comparability, aligns call trees, and computes totals by symbol."""
