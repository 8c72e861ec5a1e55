"""Measures both commits in turns on one machine, for `profgate confirm` and `profgate measure`."""
