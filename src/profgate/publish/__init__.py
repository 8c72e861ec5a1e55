"""Documents in, effects out."""
