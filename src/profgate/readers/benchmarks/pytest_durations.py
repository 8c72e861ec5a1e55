"""What `pytest --durations=0 -vv` prints: a time for each test, its setup and teardown among it."""

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import dropwhile

from profgate.errors import ProfileError
from profgate.readers.benchmarks.results import Results
from profgate.readers.benchmarks.specification import Record, ResultFormat, lines


def _tests(written: Iterable[Record], results: Results) -> list[Record]:
    """The seconds of all phases of each test in the list of slowest durations."""
    listed = list(dropwhile(lambda line: not line.text("heading"), written))
    if not listed:
        raise ProfileError(results.where, "has no list of slowest durations; keep the whole output of pytest")
    hidden = sum(int(line.text("hidden") or 0) for line in listed)
    results.warnings["phases of tests that pytest left out for being short; add -vv to see them"] += hidden
    cut_off = not any(line.text("end") for line in listed)
    results.warnings["ends without pytest's last line: the output was cut off or filtered"] += cut_off
    seconds = defaultdict[str, float](float)
    for line in listed:
        if line.text("name"):
            seconds[line.text("name")] += line.number("value")
    return [Record(results.where, {"name": test, "value": spent}) for test, spent in seconds.items()]


FORMAT = ResultFormat(
    name="pytest-durations",
    looks="it lists pytest's slowest durations",
    pattern=re.compile(rb"^\d{1,9}\.\d{1,9}s (?:call|setup|teardown) +\S", re.MULTILINE),
    at_end=True,
    records=lines(
        r"(?P<heading>=+ slowest (?:\d+ )?durations =+)"
        r"|(?P<value>\d{1,9}\.\d{1,9})s (?:call|setup|teardown) +(?P<name>\S.*)"
        r"|\((?P<hidden>\d{1,12}) durations < .*|(?P<end>.*\bin \d+\.\d\ds\b.*)"
    ),
    select=_tests,
    profiler="pytest",
    scenarios=False,
)
