"""What the results of JavaScript's benchmark tools have in common: statistics of all samples in one process."""

from profgate.readers.benchmarks.results import Results, quantity_of
from profgate.readers.benchmarks.specification import Record

# a mean follows single slow samples, such as those that a garbage collection interrupts
_TYPICAL = ("median", "p50", "mean", "avg")


def add_typical(results: Results, statistics: Record, unit: str, *names: str) -> None:
    """Add the median of a benchmark or else its mean. A benchmark without both ended with an error."""
    values = (statistics.get(key) for key in _TYPICAL)
    typical = next((value for value in values if value is not None), None)
    if typical is None:
        results.warnings["benchmarks that failed, of which nothing is known"] += 1
        return
    results.add(" > ".join(filter(None, names)), quantity_of(unit), [typical], process=0)
