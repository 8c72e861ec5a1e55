"""Access to GitHub: the API, artifacts, comments, commit statuses and pull request data."""
