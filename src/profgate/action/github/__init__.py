"""Access to GitHub: the API, artifacts, comments, check runs and pull request data."""
