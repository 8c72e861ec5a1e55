"""Bytes of one format in, one Profile out; a file for each format."""
