"""Access to GitHub: API, artifacts, comments, checks and pull request data."""
