"""The ``profgate track`` command: measures benchmarks over versions, finds jumps, and builds the evolution page."""
