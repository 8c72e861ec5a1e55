"""Stable ranks of test durations across runs."""
