"""GitHub: its API, artifacts, comments, checks and pull request data."""
