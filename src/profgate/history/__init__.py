"""History of measured commits: storage, checks, trends and ranks."""
