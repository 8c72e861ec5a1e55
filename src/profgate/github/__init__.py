"""Access to GitHub: the API, artifacts, comments, check runs and data of pull requests."""
