"""What the pull request changed in the sources, which functions that reaches, and which rows have one cause."""
