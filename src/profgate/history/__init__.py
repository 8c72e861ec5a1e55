"""History of measured commits: storage, checks, trends and false alarm rates."""
