"""Pairing, comparability, calling context trees, their overlay and symbol totals."""
