"""Compare the profiles of a pull request with its baseline and report which changes are real."""
