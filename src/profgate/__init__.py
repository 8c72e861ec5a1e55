"""Compares the profiles of a pull request with those of its baseline and says which changes are real."""
