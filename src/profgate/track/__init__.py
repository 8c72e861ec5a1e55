"""The ``profgate track`` command: benchmarks over versions, their jumps, and the evolution page."""
