"""The detection strategy mean_shift for profgate."""
