"""Benchmarks over versions: measuring, jumps and the evolution page."""
