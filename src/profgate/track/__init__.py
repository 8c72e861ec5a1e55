"""The ``profgate track`` command: measurement of benchmarks over versions, jumps, and the evolution page."""
