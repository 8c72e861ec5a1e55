"""Detection strategies, with one module per strategy."""
