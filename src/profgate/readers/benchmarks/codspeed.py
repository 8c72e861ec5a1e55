"""The wall times of pytest-codspeed: one run per benchmark, with the median of its rounds."""

from profgate.readers.benchmarks.specification import ResultFormat, listed

FORMAT = ResultFormat(
    name="codspeed",
    looks="JSON with the keys creator, instrument and median_ns",
    record="pytest --codspeed --codspeed-mode walltime; then give .codspeed/results_*.json",
    keys=("creator", "instrument", "median_ns"),
    records=listed("benchmarks"),
    title=("uri",),
    value="stats.median_ns",
    unit="ns",
    facts={"profiler": "creator.name", "profiler_version": "creator.version"},
)
