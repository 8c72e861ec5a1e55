"""Stable ranks of test durations over runs."""
